"""Kind 7: a disjunct of Next deleted."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 7, "a disjunct of Next deleted"

_NEXT = "Next == Land \\/ \\E r \\in Requests : Start(r) \\/ Free(r) \\/ Abort(r)"
INPUTS = (
    Input("the environment's action", edits((MODEL, " \\/ Abort(r)", "")), UNAPPROVED, comment(MODEL)),
    Input("an action of the code", edits((MODEL, "Start(r) \\/ Free(r)", "Start(r)")), UNAPPROVED, edits((MODEL, _NEXT, "Next ==\n  \\/ Land\n  \\/ \\E r \\in Requests : Start(r) \\/ Free(r) \\/ Abort(r)"))),
    Input("the transport's action, and what it needs", edits((MODEL, "Next == Land \\/ ", "Next == ")), UNAPPROVED, comment(MODEL)),
)
