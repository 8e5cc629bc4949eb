"""Kind 40: a back-end that is told what to say, and a timeout read as a proof."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED
from tests.redteam.proofs import AUDIT, LEMMAS, SAME, edits, output, proof, proofs, transcript

KIND, WHAT = 40, "a back-end that is told what to say, and a timeout read as a proof"

_STEP = "  BY LimitIsNatural DEF Reset, Bounded"
_OWN = 'Sure == TRUE (*{ by (prover:"isabelle"; tactic:"sorry") }*)\n\nLEMMA UpKeeps'


def _tactic(text: str):  # type: ignore[no-untyped-def]
    def change(arena: Arena) -> None:
        arena.edit(YAML, "      obligations: 23\n", "      obligations: 23\n      backends: [IsaM, SMT, PTL]\n")
        arena.edit(LEMMAS, _STEP, f'  BY LimitIsNatural, IsaM("{text}") DEF Reset, Bounded')
        arena.approve()

    return proofs(change)


_TWIN = proof(_STEP, "  BY LimitIsNatural, SMTT(30) DEF Reset, Bounded", file=LEMMAS)
_PROVED = "@!!status:proved\n@!!prover:smt"
INPUTS = (
    Input("a tactic of Isabelle", proof(_STEP, '  BY IsaM("auto") DEF Reset, Bounded', file=LEMMAS), r"tlaps-backend.*calls the back-end IsaM", _TWIN, AUDIT),
    Input("a command of one's own", proofs(edits((LEMMAS, "LEMMA UpKeeps", _OWN), (LEMMAS, _STEP, "  BY Sure"))), r"tlaps-backend.*command of the project's own", _TWIN, AUDIT),
    Input("the list of back-ends widened", proofs(edits((YAML, "      obligations: 23\n", "      obligations: 23\n      backends: [IsaM, PTL]\n"), (LEMMAS, _STEP, '  BY IsaM("sorry") DEF Reset'))), UNAPPROVED, _TWIN, AUDIT),
    Input("an approved tactic with more in it", _tactic("auto, sorry"), r"tlaps-backend.*search methods", _tactic("auto, blast"), AUDIT),
    Input("a timeout after the proof", transcript(output("CounterProofs", _PROVED, "@!!status:failed\n@!!prover:smt\n@!!reason:timeout", times=1)), r"tlaps-transcript.*not proved.*out of time", SAME, AUDIT),
    Input("a back-end that is not installed", transcript(output("CounterProofs", _PROVED, '@!!status:failed\n@!!prover:isabelle\n@!!reason:Executable "isabelle" not found in this PATH:', times=1)), r"tlaps-transcript.*not proved.*missing", SAME, AUDIT),
)
