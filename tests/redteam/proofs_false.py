"""Kind 41 for theorems: an inductive invariant that is false, an initial state that can't be."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.proofs import AUDIT, MODEL, PROOFS, SAME, proofs, run_of, transcript

_INVARIANT = "Bounded == x \\in 0..Limit"
_STEP = "THEOREM Step == Bounded /\\ Up => Bounded'\n  BY LimitIsNatural DEF Bounded, Up\n\nTHEOREM Safety"


def _approved(*replaced: tuple[str, str], step: bool = False):  # type: ignore[no-untyped-def]
    def change(arena: Arena) -> None:
        for before, after in replaced:
            arena.edit(MODEL, before, after)
        if step:
            arena.edit(PROOFS, "THEOREM Safety", _STEP)
            arena.edit(YAML, "formula: Safety", "formula: Step")
        arena.approve()

    return proofs(change)


def _control(data: dict) -> None:  # type: ignore[type-arg]
    run = run_of(data, "control")
    run["stderr"] = run["stderr"].replace("@!!status:failed", "@!!status:proved")


_SAYS = r"tlaps-vacuous.*is false"
_TWIN = _approved((_INVARIANT, "Bounded == x \\in Nat /\\ x \\in 0..Limit"))
INPUTS = (
    Input("Inv is FALSE", _approved((_INVARIANT, "Bounded == x \\in 0..Limit /\\ FALSE"), step=True), _SAYS, _approved(step=True), AUDIT),
    Input("Inv over an empty set", _approved((_INVARIANT, "Bounded == x \\in {}"), step=True), _SAYS, _approved(step=True), AUDIT),
    Input("a theorem over no initial state", _approved(("Init == x = 0", "Init == x = 0 /\\ x # x")), _SAYS, _TWIN, AUDIT),
    Input("no initial state, behind names", _approved(("Init == x = 0", "Ready == x = 0\nInit == Ready /\\ ~Ready")), _SAYS, _TWIN, AUDIT),
    Input("an assumption that can't be", _approved(("ASSUME LimitIsNatural == Limit \\in Nat", "ASSUME LimitIsNatural == Limit \\in Nat /\\ Limit # Limit")), _SAYS, _TWIN, AUDIT),
    Input("FALSE is proved from the hypotheses", transcript(_control), r"tlaps-vacuous.*proves FALSE", SAME, AUDIT),
)
