"""What in the real objects shows that a goal of the case is violated."""

from __future__ import annotations

import os
import traceback

import vllm
from nixl_stand_in import NETWORK


def seen(goal: str, driver) -> str | None:
    """One sentence about the first violation that the real objects show now, None if they show none."""
    return GOALS[goal](driver)


def isolation(driver) -> str | None:
    """A read in flight whose block is not, or no longer, its request's: let it write, count the bytes, and undo it."""
    for read in NETWORK.reads:
        number = _number(read.about)
        if read.state != "PROC" or number == 0:
            continue
        place = driver.worker.block_at(read.pieces[0][0])
        if place in driver.view.places(number):
            continue
        count = driver.core.scheduler.kv_cache_manager.block_pool.blocks[place].ref_cnt
        before = driver.worker.kv[:, place].clone()
        read.write()
        changed = int((driver.worker.kv[:, place] != before).sum()) * before.element_size()
        driver.worker.kv[:, place] = before
        whose = f"allocated for request {_holder(driver, place)}" if count else "free"
        return (
            f"block {place} of the pool is {whose} (ref_cnt {count}), and the read posted for request {number} "
            f"still writes into it: {changed} bytes of the KV buffer change when it lands"
        )
    return None


def integrity(driver) -> str | None:
    """What the forward pass of the step in hand has read."""
    if driver.view.phase() not in ("forward", "output"):
        return None
    for number in driver.view.requests:
        if driver.view.status(number) != "running":
            continue
        place, values = driver.worker.reads[driver.world.ids[number]]
        if values != [float(number)]:
            return (
                f"the forward pass of request {number} read block {place}, whose bytes are the KV data of tokens "
                f"{values}, not of {float(number)}"
            )
    return None


def own_assertion(error) -> bool:
    """Whether an error was raised by an assertion in vLLM's own source."""
    return isinstance(error, AssertionError) and _place(error).filename.startswith(os.path.dirname(vllm.__file__))


def engine_survives(driver) -> str | None:
    if driver.engine.at[0] != "ended":
        return None
    frame = _place(driver.engine.at[1])
    file = os.path.relpath(frame.filename, os.path.dirname(os.path.dirname(vllm.__file__)))
    return f"the engine's busy loop died of an AssertionError at {file}:{frame.lineno}, `{frame.line}`"


def _place(error) -> traceback.FrameSummary:
    return traceback.extract_tb(error.__traceback__)[-1]


def finality_requests(driver) -> str | None:
    if not driver.settled:
        return None
    for number in driver.view.requests:
        if driver.world.fate(number) in ("live", "replied"):
            status = driver.world.objects[number].status.name
            return f"request {number} has no answer: {status}, and {_rest(driver)}"
    return None


def finality_blocks(driver) -> str | None:
    if not driver.settled:
        return None
    for number in driver.view.requests:
        places = driver.view.places(number)
        held = driver.core.scheduler.requests.get(driver.world.ids[number]) is driver.world.objects.get(number)
        if driver.world.fate(number) in ("aborted", "answered") and places and held:
            status = driver.world.objects[number].status.name
            return f"request {number} is {status} and still holds blocks {places}, and {_rest(driver)}"
    return None


def conservation_blocks(driver) -> str | None:
    state = driver.observe()
    for name, number in state["owner"].items():
        if number == "None":
            continue
        if not isinstance(number, int):
            return f"block {name} is allocated for {number}"
        coming = state["xfer"][str(number)] in ("planned", "flight", "landed", "failed")
        if (
            state["status"][str(number)] == "finished"
            and not coming
            and state["idOf"][str(number)] not in state["report"]
        ):
            return f"block {name} belongs to the finished request {number}, and no end of a load is to come that would free it"
    return None


def conservation_ids(driver) -> str | None:
    scheduler = driver.core.scheduler
    for name in sorted(scheduler.finished_recving_kv_req_ids | scheduler.failed_recving_kv_req_ids):
        request = scheduler.requests.get(name)
        if request is None:
            return f"{name!r} is in the scheduler's records of ended loads, and no such request is in its table"
        if request.status.name != "WAITING_FOR_REMOTE_KVS":
            return f"{name!r} is in the scheduler's records of ended loads, and its request is {request.status.name}"
    return None


def _number(about: str) -> int:
    return int(about.removeprefix("asked-"))


def _holder(driver, place: int):
    return next((number for number in driver.view.requests if place in driver.view.places(number)), "nobody")


def _rest(driver) -> str:
    if driver.engine.at[0] == "ended":
        return "the engine is dead"
    if driver.engine.at[0] == "sleep":
        return "the engine sleeps on its empty input queue"
    return f"the engine has made {driver.hooks.steps} steps"


GOALS = {
    "Isolation": isolation,
    "Integrity": integrity,
    "EngineSurvives": engine_survives,
    "FinalityRequests": finality_requests,
    "FinalityBlocks": finality_blocks,
    "ConservationBlocks": conservation_blocks,
    "ConservationIds": conservation_ids,
}
