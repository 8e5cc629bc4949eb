"""Kind 11: an initial condition that is false, or leaves the bug out."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 11, "an initial condition that is false, or leaves the bug out"

_PHASE = "  /\\ phase = [r \\in Requests |-> \"new\"]"
INPUTS = (
    Input("false", edits((MODEL, _PHASE, _PHASE + "\n  /\\ FALSE")), UNAPPROVED, comment(MODEL)),
    Input("all requests done", edits((MODEL, _PHASE, "  /\\ phase = [r \\in Requests |-> \"done\"]")), UNAPPROVED, comment(MODEL)),
    Input("no initial state, approved", edits((MODEL, _PHASE, _PHASE + "\n  /\\ page = transfer"), approve=True), r"undecided|initial|no state|error|before", edits((MODEL, _PHASE, "  /\\ phase \\in [Requests -> {\"new\"}]"), approve=True)),
)
