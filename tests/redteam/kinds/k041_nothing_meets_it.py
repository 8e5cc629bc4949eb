"""Kind 41: an invariant or an Init that nothing meets."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import edits
from tests.redteam.proofs_false import INPUTS as OF_THEOREMS
from tests.redteam.symbolic import BOUNDED, INDUCTIVE, VERIFY, symbolic

KIND, WHAT = 41, "an invariant or an Init that nothing meets"

_KEPT = "/\\ Isolation\n"
INPUTS = (
    Input("no initial state", symbolic(BOUNDED, edits((MODEL, '/\\ transfer = "none"\n', '/\\ transfer = "none" /\\ transfer \\in Requests\n'))), r"apalache-empty\] no initial state", symbolic(BOUNDED), VERIFY),
    Input("an invariant that is false", symbolic(INDUCTIVE, edits((MODEL, _KEPT, "/\\ Isolation /\\ page = transfer /\\ page = \"free\"\n"))), r"an initial state does not meet IndInv", symbolic(INDUCTIVE), VERIFY),
    Input("neither", symbolic(INDUCTIVE, edits((MODEL, _KEPT, "/\\ Isolation /\\ page # page\n"), (MODEL, '/\\ page = "free"\n  /\\ transfer = "none"\n', '/\\ page = "free" /\\ page # page\n  /\\ transfer = "none"\n'))), r"apalache-empty\] no initial state", symbolic(INDUCTIVE, edits((MODEL, _KEPT, "/\\ Isolation /\\ page = page\n"))), VERIFY),
    Input("an invariant that speaks of the start alone", symbolic(INDUCTIVE, edits((MODEL, _KEPT, '/\\ Isolation /\\ page = "free"\n'))), r"a step leads out of IndInv", symbolic(INDUCTIVE), VERIFY),
    *OF_THEOREMS,
)
