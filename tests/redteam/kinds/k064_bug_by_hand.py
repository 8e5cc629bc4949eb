"""Kind 64: a bug wired in by hand, switched by a guard's constant."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, Input
from tests.redteam.changes import comment, edits

KIND, WHAT = 64, "a bug wired in by hand, switched by a guard's constant"

_START = "  /\\ transfer' = r\n"
INPUTS = (
    Input("a value corrupted without the guard", edits((MODEL, _START, "  /\\ transfer' = CHOOSE q \\in Requests : GuardWait => q = r\n"), approve=True), r"GuardWait", comment(MODEL)),
    Input("in Init", edits((MODEL, "  /\\ transfer = \"none\"\n", "  /\\ transfer = \"none\" /\\ GuardWait \\in BOOLEAN\n"), approve=True), r"GuardWait", comment(MODEL)),
    Input("in the goal", edits((GOALS, "CONSTANT Requests", "CONSTANTS Requests, GuardWait"), (MODEL, "  GuardWait,  \\* the fix: the page is not freed while a transfer runs\n", ""), (GOALS, "transfer # \"none\" => page", "GuardWait \\/ transfer # \"none\" => page"), approve=True), r"GuardWait", comment(MODEL)),
)
