"""Kind 21: deadlocks no longer looked for."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits, several

KIND, WHAT = 21, "deadlocks no longer looked for"

_REST = "\\* Everyone is served.\n\\* @process scheduler\n\\* @environment nobody asks for more\nRest == /\\ \\A r \\in Requests : phase[r] = \"done\"\n        /\\ UNCHANGED vars\n\nNext == Rest \\/ Land"


def _checked(arena: Arena) -> None:
    """A project whose every run looks for deadlocks, approved."""
    arena.edit(MODEL, "Next == Land", _REST)
    arena.edit(YAML, "environment_actions: [Abort]", "environment_actions: [Abort, Rest]")
    arena.edit(YAML, "  model_values: [r1, r2]", "  model_values: [r1, r2]\n  check_deadlock: true")
    arena.approve()


_STUCK = edits((MODEL, "  /\\ phase[r] \\in {\"ready\", \"aborted\"}", "  /\\ phase[r] \\in {\"ready\", \"aborted\"}\n  /\\ \\E q \\in Requests : phase[q] = \"new\" \\/ phase[q] = \"done\""))


def _config(arena: Arena) -> None:
    arena.write("model/base.cfg", "CHECK_DEADLOCK FALSE\n")
    arena.edit(YAML, "  module: model/Handover.tla", "  module: model/Handover.tla\n  config: model/base.cfg")


INPUTS = (
    Input("the setting", several(_checked, edits((YAML, "  check_deadlock: true\n", ""))), UNAPPROVED, several(_checked, comment(MODEL))),
    Input("in a configuration file", several(_checked, _config), UNAPPROVED, several(_checked, comment(MODEL))),
    Input("a step that is always there", several(_checked, edits((MODEL, "\\A r \\in Requests : phase[r] = \"done\"\n", "TRUE\n"))), UNAPPROVED, several(_checked, edits((MODEL, "\\A r \\in Requests : phase[r] = \"done\"\n", "\\A r \\in Requests : phase[r] = \"done\" \\* all of them\n")))),
    Input("one of the code's own that changes nothing", several(_checked, edits((MODEL, "\\* Everyone is served.", "\\* @process scheduler\n\\* @ours it looks again\nPoll == transfer' = transfer /\\ UNCHANGED <<page, phase>>\n\n\\* Everyone is served."), (MODEL, "Next == Rest", "Next == Poll \\/ Rest"), approve=True)), r"hides deadlocks", several(_checked, comment(MODEL))),
)
