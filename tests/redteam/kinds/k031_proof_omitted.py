"""Kind 31: a proof that is OMITTED, a step or QED without one."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.proofs import AUDIT, LEMMAS, PROOFS, WORD, edits, proof, proofs

KIND, WHAT = 31, "a proof that is OMITTED, a step or QED without one"

_RESET = "  BY LimitIsNatural DEF Reset, Bounded\n===="
_SAYS = r"tlaps-unproved.*(OMITTED|no proof|no QED)"
INPUTS = (
    Input("a lemma OMITTED", proof(_RESET, "  PROOF OMITTED\n====", file=LEMMAS), _SAYS, proof(_RESET, "  PROOF BY LimitIsNatural DEF Reset, Bounded\n====", file=LEMMAS), AUDIT),
    Input("a bare QED", proof("  BY <1>1, <1>2, PTL DEF Spec\n", ""), _SAYS, WORD, AUDIT),
    Input(
        "a step without a proof, deep inside",
        proof("    BY <2>2, ResetKeeps\n", "    <3>1. Bounded'\n    <3>q. QED\n      BY <3>1\n"),
        _SAYS,
        proof("    BY <2>2, ResetKeeps\n", "    <3>1. Bounded'\n      BY <2>2, ResetKeeps\n    <3>q. QED\n      BY <3>1\n"),
        AUDIT,
    ),
    Input("a SUFFICES without a proof", proof("PROVE Bounded'\n    OBVIOUS\n", "PROVE Bounded'\n"), _SAYS, WORD, AUDIT),
    Input("the proof moved into a comment", proof("  BY <1>1, <1>2, PTL DEF Spec\n", "  (* BY <1>1, <1>2, PTL DEF Spec *)\n"), _SAYS, WORD, AUDIT),
    Input("OMITTED under another keyword", proofs(edits((LEMMAS, "LEMMA ResetKeeps", "PROPOSITION ResetKeeps"), (LEMMAS, _RESET, "  OMITTED\n===="))), _SAYS, proofs(edits((LEMMAS, "LEMMA ResetKeeps", "PROPOSITION ResetKeeps"))), AUDIT),
    Input("the goal's theorem without any", proofs(lambda arena: arena.write(PROOFS, "---- MODULE CounterProofs ----\nEXTENDS Counter, CounterLemmas, TLAPS\nTHEOREM Safety == Spec => []Bounded\n====\n")), r"tlaps-theorem.*no proof of its own", WORD, AUDIT),
)
