"""Kind 15: an assumption that no one approved."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 15, "an assumption that no one approved"

INPUTS = (
    Input("an ASSUME in the model", edits((MODEL, "vars ==", "ASSUME Aborts = FALSE\nvars ==")), UNAPPROVED, comment(MODEL)),
    Input("an AXIOM in the goals", edits((GOALS, "VARIABLES", "AXIOM Requests = {}\nVARIABLES")), UNAPPROVED, comment()),
    Input("an ASSUME that is true here", edits((MODEL, "vars ==", "ASSUME GuardWait \\in BOOLEAN\nvars ==")), UNAPPROVED + r"|guard-constant", edits((MODEL, "vars ==", "ASSUME Aborts \\in BOOLEAN\nvars =="), approve=True)),
)
