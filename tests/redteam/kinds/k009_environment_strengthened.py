"""Kind 9: a fault action made rarer or harmless."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 9, "a fault action made rarer or harmless"

_ABORT = "  /\\ phase[r] = \"loading\"\n  /\\ phase' = [phase EXCEPT ![r] = \"aborted\"]"
INPUTS = (
    Input("only after the transfer", edits((MODEL, _ABORT, "  /\\ transfer = \"none\"\n" + _ABORT)), UNAPPROVED, comment(MODEL)),
    Input("only for one request", edits((MODEL, _ABORT, "  /\\ r = CHOOSE q \\in Requests : TRUE\n" + _ABORT)), UNAPPROVED, comment(MODEL)),
    Input("the knob turned off", edits((YAML, "constants: {Aborts: \"TRUE\"}", "constants: {Aborts: \"FALSE\"}")), UNAPPROVED, comment(MODEL)),
    Input("the knob turned off, approved", edits((YAML, "constants: {Aborts: \"TRUE\"}", "constants: {Aborts: \"FALSE\"}"), approve=True), r"Abort|before / aborts / Isolation: holds", comment(MODEL)),
)
