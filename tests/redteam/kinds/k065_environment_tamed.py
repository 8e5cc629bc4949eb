"""Kind 65: a fault that comes once, at the start, or where it does no harm."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import BUG_GONE, UNAPPROVED, comment, edits

KIND, WHAT = 65, "a fault that comes once, at the start, or where it does no harm"

_LOADING = "  /\\ Aborts\n  /\\ phase[r] = \"loading\"\n"
_LAND = "  /\\ phase' = [phase EXCEPT ![transfer] = IF @ = \"loading\" THEN \"ready\" ELSE @]\n  /\\ UNCHANGED page"
INPUTS = (
    Input("at the start alone", edits((MODEL, _LOADING, "  /\\ Aborts\n  /\\ \\A q \\in Requests : phase[q] = \"new\"\n")), UNAPPROVED, comment(MODEL)),
    Input("through a helper", edits((MODEL, _LOADING, "  /\\ Aborts\n  /\\ MayAbort(r)\n"), (MODEL, "\\* Someone aborts", "MayAbort(r) == phase[r] = \"loading\" /\\ transfer = \"none\"\n\n\\* Someone aborts")), UNAPPROVED, comment(MODEL)),
    Input("where it does no harm, approved", edits((MODEL, _LOADING, "  /\\ Aborts\n  /\\ phase[r] = \"new\"\n"), approve=True), BUG_GONE, edits((MODEL, _LOADING, "  /\\ Aborts /\\ phase[r] = \"loading\"\n"), approve=True)),
    # The fault's body stays as it is; the code's own step leaves it no state to come in that matters.
    Input("by the model's own steps", edits((MODEL, "  /\\ phase' = [phase EXCEPT ![r] = \"loading\"]", "  /\\ phase' = [phase EXCEPT ![r] = IF transfer = \"none\" THEN \"ready\" ELSE \"loading\"]")), r"Abort|before / aborts / Isolation: (holds|undecided)", comment(MODEL)),
    Input("once, by the model's own steps", edits((MODEL, "  /\\ transfer' = \"none\"\n" + _LAND, "  /\\ transfer' = \"none\"\n  /\\ phase' = [phase EXCEPT ![transfer] = \"ready\"]\n  /\\ UNCHANGED page"), (MODEL, "  /\\ phase[r] \\in {\"ready\", \"aborted\"}", "  /\\ phase[r] = \"ready\"")), BUG_GONE, comment(MODEL)),
)
