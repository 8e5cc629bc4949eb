"""Kind 3: a quantifier over an empty or shrunk set."""

from __future__ import annotations

from tests.redteam.arena import GOALS, Input
from tests.redteam.changes import CANNOT_FAIL, UNAPPROVED, comment, edits, goal

KIND, WHAT = 3, "a quantifier over an empty or shrunk set"

_HONEST = goal("\\A r \\in Requests : phase[r] = \"new\" => page # r")
INPUTS = (
    Input("an empty set", goal("\\A r \\in {} : phase[r] = \"new\" => page # r"), CANNOT_FAIL, _HONEST),
    Input(
        "a set that is always empty",
        goal("\\A r \\in {q \\in Requests : phase[q] = \"waiting\"} : page # r"),
        CANNOT_FAIL,
        _HONEST,
    ),
    Input(
        "one request left out",
        edits((GOALS, "Finality == \\A r \\in Requests", "Finality == \\A r \\in Requests \\ {CHOOSE q \\in Requests : TRUE}")),
        UNAPPROVED,
        comment(),
    ),
)
