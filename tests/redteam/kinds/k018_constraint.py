"""Kind 18: a constraint that cuts the bug off."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 18, "a constraint that cuts the bug off"

_MODEL = "  model_values: [r1, r2]"
INPUTS = (
    Input("a state constraint", edits((YAML, _MODEL, _MODEL + "\n  constraints: [Small]"), (MODEL, "vars ==", "Small == \\A r \\in Requests : phase[r] # \"aborted\"\nvars ==")), UNAPPROVED, comment(MODEL)),
    Input("an action constraint", edits((YAML, _MODEL, _MODEL + "\n  action_constraints: [Slow]"), (MODEL, "vars ==", "Slow == page' = page\nvars ==")), UNAPPROVED, comment(MODEL)),
    Input("a constraint in a configuration of one's own", edits((YAML, _MODEL, _MODEL + "\n  config: model/mine.cfg"), (MODEL, "vars ==", "Small == transfer = \"none\"\nvars ==")), r"Not approved|mine\.cfg", comment(MODEL)),
)
