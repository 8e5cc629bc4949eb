"""Kind 57: a pinned file behind a link, another case or another form of its name."""

from __future__ import annotations

from tests.redteam.arena import GOALS, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 57, "a pinned file behind a link, another case or another form of its name"

import os


def _link(arena: Arena) -> None:
    weak = arena.read(GOALS).replace("page = transfer", "TRUE")
    arena.write("elsewhere/Goals.tla", weak)
    (arena.root / GOALS).unlink()
    os.symlink("../elsewhere/Goals.tla", arena.root / GOALS)


def _folder(arena: Arena) -> None:
    arena.write("mine/Goals.tla", arena.read(GOALS).replace("page = transfer", "TRUE"))
    arena.edit(YAML, "modules: [model, goals]", "modules: [mine, model, goals]")


def _beside(arena: Arena) -> None:
    arena.write("model/Goals.tla", arena.read(GOALS).replace("page = transfer", "TRUE"))


def _honest_link(arena: Arena) -> None:
    os.rename(arena.root / "goals", arena.root / "requirements")
    os.symlink("requirements", arena.root / "goals")


INPUTS = (
    Input("a link to a weaker one", _link, UNAPPROVED, _honest_link),
    Input("a folder that is searched first", _folder, UNAPPROVED, edits((YAML, "modules: [model, goals]", "modules: [goals, model]"))),
    Input("a copy beside the model", _beside, UNAPPROVED, comment()),
)
