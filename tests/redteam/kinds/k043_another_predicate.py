"""Kind 43: another Init, Next or invariant than approved."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Input
from tests.redteam.changes import UNAPPROVED, edits
from tests.redteam.symbolic import BOUNDED, INDUCTIVE, VERIFY, symbolic, wrapped

KIND, WHAT = 43, "another Init, Next or invariant than approved"

_APPROVED = symbolic(BOUNDED, approve=True)
INPUTS = (
    Input("constants of the agent's choice", symbolic(BOUNDED, edits((YAML, BOUNDED, "{goals: {Isolation: {length: 8}}, cinit: ConstInit}")), approve=True), UNAPPROVED, _APPROVED),
    Input("another relation", symbolic(BOUNDED, edits((YAML, "  module: model/Handover.tla\n", "  module: model/Handover.tla\n  next: Land\n")), approve=True), UNAPPROVED, _APPROVED),
    Input("another invariant behind the name", symbolic(INDUCTIVE, edits((MODEL, "    /\\ Isolation\n", "    /\\ (page = page)\n")), approve=True), UNAPPROVED, _APPROVED),
    Input("a program that takes another relation", symbolic(BOUNDED, wrapped("for each; do shift; case $each in --next=*) each=--next=Land;; esac; set -- \"$@\" \"$each\"; done; exec $REAL \"$@\"")), r"apalache-other\] it took Land", symbolic(BOUNDED, wrapped("exec $REAL \"$@\"")), VERIFY),
    Input("a program that takes another invariant", symbolic(BOUNDED, wrapped("for each; do shift; case $each in --inv=Isolation) each=--inv=TRUE;; esac; set -- \"$@\" \"$each\"; done; exec $REAL \"$@\"")), r"apalache-other\] it took TRUE", symbolic(BOUNDED), VERIFY),
)
