"""A seeded workload that is not taken from the model: whichever thread, scheduler or write can move next may do so.

With an even seed the last client stays, and its request decodes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import observe as look

if TYPE_CHECKING:
    from driver import Driver

_STEPS = 400
_WORKER = {
    "check": "WCheck",
    "skip": "WSkip",
    "count": "WCount",
    "finish": "WFinish",
    "answer": "WAnswer",
    "look": "WStart",
}
_CONTROL = {"first": "CFirst", "second": "CSecond", "try": "CTry", "inactive": "CInactive"}


def run(driver: Driver, chance: random.Random) -> None:
    """Let things move in a random order until nothing can, or enough was seen."""
    for _ in range(_STEPS):
        moves = list(_moves(driver))
        if not moves:
            return
        chance.choice(moves)()


def _moves(driver: Driver) -> Iterator[Callable[[], None]]:
    """What can happen now, by where the real threads stand and what is under way."""
    world = driver.world
    for i in world.reqs:
        yield from _decode_moves(driver, i)
    for write in world.network.flight():
        yield from _write_moves(driver, write)
    for k in world.names:
        yield from _thread_moves(driver, k)
        for i in world.reqs:
            yield from _prefill_moves(driver, k, i)


def _decode_moves(driver: Driver, i: int) -> Iterator[Callable[[], None]]:
    world, may = driver.world, driver.case.constants.get
    state = look.decode_state(world, i)
    patient = i == world.reqs[-1] and driver.case.seed % 2 == 0
    if state in ("prealloc", "wait") and i not in driver.gone and may("ClientMayLeave") and not patient:
        yield lambda: driver.UserAborts(i=i)
    if state == "none" and world.settled_before(i):
        yield lambda: driver.Arrives(i=i)
    if state == "prealloc":
        if len(world.pools.free()) == world.tokens:
            yield lambda: driver.DAlloc(i=i)
        if i in driver.gone:
            yield lambda: driver.DAbortEarly(i=i)
    if state == "wait" and i in driver.gone:
        yield lambda: driver.DAbort(i=i)
    if state == "aborting":
        yield lambda: driver.DAbortRest(i=i)
    if state in ("wait", "aborted") and driver.can_pop(i):
        yield lambda: driver.pop(i)
    if state == "held":
        late = driver.passed
        if may("DeadlineMayPass") and not late:
            yield lambda: driver.DeadlinePasses(i=i)
        if late or world.manager.is_abort_release_safe(world.room(i), len(world.names)):
            yield lambda: driver.resolve(i)
    if i == world.reqs[-1]:
        if world.other is None and state not in ("none", "prealloc") and len(world.pools.free()) == world.tokens:
            yield driver.DAllocOther
        if world.other is not None and not world.other_served:
            yield driver.OtherCommits


def _write_moves(driver: Driver, write: list[Any]) -> Iterator[Callable[[], None]]:
    may = driver.case.constants.get
    calls = driver.world.network.find(write)
    yield lambda: driver.Lands(w=write)
    if may("HandleMayFail"):
        yield lambda: driver.HandleFails(w=write)
    if may("CallMayGiveUp") and not any(call.gave_up for call in calls):
        yield lambda: driver.CallGivesUp(w=write)


def _thread_moves(driver: Driver, k: str) -> Iterator[Callable[[], None]]:
    world = driver.world
    worker, control = world.gates.label(f"worker {k}"), world.gates.label(f"control {k}")
    if world.wire.up[k]:
        yield lambda: driver.DHear(k=k)
    if control == "recv" and world.wire.down[k]:
        name = {"meta": "CMeta", "abort": "CAbort"}[world.wire.down[k][0][0]]
        yield lambda: driver.actions[name](k=k)
    if control in _CONTROL:
        yield lambda: driver.actions[_CONTROL[control]](k=k)
    if worker == "take" and world.queued(k):
        yield lambda: driver.WTake(k=k)
    if worker in _WORKER:
        yield lambda: driver.actions[_WORKER[worker]](k=k)
    if worker is None:
        calls = driver.calls(k)
        failed = [call for call in calls if call.failed or call.gave_up]
        if not failed and not any(call.open for call in calls):
            yield lambda: driver.WDone(k=k)
        if failed and all(call in failed for call in calls if call.open):
            yield lambda: driver.WFail(k=k)


def _prefill_moves(driver: Driver, k: str, i: int) -> Iterator[Callable[[], None]]:
    world = driver.world
    request, manager = world.prefill[k].requests.get(i), world.prefill[k].manager
    scheduler = world.prefill[k].scheduler
    if request is None or i in world.concluded[k]:
        return
    status, poll = dict.get(manager.request_status, world.room(i)), world.sg.KVPoll
    sent = request.disagg_kv_sender.curr_idx == world.tokens
    if status not in (None, poll.Bootstrapping) and not sent:
        yield lambda: driver.POffer(j=[k, i])
    if sent and i in driver.gone and status == poll.WaitingForInput:
        yield lambda: driver.PAbort(j=[k, i])
    chunked = scheduler.chunked_req is request and hasattr(scheduler, "process_pending_chunked_abort")
    if chunked and i in driver.gone and i in world.met[k]:
        yield lambda: driver.PDrop(j=[k, i])
    if sent and status in (poll.Failed, poll.Success):
        yield lambda: driver.conclude(k, i)
