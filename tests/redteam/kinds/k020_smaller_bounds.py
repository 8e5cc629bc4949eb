"""Kind 20: smaller constants than were approved."""

from __future__ import annotations

from tests.redteam.arena import YAML, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 20, "smaller constants than were approved"

INPUTS = (
    Input("one request", edits((YAML, "Requests: \"{r1, r2}\"", "Requests: \"{r1}\"")), UNAPPROVED, comment()),
    Input("none in one environment", edits((YAML, "constants: {Aborts: \"TRUE\"}", "constants: {Aborts: \"TRUE\", Requests: \"{}\"}")), UNAPPROVED, comment()),
    Input("one for the fix alone", edits((YAML, "    english: The design with the fix.", "    english: The design with the fix.\n    constants: {Requests: \"{r1}\"}")), UNAPPROVED, edits((YAML, "Requests: \"{r1, r2}\"", "Requests: \"{r1, r2, r3}\""), (YAML, "model_values: [r1, r2]", "model_values: [r1, r2, r3]"), approve=True)),
)
