"""Kind 23: another configuration, file or folder than the approved one is run."""

from __future__ import annotations

import shutil

from tests.redteam.arena import CI, MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits, several

KIND, WHAT = 23, "another configuration, file or folder is run"

_BUG = edits((MODEL, "  /\\ GuardWait => transfer # r\n", ""))
_CFG = "SPECIFICATION Spec\nCONSTANTS Requests = {r1}\nGuardWait = TRUE\nAborts = FALSE\n"


def _beside(arena: Arena) -> None:
    for name in ("model/Handover.cfg", "Handover.cfg", "model/MC.cfg"):
        arena.write(name, _CFG)


def _elsewhere(arena: Arena) -> None:
    """The good project is moved to a subfolder; the one in the root, which the branch has, is gone."""
    for name in ("goals", "model", "vstack.yaml", "vstack.lock", "vstack.approvers"):
        (arena.root / "good").mkdir(exist_ok=True)
        shutil.move(arena.root / name, arena.root / "good" / name)
    arena.commit()


INPUTS = (
    Input("the base configuration", several(_beside, edits((YAML, "  module: model/Handover.tla", "  module: model/Handover.tla\n  config: model/Handover.cfg"))), UNAPPROVED, _beside),
    Input("a copy of the model", several(lambda arena: arena.write("old/Handover.tla", arena.read(MODEL)), _BUG, edits((YAML, "model/Handover.tla", "old/Handover.tla"))), UNAPPROVED, lambda arena: arena.write("old/Handover.tla", arena.read(MODEL))),
    Input("a configuration beside the module", several(_beside, _BUG), r"after / aborts / Isolation: violated", several(_beside, comment(MODEL))),
    Input("the project moved away", _elsewhere, r"VS114|project-gone|holds a project", comment(MODEL), CI),
)
