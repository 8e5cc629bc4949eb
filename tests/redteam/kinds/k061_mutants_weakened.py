"""Kind 61: the list of mutants or guards weakened."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 61, "the list of mutants or guards weakened"

INPUTS = (
    Input("a guard no longer taken away", lambda arena: _no_kill(arena), UNAPPROVED, comment()),
    Input("a kill by another goal", edits((YAML, "violates: [Isolation]", "violates: [Finality]")), UNAPPROVED, comment()),
    Input("a kill by another goal, approved", edits((YAML, "violates: [Isolation]", "violates: [Isolation, Finality]"), approve=True), r"wait|Finality", comment()),
)


def _no_kill(arena: Arena) -> None:
    text = arena.read(YAML)
    line = next(line for line in text.splitlines() if "guard: wait" in line)
    arena.write(YAML, text.replace(line + "\n", "").replace("kills:\n", "kills: []\n"))
