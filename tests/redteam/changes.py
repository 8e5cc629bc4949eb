"""Changes as values: edits of files one after the other, approved by a careless person or not."""

from __future__ import annotations

from collections.abc import Callable

from tests.redteam.arena import GOALS, MODEL, YAML, Arena

Change = Callable[[Arena], object]

UNAPPROVED = r"Not approved|unapproved-change"
UNEXPECTED = r"expected|not as expected"
BUG_GONE = r"before / aborts / Isolation: holds|Nothing breaks the goal Isolation"
CANNOT_FAIL = r"Nothing breaks the goal"


def edits(*triples: tuple[str, str, str], approve: bool = False) -> Change:
    """Replace texts in files; with ``approve`` a person then approves all that lies there."""

    def change(arena: Arena) -> None:
        for file, before, after in triples:
            arena.edit(file, before, after)
        if approve:
            arena.approve()

    return change


def several(*changes: Change) -> Change:
    """One change after the other."""

    def change(arena: Arena) -> None:
        for one in changes:
            one(arena)

    return change


def approve(arena: Arena) -> None:
    """A person approves what lies there."""
    arena.approve()


def goal(formula: str, *, kind: str = "invariant", name: str = "Extra", excuse: str = "") -> Change:
    """A further goal, expected to hold wherever `Finality` is stated, approved."""

    def change(arena: Arena) -> None:
        arena.edit(GOALS, "\\* Every request that", f"{name} == {formula}\n\n\\* Every request that")
        lines = f"  {name}:\n    kind: {kind}\n    english: A further requirement.\n    formula: {name}\n{excuse}"
        arena.edit(YAML, "# Faults and freedom", f"{lines}\n# Faults and freedom")
        arena.edit(YAML, "Finality: holds}", f"Finality: holds, {name}: holds}}", times=4)
        arena.approve()

    return change


def comment(file: str = GOALS) -> Change:
    """A change that means nothing."""
    marks = {GOALS: "\\* Every request that", MODEL: "\\* The code goes on"}
    return edits((file, marks[file], f"\\* A further word.\n{marks[file]}"))
