"""Kind 4: a goal that is true of every state."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.changes import CANNOT_FAIL, goal

KIND, WHAT = 4, "a goal that is true of every state"

_HONEST = goal("page = \"free\" \\/ phase[page] # \"new\"")
INPUTS = (
    Input("this or not this", goal("page = transfer \\/ page # transfer"), CANNOT_FAIL, _HONEST),
    Input("what the types say", goal("page \\in Requests \\cup {\"free\"}"), CANNOT_FAIL, _HONEST),
    Input(
        "true by the definition of a helper",
        goal("LET owner == page IN owner = page"),
        CANNOT_FAIL,
        goal("LET owner == page IN owner = \"free\" \\/ phase[owner] # \"new\""),
    ),
    Input("a liveness goal that holds at once", goal("<>(\\E r \\in Requests : phase[r] = \"new\")", kind="temporal"), CANNOT_FAIL, goal("[]<>(transfer = \"none\")", kind="temporal")),
)
