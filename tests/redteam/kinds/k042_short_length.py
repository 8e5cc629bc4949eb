"""Kind 42: a search of too few steps."""

from __future__ import annotations

from tests.redteam.arena import YAML, Input
from tests.redteam.changes import UNAPPROVED, edits
from tests.redteam.symbolic import BOUNDED, INDUCTIVE, VERIFY, symbolic

KIND, WHAT = 42, "a search of too few steps"

_SHORT = "{goals: {Isolation: {length: 1}}}"
_APPROVED = symbolic(BOUNDED, approve=True)
INPUTS = (
    Input("fewer than approved", symbolic(BOUNDED, edits((YAML, BOUNDED, _SHORT)), approve=True), UNAPPROVED, _APPROVED),
    Input("none", symbolic(BOUNDED, edits((YAML, BOUNDED, "{goals: {Isolation: {length: 0}}}"))), r"greater than or equal to 1", symbolic(BOUNDED), VERIFY),
    Input("too few for the known fault, approved", symbolic(_SHORT, approve=True), r"Apalache: before / aborts / Isolation: holds", _APPROVED),
    Input("bounded where an invariant was approved", symbolic(INDUCTIVE, edits((YAML, INDUCTIVE, BOUNDED)), approve=True), UNAPPROVED, symbolic(INDUCTIVE, approve=True)),
)
