"""Kind 19: a view or symmetry set that merges states that differ."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 19, "a view or symmetry set that merges states that differ"

_MODEL = "  model_values: [r1, r2]"
INPUTS = (
    Input("a view without the transfer", edits((YAML, _MODEL, _MODEL + "\n  view: Seen"), (MODEL, "vars ==", "Seen == <<page, phase>>\nvars ==")), UNAPPROVED, comment(MODEL)),
    Input("a symmetry set", edits((YAML, _MODEL, _MODEL + "\n  symmetry: Same"), (MODEL, "EXTENDS Goals", "EXTENDS Goals, TLC"), (MODEL, "vars ==", "Same == Permutations(Requests)\nvars ==")), UNAPPROVED, comment(MODEL)),
    Input("a view that is constant", edits((YAML, _MODEL, _MODEL + "\n  view: Seen"), (MODEL, "vars ==", "Seen == TRUE\nvars ==")), UNAPPROVED, comment(MODEL)),
)
