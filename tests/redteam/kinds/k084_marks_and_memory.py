"""Kind 84: anchors taken off by a mark in a comment; goals where the memory of `check` does not look."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, Change, approve, comment, several
from tests.redteam.scenes import code

KIND, WHAT = 84, "anchors off by a mark, goals out of memory's sight"


def _design(arena: Arena) -> None:
    """Code with its anchors, and beside it an approved variant of our own, so that the mark is allowed at all."""
    code(arena)
    arena.edit(YAML, "variants:\n", "variants:\n  design:\n    english: Our own.\n    ours: true\n    guards: [wait]\n")
    arena.edit(YAML, "matrix:\n", "matrix:\n  design:\n    calm: {Isolation: holds, Finality: holds}\n")
    arena.approve()
    arena.merge("a design of our own")


def _unanchored(arena: Arena) -> None:
    """Each action's anchors become the mark of an action without code."""
    lines = arena.read(MODEL).split("\n")
    marked = ["\\* @ours our own design" if line.startswith("\\* @anchor") else line for line in lines]
    kept = [line for line, before in zip(marked, ["", *marked], strict=False) if line != before or "@ours" not in line]
    arena.write(MODEL, "\n".join(kept))


def _moved(folder: str) -> Change:
    """The goals lie in a folder that memory passes over, are checked there, and then weakened."""

    def change(arena: Arena) -> None:
        arena.write(f"{folder}/Goals.tla", arena.read(GOALS))
        (arena.root / GOALS).unlink()
        arena.edit(YAML, "modules: [model, goals]", f"modules: [model, {folder}]")
        arena.approve()
        arena.must("check", "-q")
        arena.edit(f"{folder}/Goals.tla", "=> page = transfer", "=> page = page")

    return change


INPUTS = (
    Input("every action marked as without code", several(_design, _unanchored), UNAPPROVED, several(_design, comment(MODEL))),
    Input("the same, approved by mistake", several(_design, _unanchored, approve), "stands for a commit and does not lack it", several(_design, comment(MODEL))),
    Input("goals among compiled files", _moved("__pycache__"), UNAPPROVED, comment()),
    Input("goals among the evidence", _moved(".vstack/goals"), UNAPPROVED, comment()),
)  # fmt: skip
