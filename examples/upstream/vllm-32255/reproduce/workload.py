"""A workload of its own, seeded: clients come and go, reads land or fail in any order, threads take turns at random."""

from __future__ import annotations

from nixl_stand_in import NETWORK

MOVES = 400
# The engine has looked at its queues and not yet acted: what arrives here is as if it arrived after the act.
BETWEEN = ("abort", "update")


def run(driver, random) -> None:
    """Run until every request was sent and is answered or given up, and the engine has nothing left; or dies."""
    for _ in range(MOVES):
        if driver.engine.at[0] == "ended":
            return
        moves = [*_engine(driver), *_network(driver)]
        if driver.engine.at[0] not in BETWEEN:
            moves += _clients(driver)
        if not moves:
            return
        random.choices([move for _, move in moves], weights=[weight for weight, _ in moves])[0]()
        if _over(driver):
            return


def _engine(driver) -> list:
    asleep = driver.engine.at[0] == "sleep" and not driver.core.input_queue.queue
    return [] if asleep else [(6, driver._advance)]


def _clients(driver) -> list:
    moves, world = [], driver.world
    unsent = [r for r in driver.view.requests if r not in world.objects]
    if unsent:
        moves.append((1, lambda: _send(driver, driver.ClientSubmits, unsent[0])))
    for r in driver.view.requests:
        fate = world.fate(r)
        if fate in ("live", "replied"):
            moves.append((0.08, lambda r=r: _send(driver, driver.UserAborts, r)))
        if fate in ("replied", "aborted") and world.has_answer(r):
            moves.append((1, lambda r=r, fate=fate: _answer(driver, r, fate)))
    return moves


def _send(driver, act, r) -> None:
    """The message arrives at the engine at once, wherever its thread stands."""
    act(r)
    driver.hooks.deliver_all()


def _answer(driver, r, fate) -> None:
    if fate == "replied":
        driver.AnswerArrives(r)
    else:
        driver.world.take_answer(r)


def _network(driver) -> list:
    moves, constants = [], driver.case.constants
    for r in driver.view.requests:
        xfer = driver.view.xfer(r)
        # Who waits for a slow peer gives up first: reads of aborted requests take longer.
        pace = 0.2 if r in driver.world.gone else 1.0
        if xfer == "flight" and driver.world.peer_up:
            moves.append((0.4 * pace, lambda r=r: driver.TransferLands(r)))
        if xfer in ("flight", "asking") and constants["LoadsMayFail"] and driver.world.may_fail(r, driver.view.xfer):
            moves.append((0.2 * pace, lambda r=r: driver.LoadFails(r)))
    late = len(driver.world.objects) > len(driver.view.requests) // 2
    if constants["PeerMayDie"] and driver.world.peer_up and late and NETWORK.reads:
        moves.append((0.05, driver.PeerDies))
    return moves


def _over(driver) -> bool:
    state = driver.observe()
    quiet = all(fate in ("answered", "aborted") for fate in state["fate"].values())
    flying = {"planned", "flight", "landed", "failed"} & set(state["xfer"].values())
    return quiet and state["phase"] == "input" and not flying and not state["aborts"] and not state["flush"]
