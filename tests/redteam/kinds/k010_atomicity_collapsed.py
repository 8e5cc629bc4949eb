"""Kind 10: several steps of the code collapsed into one."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import BUG_GONE, comment, edits

KIND, WHAT = 10, "several steps of the code collapsed into one"

_LANDS = "  /\\ transfer' = r\n  /\\ phase' = [phase EXCEPT ![r] = \"loading\"]"
INPUTS = (
    Input(
        "the free waits inside its step",
        edits((MODEL, "  /\\ GuardWait => transfer # r\n", "  /\\ transfer # r\n")),
        BUG_GONE,
        comment(MODEL),
    ),
    Input(
        "a start that lands at once",
        edits((MODEL, _LANDS, "  /\\ transfer' = \"none\"\n  /\\ phase' = [phase EXCEPT ![r] = \"ready\"]")),
        r"never|fire|before / aborts / Isolation",
        edits((MODEL, _LANDS, "  /\\ phase' = [phase EXCEPT ![r] = \"loading\"]\n  /\\ transfer' = r")),
    ),
    Input(
        "the free ends the transfer too",
        edits((MODEL, "  /\\ phase' = [phase EXCEPT ![r] = \"done\"]\n  /\\ UNCHANGED transfer", "  /\\ phase' = [phase EXCEPT ![r] = \"done\"]\n  /\\ transfer' = \"none\"")),
        BUG_GONE,
        comment(MODEL),
    ),
)
