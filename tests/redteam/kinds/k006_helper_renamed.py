"""Kind 6: the name kept, the helper behind it changed."""

from __future__ import annotations

from tests.redteam.arena import GOALS, Input
from tests.redteam.changes import UNAPPROVED, approve, edits, several

KIND, WHAT = 6, "the name kept, the helper behind it changed"

_GOAL = "Isolation == transfer # \"none\" => page = transfer"
_WITH = (GOALS, _GOAL, "Coming == transfer # \"none\"\nOwned(r) == page = r\nIsolation == Coming => Owned(transfer)")
INPUTS = (
    Input(
        "a helper without arguments",
        several(edits(_WITH, approve=True), edits((GOALS, "Coming == transfer # \"none\"", "Coming == transfer = page /\\ transfer # \"none\""))),
        UNAPPROVED,
        edits(_WITH, approve=True),
    ),
    Input(
        "a helper with an argument",
        several(edits(_WITH, approve=True), edits((GOALS, "Owned(r) == page = r", "Owned(r) == page = r \\/ page = \"free\""))),
        UNAPPROVED,
        several(edits(_WITH, approve=True), edits((GOALS, "Owned(r) == page = r", "Owned(q) == page = q"))),
    ),
    Input(
        "a helper of the same name in another module",
        several(
            edits((GOALS, "CONSTANT Requests", "EXTENDS Helpers\nCONSTANT Requests"), (GOALS, "transfer # \"none\" =>", "Differ(transfer, \"none\") =>")),
            lambda arena: arena.write("goals/Helpers.tla", "---- MODULE Helpers ----\nDiffer(a, b) == a # b\n====\n"),
            approve,
            edits(("goals/Helpers.tla", "a # b", "FALSE")),
        ),
        UNAPPROVED,
        several(
            edits((GOALS, "CONSTANT Requests", "EXTENDS Helpers\nCONSTANT Requests"), (GOALS, "transfer # \"none\" =>", "Differ(transfer, \"none\") =>")),
            lambda arena: arena.write("goals/Helpers.tla", "---- MODULE Helpers ----\nDiffer(a, b) == a # b\n====\n"),
            approve,
        ),
    ),
)
