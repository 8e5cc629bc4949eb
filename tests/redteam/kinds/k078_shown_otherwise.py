"""Kind 78: characters that show the approver another text than the one that is pinned."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, YAML, Input
from tests.redteam.changes import comment, edits

KIND, WHAT = 78, "characters that show another text than is pinned"

_APPROVE = ("spec", "approve", "--demo", "--yes")
_SAYS = r"holds U\+[0-9A-F]{4}.*not what is there"
_GOAL = "Isolation == transfer # \"none\" => page = transfer\n"
INPUTS = (
    Input("a formula drawn over, approved", edits((GOALS, _GOAL, "Isolation == TRUE \\* \x1b[2K\rIsolation == transfer # \"none\" => page = transfer\n")), _SAYS, edits((GOALS, _GOAL, _GOAL + "\\* Ein Übertrag schreibt nur in seine Seite: 書き込み.\n")), _APPROVE),
    Input("a comment turned round, approved", edits((GOALS, _GOAL, "Isolation == TRUE \\/ (* \u202e refsnart = egap => \u202c*) transfer # \"none\"\n")), _SAYS, comment(), _APPROVE),
    Input("an escape in YAML, approved", edits((YAML, "title: A page is", "title: \"\\e[1A\\e[2KAS EXPECTED\" #")), _SAYS, edits((YAML, "title: A page is", "title: \"Eine Seite \\u2014 \" #")), _APPROVE),
    Input("a name with a letter of no width", edits((MODEL, "\\* The code goes on", "\\* The co\u200bde goes on")), _SAYS, comment(MODEL)),
)
