"""Kind 46: other type annotations, or other bounds of Gen."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, Input
from tests.redteam.changes import UNAPPROVED, edits
from tests.redteam.symbolic import BOUNDED, Change, symbolic

KIND, WHAT = 46, "other type annotations, or other bounds of Gen"

_CHOSEN = "{goals: {Isolation: {length: 8}}, cinit: ConstInit}"


def _comment(section: str) -> Change:
    return symbolic(section, edits((GOALS, "VARIABLES\n", "\\* What changes.\nVARIABLES\n")), approve=True)


_TWIN = _comment(BOUNDED)
INPUTS = (
    Input("a variable's type", symbolic(BOUNDED, edits((GOALS, "@type: Str -> $phase;", "@type: Int -> $phase;")), approve=True), r"Not approved: apalache: annotations", _TWIN),
    Input("an alias", symbolic(BOUNDED, edits((GOALS, "phase = Str;", "phase = Bool;")), approve=True), r"Not approved: apalache: annotations", _TWIN),
    Input("an annotation taken away", symbolic(BOUNDED, edits((GOALS, "  \\* @type: Str;\n  transfer", "  transfer")), approve=True), r"Not approved: apalache: annotations", _TWIN),
    Input("the bound of Gen", symbolic(_CHOSEN, edits((MODEL, "Gen(2)", "Gen(0)")), approve=True), UNAPPROVED, _TWIN),
    Input("what Gen is", symbolic(_CHOSEN, edits((MODEL, "THEN {1, 2} ELSE", "THEN {1} ELSE")), approve=True), UNAPPROVED, _TWIN),
)
