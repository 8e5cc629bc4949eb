"""Kind 70: a transcript of a tool that is not installed."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Arena, Input
from tests.redteam.changes import edits
from tests.redteam.proofs_recorded import INPUTS as OF_THEOREMS
from tests.redteam.symbolic import BOUNDED, TRANSCRIPT, VERIFY, forged, stand_in, symbolic

KIND, WHAT = 70, "a transcript of a tool that is not installed"

def _earlier(arena: Arena) -> None:
    """Decided here once, and then the tool is gone."""
    arena.environ["VSTACK_APALACHE"] = str(stand_in())
    arena.must(*VERIFY)
    del arena.environ["VSTACK_APALACHE"]


INPUTS = (
    Input("a clean run of Apalache", symbolic(TRANSCRIPT, forged(), tool=False), r"attested, not recomputed: Apalache is not installed here, and a record says holds", symbolic(TRANSCRIPT), VERIFY),
    Input("of the model before it was changed", symbolic(TRANSCRIPT, forged(), edits((MODEL, "/\\ GuardWait => transfer # r", "/\\ GuardWait => ~(transfer = r)")), tool=False), r"apalache-record\] .* has changed since", symbolic(TRANSCRIPT), VERIFY),
    Input("no transcript, but evidence of an earlier run", symbolic(BOUNDED, _earlier, tool=False), r"Apalache is not installed", symbolic(BOUNDED), VERIFY),
    Input("a file that is no transcript", symbolic(TRANSCRIPT, lambda arena: arena.write("apalache.json", "The outcome is: NoError\n"), tool=False), r"no transcript", symbolic(TRANSCRIPT), VERIFY),
    *OF_THEOREMS,
)
