"""Kind 37: an operator that a goal uses redefined."""

from __future__ import annotations

from tests.redteam.arena import GOALS, Arena, Input
from tests.redteam.changes import UNAPPROVED, approve, edits, several

KIND, WHAT = 37, "an operator that a goal uses redefined"

_HELPER = (GOALS, "Isolation == transfer # \"none\" =>", "a \\prec b == a # b\nIsolation == transfer \\prec \"none\" =>")
INPUTS = (
    Input("an infix operator", several(edits(_HELPER, approve=True), edits((GOALS, "a \\prec b == a # b", "a \\prec b == FALSE"))), UNAPPROVED, edits(_HELPER, approve=True)),
    Input("a LOCAL one", several(edits((_HELPER[0], _HELPER[1], "LOCAL " + _HELPER[2]), approve=True), edits((GOALS, "a # b", "a = b"))), UNAPPROVED, edits((_HELPER[0], _HELPER[1], "LOCAL " + _HELPER[2]), approve=True)),
    Input("by an instance", several(lambda arena: _instance(arena, "a # b"), approve, lambda arena: arena.write("goals/Cmp.tla", _CMP.format("FALSE"))), UNAPPROVED, several(lambda arena: _instance(arena, "a # b"), approve)),
)
_CMP = "---- MODULE Cmp ----\nDiffers(a, b) == {}\n====\n"


def _instance(arena: Arena, body: str) -> None:
    arena.write("goals/Cmp.tla", _CMP.format(body))
    arena.edit(GOALS, "CONSTANT Requests", "C == INSTANCE Cmp\nCONSTANT Requests")
    arena.edit(GOALS, "transfer # \"none\" =>", "C!Differs(transfer, \"none\") =>")
