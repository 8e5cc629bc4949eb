"""Kind 1: the invariant weakened by a disjunct or an implication."""

from __future__ import annotations

from tests.redteam.arena import GOALS, Input
from tests.redteam.changes import BUG_GONE, UNAPPROVED, comment, edits

KIND, WHAT = 1, "the invariant weakened by a disjunct or an implication"

_WEAK = "Isolation == transfer # \"none\" => page = transfer \\/ page = \"free\""
_GOAL = "Isolation == transfer # \"none\" => page = transfer"
INPUTS = (
    Input("a disjunct", edits((GOALS, _GOAL, _WEAK)), UNAPPROVED, comment()),
    Input(
        "a disjunct, approved by mistake",
        edits((GOALS, _GOAL, _WEAK), approve=True),
        BUG_GONE,
        edits((GOALS, _GOAL, "Isolation == page = transfer \\/ transfer = \"none\""), approve=True),
    ),
    Input(
        "only until a request is done",
        edits((GOALS, _GOAL, "Isolation == (\\A r \\in Requests : phase[r] # \"done\") => (transfer # \"none\" => page = transfer)"), approve=True),
        BUG_GONE,
        edits((GOALS, _GOAL, "Isolation == (\\A r \\in Requests : transfer = r => page = r)"), approve=True),
    ),
    Input(
        "behind a helper",
        edits((GOALS, _GOAL, "Mine == page = transfer \\/ page = \"free\"\nIsolation == transfer # \"none\" => Mine")),
        UNAPPROVED,
        edits((GOALS, _GOAL, "Mine == page = transfer\nIsolation == transfer # \"none\" => Mine"), approve=True),
    ),
)
