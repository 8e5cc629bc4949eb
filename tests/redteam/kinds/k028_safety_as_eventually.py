"""Kind 28: a safety goal recast as a liveness goal."""

from __future__ import annotations

from tests.redteam.arena import GOALS, YAML, Input
from tests.redteam.changes import BUG_GONE, UNAPPROVED, comment, edits

KIND, WHAT = 28, "a safety goal recast as a liveness goal"

_GOAL = "Isolation == transfer # \"none\" => page = transfer"
INPUTS = (
    Input("eventually", edits((GOALS, _GOAL, "Isolation == <>(transfer # \"none\" => page = transfer)"), (YAML, "    kind: invariant\n    family: isolation", "    kind: temporal\n    family: isolation")), UNAPPROVED, comment()),
    Input("again and again", edits((GOALS, _GOAL, "Isolation == []<>(transfer # \"none\" => page = transfer)"), (YAML, "    kind: invariant\n    family: isolation", "    kind: temporal\n    family: isolation"), approve=True), BUG_GONE, edits((GOALS, _GOAL, "Isolation == [](transfer # \"none\" => page = transfer)"), (YAML, "    kind: invariant\n    family: isolation", "    kind: temporal\n    family: isolation"), approve=True)),
    Input("leads to", edits((GOALS, _GOAL, "Isolation == (transfer # \"none\") ~> (page = transfer \\/ transfer = \"none\")"), (YAML, "    kind: invariant\n    family: isolation", "    kind: temporal\n    family: isolation"), approve=True), BUG_GONE, comment()),
)
