"""Kind 77: a variant, a kill or a trace with a world, or a guard, of its own."""

from __future__ import annotations

from tests.redteam.arena import YAML, Input
from tests.redteam.changes import comment, edits, several
from tests.redteam.scenes import traced

KIND, WHAT = 77, "a variant, kill or trace with a world or guard of its own"

_AFTER = "    english: The design with the fix.\n    ours: true\n"
_TAMED = "Variant after sets Aborts, which the environment"
_SWITCHED = r"sets GuardWait, which switches guard wait"
INPUTS = (
    Input("the fix in a world without faults, approved", edits((YAML, _AFTER, _AFTER + "    constants: {Aborts: \"FALSE\"}\n    lacks: [Abort]\n"), approve=True), _TAMED, comment()),
    Input("a guard switched on by the world, approved", edits((YAML, "constants: {Aborts: \"TRUE\"}", "constants: {Aborts: \"TRUE\", GuardWait: \"TRUE\"}"), approve=True), _SWITCHED, comment()),
    Input("a trace of the code before the fix, as if after it, approved", several(traced, edits((YAML, "    variant: after\n    environment: aborts\n    events", "    variant: after\n    environment: aborts\n    constants: {GuardWait: \"FALSE\"}\n    events"), approve=True)), _SWITCHED, several(traced, comment())),
    Input("a guard taken away by a kill's constants, approved", edits((YAML, "violates: [Isolation]}", "violates: [Isolation], constants: {GuardWait: \"FALSE\"}}"), approve=True), _SWITCHED, comment()),
)
