"""Kind 22: Init, Next or Spec swapped."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 22, "Init, Next or Spec swapped"

INPUTS = (
    Input("another Spec", edits((YAML, "  module: model/Handover.tla", "  module: model/Handover.tla\n  spec: Calm"), (MODEL, "Spec ==", "Calm == Init /\\ [][Land]_vars\nSpec ==")), UNAPPROVED, comment(MODEL)),
    Input("another Next", edits((YAML, "  module: model/Handover.tla", "  module: model/Handover.tla\n  next: Some"), (MODEL, "\\* The code goes on", "Some == Land \\/ \\E r \\in Requests : Start(r)\n\\* The code goes on")), UNAPPROVED, comment(MODEL)),
    Input("another module", lambda arena: _other(arena), UNAPPROVED, comment(MODEL)),
)


def _other(arena: Arena) -> None:
    text = arena.read(MODEL).replace("MODULE Handover", "MODULE Handed").replace("  /\\ GuardWait => transfer # r\n", "  /\\ transfer # r /\\ GuardWait \\in BOOLEAN\n")
    arena.write("model/Handed.tla", text)
    arena.edit(YAML, "model/Handover.tla", "model/Handed.tla")
