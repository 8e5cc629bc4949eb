"""Kind 29: a further conjunct in Spec."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 29, "a further conjunct in Spec"

_SPEC = "Spec == Init /\\ [][Next]_vars /\\ Fairness"
INPUTS = (
    Input("always", edits((MODEL, _SPEC, _SPEC + " /\\ [](transfer # \"none\" => page = transfer)")), UNAPPROVED, comment(MODEL)),
    Input("a second box", edits((MODEL, _SPEC, _SPEC + " /\\ [][page' = page \\/ transfer = \"none\"]_vars")), r"Not approved|not of the form", comment(MODEL)),
    Input("behind a name", edits((MODEL, _SPEC, "Extra == [](transfer # \"none\" => page = transfer)\nSpec == Init /\\ [][Next]_vars /\\ Fairness /\\ Extra")), UNAPPROVED, comment(MODEL)),
)
