"""Kind 26: fairness that no behaviour satisfies."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import CANNOT_FAIL, UNAPPROVED, comment, edits

KIND, WHAT = 26, "fairness that no behaviour satisfies"

_SPEC = "Spec == Init /\\ [][Next]_vars /\\ Fairness"
INPUTS = (
    Input("a contradiction beside it", edits((MODEL, _SPEC, _SPEC + " /\\ []<>(page = \"gone\")")), UNAPPROVED, comment(MODEL)),
    Input("inside Fairness", edits((MODEL, "Fairness == WF_vars(Land)", "Fairness == []<><<FALSE>>_vars /\\ WF_vars(Land)")), UNAPPROVED, comment(MODEL)),
    Input("approved by mistake", edits((MODEL, "Fairness == WF_vars(Land)", "Fairness == []<>(page = \"gone\") /\\ WF_vars(Land)"), approve=True), CANNOT_FAIL + r"|no behaviour", comment(MODEL)),
)
