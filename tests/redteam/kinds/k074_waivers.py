"""Kind 74: a waiver that has expired, covers more than it says, or that nobody approved."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from tests.redteam.arena import GOALS, MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, Change, several

KIND, WHAT = 74, "a waiver that expired, covers more than it says, or is nobody's"

_TODAY = datetime.now(UTC).date()
_NEXT = (_TODAY + timedelta(days=30)).isoformat()
_PAST = (_TODAY - timedelta(days=3)).isoformat()
_STEPS = "[Start, Abort, Free]"
_CLASS = "FreedUnderWay == page = \"free\""
_OTHER = r"is for another bug"
_DATE = r"VS602|waiver-date"


def waived(
    *,
    until: str = _NEXT,
    steps: str = _STEPS,
    state: str = _CLASS,
    goal: str = "Isolation",
    approve: bool = True,
) -> Change:
    """The bug of `before` under `aborts` is to be gone, and waived until it is."""

    def change(arena: Arena) -> None:
        arena.edit(GOALS, "\\* Every request that", f"{state}\n\n\\* Every request that")
        arena.edit(YAML, "aborts: {Isolation: violated", "aborts: {Isolation: holds")
        given = f", steps: {steps}" if steps else ""
        arena.edit(
            YAML,
            "# Each guard taken away",
            f"waivers:\n  - {{variant: before, environment: aborts, goal: {goal}, state: {state.split()[0]}{given},"
            f" reason: mended next month, until: {until}}}\n\n# Each guard taken away",
        )
        if approve:
            arena.approve()

    return change


def _second_bug(arena: Arena) -> None:
    """Behind the known bug another of the same goal: a page taken over while its transfer runs."""
    arena.edit(
        MODEL,
        "Next == Land",
        "\\* A page is taken over.\n\\* @process scheduler\n\\* @ours no code yet\nSteal(r) ==\n  /\\ ~GuardWait\n  /\\ Aborts\n"
        "  /\\ \\E q \\in Requests : q # r /\\ page = q /\\ phase[q] = \"aborted\" /\\ phase[r] = \"new\"\n"
        "  /\\ page' = r\n  /\\ phase' = [phase EXCEPT ![r] = \"ready\"]\n  /\\ UNCHANGED transfer\n\n"
        "Next == (\\E r \\in Requests : Steal(r)) \\/ Land",
    )
    arena.edit(YAML, "    lacks: [Abort]", "    lacks: [Abort, Steal]")
    arena.edit(YAML, "    guards: [wait]", "    guards: [wait]\n    lacks: [Steal]")
    arena.approve()


def _later(arena: Arena) -> None:
    """The history says that it is long after the waiver's end: only the clock is of before."""
    date = (datetime.now(UTC) + timedelta(days=60)).isoformat()
    os.environ |= {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    try:
        arena.commit("work")
    finally:
        for name in ("GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"):
            del os.environ[name]


def _dated(until: str) -> Change:
    return lambda arena: arena.edit(YAML, f"until: {_NEXT}", f"until: {until}")


INPUTS = (
    Input("expired", waived(until=_PAST), _DATE, waived()),
    Input("nobody approved it", waived(approve=False), UNAPPROVED, waived()),
    Input("its date moved on", several(waived(), _dated("2999-01-01")), UNAPPROVED, waived()),
    Input("approved for ever", waived(until="2999-01-01"), _DATE, waived(until=(_TODAY + timedelta(days=360)).isoformat())),
    Input("the clock set back", several(waived(), _later), r"clock-behind|The clock says", several(waived(), Arena.commit)),
    Input("its class widened", several(waived(), lambda arena: arena.edit(GOALS, _CLASS, "FreedUnderWay == TRUE")), UNAPPROVED, waived()),
    Input("another bug by other steps", waived(steps="[Start, Free]", state="Any == TRUE"), _OTHER, waived(state="Freed == transfer # page")),
    Input("a second bug behind the known one", several(waived(), _second_bug), _OTHER, waived(steps="[Start, Abort, Free]")),
    Input("a class that the bug is not of", waived(state="Never == page = \"gone\""), _OTHER, waived()),
)  # fmt: skip
