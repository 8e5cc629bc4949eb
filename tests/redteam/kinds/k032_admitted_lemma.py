"""Kind 32: an admitted lemma, or an assumption, that restates the goal."""

from __future__ import annotations

from tests.redteam.arena import Arena, Input
from tests.redteam.changes import UNAPPROVED
from tests.redteam.proofs import AUDIT, LEMMAS, PROOFS, WORD, edits, proofs

KIND, WHAT = 32, "an admitted lemma, or an assumption, that restates the goal"

_TOP = "LEMMA UpKeeps"


def _by(fact: str) -> str:
    return f"---- MODULE CounterProofs ----\nEXTENDS Counter, CounterLemmas, TLAPS\nTHEOREM Safety == Spec => []Bounded\n  BY {fact}\n====\n"


def _admit(text: str, fact: str, *, approve: bool = False):  # type: ignore[no-untyped-def]
    def change(arena: Arena) -> None:
        arena.edit(LEMMAS, _TOP, f"{text}\n\n{_TOP}")
        arena.write(PROOFS, _by(fact))
        if approve:
            arena.approve()

    return proofs(change)


_PROVED = proofs(edits((LEMMAS, _TOP, f"LEMMA Known == Limit + 0 = Limit\n  BY LimitIsNatural\n\n{_TOP}")))
INPUTS = (
    Input("a lemma without a proof", _admit("LEMMA Known == Spec => []Bounded", "Known"), r"tlaps-unproved.*Known has no proof", _PROVED, AUDIT),
    Input("the same under other words", _admit("Always == []Bounded\nLEMMA Known == ~Spec \\/ Always", "Known, PTL DEF Always"), r"tlaps-unproved.*Known has no proof", _PROVED, AUDIT),
    Input("an axiom", _admit("AXIOM Known == Spec => []Bounded", "Known"), UNAPPROVED + "|tlaps-assumed", _PROVED, AUDIT),
    Input("an axiom, approved by mistake", _admit("AXIOM Known == Spec => []Bounded", "Known", approve=True), r"tlaps-assumed.*Known says what goal Safety", _PROVED, AUDIT),
    Input("behind names, approved by mistake", _admit("Claim == Spec => []Bounded\nAll == Claim\nASSUME Known == All", "Known DEF All, Claim", approve=True), r"tlaps-assumed.*Known says", _PROVED, AUDIT),
    Input("an assumption without a name", _admit("ASSUME Spec => []Bounded", "PTL"), UNAPPROVED, WORD, AUDIT),
    Input("a theorem without a name or proof", _admit("THEOREM Spec => []Bounded", "PTL"), r"tlaps-unproved.*without a name", WORD, AUDIT),
)
