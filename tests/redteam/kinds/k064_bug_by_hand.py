"""Kind 64: a bug wired in by hand, switched by a guard's constant."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, Input
from tests.redteam.changes import comment, edits, several

KIND, WHAT = 64, "a bug wired in by hand, switched by a guard's constant"

_START = "  /\\ transfer' = r\n"


def _seen(value: str):  # type: ignore[no-untyped-def]
    """A variable that tells what happened, written by Free, `seen = seen` its one reading; a goal on it, approved."""
    return several(
        edits(
            (MODEL, "vars == <<page, transfer, phase>>", "VARIABLE seen\nvars == <<page, transfer, phase, seen>>"),
            (MODEL, "  /\\ phase = [r \\in Requests |-> \"new\"]", "  /\\ phase = [r \\in Requests |-> \"new\"]\n  /\\ seen = \"good\""),
            (MODEL, "  /\\ page = \"free\"\n  /\\ page' = r\n", "  /\\ page = \"free\"\n  /\\ seen = seen /\\ UNCHANGED seen\n  /\\ page' = r\n"),
            (MODEL, "  /\\ UNCHANGED page\n", "  /\\ UNCHANGED <<page, seen>>\n"),
            (MODEL, "  /\\ UNCHANGED transfer\n", f"  /\\ seen' = {value}\n  /\\ UNCHANGED transfer\n"),
            (MODEL, "  /\\ UNCHANGED <<page, transfer>>\n", "  /\\ UNCHANGED <<page, transfer, seen>>\n"),
        ),
        edits(approve=True),
    )


INPUTS = (
    Input("a value corrupted without the guard", edits((MODEL, _START, "  /\\ transfer' = CHOOSE q \\in Requests : GuardWait => q = r\n"), approve=True), r"GuardWait", comment(MODEL)),
    Input("in Init", edits((MODEL, "  /\\ transfer = \"none\"\n", "  /\\ transfer = \"none\" /\\ GuardWait \\in BOOLEAN\n"), approve=True), r"GuardWait", comment(MODEL)),
    Input("in the goal", edits((GOALS, "CONSTANT Requests", "CONSTANTS Requests, GuardWait"), (MODEL, "  GuardWait,  \\* the fix: the page is not freed while a transfer runs\n", ""), (GOALS, "transfer # \"none\" => page", "GuardWait \\/ transfer # \"none\" => page"), approve=True), r"GuardWait", comment(MODEL)),
    Input("history that is read where it decides nothing", _seen("IF GuardWait THEN seen ELSE \"bad\""), r"only goals see it", _seen("\"good\"")),
)
