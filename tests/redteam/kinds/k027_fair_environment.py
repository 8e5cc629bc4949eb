"""Kind 27: fairness of the environment's actions."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Input
from tests.redteam.changes import UNAPPROVED, Change, comment, edits

KIND, WHAT = 27, "fairness of the environment's actions"

_FAIR = "Fairness == WF_vars(Land)"
_LISTED = (YAML, "constants: {Aborts: \"TRUE\"}", "constants: {Aborts: \"TRUE\"}\n    fair: [Abort]")
_FAULT = r"makes the fault Abort happen"


def _fair(text: str, *, listed: bool = False) -> Change:
    """More fairness, approved by a careless person; an honest one has the environment list the fault."""
    return edits((MODEL, _FAIR, f"{text} /\\ WF_vars(Land)"), *([_LISTED] if listed else []), approve=True)


_USER = "Fairness == (\\A r \\in Requests : WF_vars(Abort(r)))"
_NAMED = "GivesUp == \\E r \\in Requests : Abort(r)\n\nTired == SF_vars(GivesUp)\n\nFairness == Tired"
_INLINED = (
    "Fairness == (\\A r \\in Requests : WF_vars(/\\ phase[r] = \"loading\" /\\ phase' = [phase EXCEPT ![r] = \"aborted\"]"
    " /\\ UNCHANGED <<page, transfer>>))"
)
INPUTS = (
    Input("approved: a user who must give up", _fair(_USER), _FAULT, _fair(_USER, listed=True)),
    Input("a user who must give up", edits((MODEL, _FAIR, _USER + " /\\ WF_vars(Land)")), UNAPPROVED, comment(MODEL)),
    Input("strong fairness of the code", edits((MODEL, "WF_vars(Free(r))", "SF_vars(Free(r))")), UNAPPROVED, comment(MODEL)),
    Input("fairness of all of Next", edits((MODEL, _FAIR, "Fairness == WF_vars(Next) /\\ WF_vars(Land)")), UNAPPROVED, comment(MODEL)),
    Input("approved: fairness of all of Next", _fair("Fairness == WF_vars(Next)"), _FAULT, _fair("Fairness == WF_vars(Next)", listed=True)),
    Input("approved: behind two names", _fair(_NAMED), _FAULT, _fair(_NAMED, listed=True)),
    Input("approved: the fault written out", _fair(_INLINED), r"VS303|actions that Next takes by name", _fair("Fairness == WF_vars(\\E r \\in Requests : Start(r))")),
    Input("listed and not approved", edits((MODEL, _FAIR, _USER + " /\\ WF_vars(Land)"), _LISTED), UNAPPROVED, comment(MODEL)),
    Input("the policy loosened", edits((YAML, "unlisted_fairness: refuse", "unlisted_fairness: count")), UNAPPROVED, comment(MODEL)),
)  # fmt: skip
