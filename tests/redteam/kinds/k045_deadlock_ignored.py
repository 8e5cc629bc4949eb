"""Kind 45: deadlocks or disabled steps ignored."""

from __future__ import annotations

from tests.redteam.arena import YAML, Input
from tests.redteam.changes import edits
from tests.redteam.symbolic import BOUNDED, TRANSCRIPT, VERIFY, forged, symbolic, wrapped

KIND, WHAT = 45, "deadlocks or disabled steps ignored"

INPUTS = (
    Input("an option of the section", symbolic(BOUNDED, edits((YAML, BOUNDED, "{goals: {Isolation: {length: 8}}, no_deadlock: true}"))), r"Unknown key", symbolic(BOUNDED), VERIFY),
    Input("executions that are all too short", symbolic(BOUNDED, wrapped("$REAL \"$@\" | sed s/NoError/ExecutionsTooShort/")), r"shorter than the length|cut short", symbolic(BOUNDED, wrapped("exec $REAL \"$@\"")), VERIFY),
    Input("inside a name", symbolic(BOUNDED, edits((YAML, "  module: model/Handover.tla\n", "  module: model/Handover.tla\n  next: Next --no-deadlock\n"))), r"is not defined", symbolic(BOUNDED), VERIFY),
    Input("a record of a run without it", symbolic(TRANSCRIPT, forged(extra=("--no-deadlock", "--discard-disabled=false")), tool=False), r"apalache-record\] it was recorded with .*--no-deadlock", symbolic(TRANSCRIPT), VERIFY),
)
