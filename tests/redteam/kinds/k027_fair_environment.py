"""Kind 27: fairness of the environment's actions."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 27, "fairness of the environment's actions"

_FAIR = "Fairness == WF_vars(Land)"
INPUTS = (
    Input("a user who must give up", edits((MODEL, _FAIR, "Fairness == (\\A r \\in Requests : WF_vars(Abort(r))) /\\ WF_vars(Land)")), UNAPPROVED, comment(MODEL)),
    Input("strong fairness of the code", edits((MODEL, "WF_vars(Free(r))", "SF_vars(Free(r))")), UNAPPROVED, comment(MODEL)),
    Input("fairness of all of Next", edits((MODEL, _FAIR, "Fairness == WF_vars(Next) /\\ WF_vars(Land)")), UNAPPROVED, comment(MODEL)),
)
