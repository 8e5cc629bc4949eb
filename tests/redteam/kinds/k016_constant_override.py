"""Kind 16: a constant or operator overridden in the configuration."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 16, "a constant or operator overridden in the configuration"

_MODEL = "  model_values: [r1, r2]"
INPUTS = (
    Input("the goal's operator", edits((YAML, _MODEL, _MODEL + "\n  overrides: {Isolation: Quiet}"), (MODEL, "vars ==", "Quiet == TRUE\nvars ==")), UNAPPROVED, comment(MODEL)),
    Input("the guard's constant", edits((YAML, _MODEL, _MODEL + "\n  overrides: {GuardWait: Always}"), (MODEL, "vars ==", "Always == TRUE\nvars ==")), UNAPPROVED + r"|overrid", comment(MODEL)),
    Input("the environment's knob", edits((YAML, _MODEL, _MODEL + "\n  overrides: {Aborts: Never}"), (MODEL, "vars ==", "Never == FALSE\nvars ==")), UNAPPROVED, comment(MODEL)),
)
