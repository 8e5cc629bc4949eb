"""Kind 2: a condition that is never met, such as a typo in a value."""

from __future__ import annotations

from tests.redteam.arena import GOALS, Input
from tests.redteam.changes import BUG_GONE, CANNOT_FAIL, comment, edits, goal

KIND, WHAT = 2, "a condition that is never met, such as a typo in a value"

_HONEST = goal("\\A r \\in Requests : phase[r] = \"loading\" => page = r")
INPUTS = (
    Input("a value that does not exist", goal("\\A r \\in Requests : phase[r] = \"laoding\" => page = r"), CANNOT_FAIL, _HONEST),
    Input("two values at once", goal("\\A r \\in Requests : phase[r] = \"ready\" /\\ phase[r] = \"done\" => page = r"), CANNOT_FAIL, _HONEST),
    Input(
        "excused from failing, and still never met",
        goal("\\A r \\in Requests : phase[r] = \"laoding\" => page = r", excuse="    excuse: it is obvious\n"),
        r"holds there for nothing",
        goal("\\A r \\in Requests : phase[r] = \"loading\" => page # \"gone\"", excuse="    excuse: it is obvious\n"),
    ),
    Input(
        "a typo in the goal itself",
        edits((GOALS, "Isolation == transfer # \"none\"", "Isolation == transfer = \"None\""), approve=True),
        BUG_GONE,
        comment(),
    ),
)
