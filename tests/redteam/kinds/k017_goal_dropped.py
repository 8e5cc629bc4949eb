"""Kind 17: a goal dropped or swapped."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 17, "a goal dropped or swapped"

INPUTS = (
    Input("the formula swapped for another", edits((YAML, "    formula: Isolation", "    formula: Finality")), UNAPPROVED + r"|temporal", comment()),
    Input("the cell removed", edits((YAML, "    aborts: {Isolation: violated, Finality: holds}", "    aborts: {Finality: holds}")), UNAPPROVED, comment()),
    Input("the whole goal removed", lambda arena: _without_finality(arena), UNAPPROVED + r"|not declared", comment()),
)


def _without_finality(arena: Arena) -> None:
    text = arena.read(YAML)
    start, end = text.index("  Finality:\n"), text.index("# Faults and freedom")
    arena.write(YAML, (text[:start] + text[end:]).replace(", Finality: holds", ""))
