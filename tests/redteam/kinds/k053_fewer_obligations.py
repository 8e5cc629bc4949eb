"""Kind 53: fewer obligations, or text that ends before the goal."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.changes import UNAPPROVED
from tests.redteam.offsets import APPROVED, HONEST, appears, offsets, script, text

KIND, WHAT = 53, "fewer obligations, or text that ends before the goal"

_SECOND = '        Obligation("no-wrap", ULE(start, start + step), room),\n'
_GOAL = "(assert (! (bvult slot #x7f) :named goal))"
INPUTS = (
    Input("one taken out", offsets(script(_SECOND, "")), UNAPPROVED, HONEST),
    Input("none at all", offsets(script("    return obligations", "    return obligations[2:]"), approve=True), r"z3-fewer", APPROVED),
    Input("the text ends early", offsets(text(_GOAL, f"(check-sat)\n(exit)\n{_GOAL}")), r"`exit` may not stand in a goal", offsets(text(_GOAL, f"{_GOAL}\n(check-sat)"), approve=True)),
    Input("a contradiction that is popped", offsets(text(_GOAL, f"(push)\n(assert (! false :named assume_x))\n{_GOAL}\n(pop)")), r"`push` may not stand in a goal", HONEST),
    Input("one that goes once the goal is approved", appears("del obligations[1]", "    return obligations"), UNAPPROVED, HONEST),
    Input("an assertion inside a comment's end", offsets(text(_GOAL, f"; |\n(assert false)\n; |\n{_GOAL}")), r"no name that says what it is", offsets(text(_GOAL, f"; | a bar in a comment\n{_GOAL}"), approve=True)),
)
