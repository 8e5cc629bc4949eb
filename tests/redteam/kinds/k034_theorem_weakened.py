"""Kind 34: the theorem weakened, or put under a stronger hypothesis."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED
from tests.redteam.proofs import AUDIT, MODEL, PROOFS, WORD, edits, proof, proofs

KIND, WHAT = 34, "the theorem weakened, or put under a stronger hypothesis"

_GOAL = "THEOREM Safety == Spec => []Bounded"
_NEW = "THEOREM Safety == ASSUME NEW {} y PROVE (Spec /\\ y = y) => []Bounded\n  OBVIOUS\n\nTHEOREM Kept == Spec => []Bounded"


def _declared(kind: str):  # type: ignore[no-untyped-def]
    def change(arena: Arena) -> None:
        arena.edit(PROOFS, _GOAL, _NEW.format("TEMPORAL"))
        arena.approve()
        arena.edit(PROOFS, "NEW TEMPORAL", f"NEW {kind}")

    return proofs(change)


INPUTS = (
    Input("a disjunct", proof(_GOAL, "THEOREM Safety == Spec => [](Bounded \\/ x > Limit)"), UNAPPROVED, WORD, AUDIT),
    Input("a hypothesis", proof(_GOAL, "THEOREM Safety == (Spec /\\ Limit = 7) => []Bounded"), UNAPPROVED, WORD, AUDIT),
    Input("an ASSUME in front", proof(_GOAL, "THEOREM Safety == ASSUME Limit > 3 PROVE Spec => []Bounded"), UNAPPROVED, WORD, AUDIT),
    Input("a definition behind it", proof("Bounded == x \\in 0..Limit", "Bounded == x \\in 0..(Limit + x)", file=MODEL), UNAPPROVED, proof("Bounded == x \\in 0..Limit", "Bounded ==\n  x \\in 0 .. Limit", file=MODEL), AUDIT),
    Input("one instant for all of them", proof(_GOAL, "THEOREM Safety == Spec => Bounded"), UNAPPROVED, WORD, AUDIT),
    Input("NEW of another level", _declared("CONSTANT"), UNAPPROVED, _declared("TEMPORAL"), AUDIT),
    Input("the goal's name on another theorem", proofs(edits((PROOFS, "THEOREM Safety", "THEOREM Start == Init => Bounded\n  BY LimitIsNatural DEF Init, Bounded\n\nTHEOREM Safety"), (YAML, "formula: Safety", "formula: Start"))), UNAPPROVED, WORD, AUDIT),
    Input("after the end of the module", proofs(lambda arena: arena.write(PROOFS, arena.read(PROOFS).replace("THEOREM Safety", "THEOREM Other") + "THEOREM Safety == Spec => []Bounded\n  BY Other\n====\n")), r"tlaps-theorem.*after the closing", WORD, AUDIT),
)
