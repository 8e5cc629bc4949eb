"""Kind 12: a next-state relation that stops early."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 12, "a next-state relation that stops early"

_NEXT = "Next == Land \\/ \\E r \\in Requests : Start(r) \\/ Free(r) \\/ Abort(r)"
_GUARD = "Abort(r) ==\n  /\\ Aborts"
INPUTS = (
    Input("false", edits((MODEL, _NEXT, _NEXT.replace("== ", "== FALSE /\\ (") + ")")), UNAPPROVED, comment(MODEL)),
    Input(
        "a conjunct that ends it after the first step",
        edits((MODEL, "Spec == Init /\\ [][Next]_vars", "Few == \\A r \\in Requests : phase[r] = \"new\"\nSpec == Init /\\ [][Next /\\ Few]_vars")),
        UNAPPROVED,
        comment(MODEL),
    ),
    Input(
        "each action allowed only at the start",
        edits((MODEL, "  /\\ phase[r] \\in {\"ready\", \"aborted\"}", "  /\\ phase[r] \\in {\"ready\", \"aborted\"} /\\ \\A q \\in Requests : phase[q] = \"new\"")),
        r"never|fire|expected",
        comment(MODEL),
    ),
)
