"""Kind 72: text inside a string that reaches a solver's input as formulas."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.proofs import AUDIT, LEMMAS, MODEL, edits, proof, proofs

KIND, WHAT = 72, "text inside a string that reaches a solver's input as formulas"

# tlapm 1.6.0-pre proves FALSE with this one: it ends the quoted name, and asserts false.
_ESCAPE = '"a|)) (assert false) (assert (not |b"'
_SAYS = r"tlaps-string"
_STEP = "  BY LimitIsNatural DEF Reset, Bounded"


def _lemma(text: str) -> str:
    return f"LEMMA Words == {text} = {text}\n  BY SMT\n\nLEMMA UpKeeps"


_PLAIN = proof("LEMMA UpKeeps", _lemma('"up, or not"'.replace(",", "")), file=LEMMAS)
INPUTS = (
    Input("in a lemma", proof("LEMMA UpKeeps", _lemma(_ESCAPE) , file=LEMMAS), _SAYS, _PLAIN, AUDIT),
    Input("in the model", proofs(edits((MODEL, "VARIABLE x\n", f"VARIABLE x\nLabel == {_ESCAPE}\n"))), _SAYS, proofs(edits((MODEL, "VARIABLE x\n", 'VARIABLE x\nLabel == "counter: up"\n'))), AUDIT),
    Input("in a step", proof(_STEP, f"  <1>1. {_ESCAPE} = {_ESCAPE} OBVIOUS\n  <1>q. QED BY <1>1, LimitIsNatural DEF Reset, Bounded", file=LEMMAS), _SAYS, proof(_STEP, '  <1>1. "a" = "a" OBVIOUS\n  <1>q. QED BY <1>1, LimitIsNatural DEF Reset, Bounded', file=LEMMAS), AUDIT),
    Input("a comment for the solver", proof("LEMMA UpKeeps", _lemma('"a;b"'), file=LEMMAS), _SAYS, _PLAIN, AUDIT),
    Input("a quote escaped", proof("LEMMA UpKeeps", _lemma('"a\\"b"'), file=LEMMAS), _SAYS, _PLAIN, AUDIT),
    Input("a field that the model never reads", proofs(edits((MODEL, "Init == x = 0", f"Note == [said |-> {_ESCAPE}]\nInit == x = 0"))), _SAYS, proofs(edits((MODEL, "Init == x = 0", 'Note == [said |-> "nothing"]\nInit == x = 0'))), AUDIT),
)
