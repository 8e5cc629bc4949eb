"""Kind 8: a condition that no state meets, so that an action never fires."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import comment, edits

KIND, WHAT = 8, "a condition that no state meets, so that an action never fires"

_FIRES = r"never fire|did not fire|never happens|action"
INPUTS = (
    Input("a contradiction", edits((MODEL, "  /\\ phase[r] \\in {\"ready\", \"aborted\"}", "  /\\ phase[r] = \"ready\"\n  /\\ phase[r] = \"aborted\"")), _FIRES, edits((MODEL, "  /\\ phase[r] \\in {\"ready\", \"aborted\"}", "  /\\ phase[r] = \"ready\" \\/ phase[r] = \"aborted\""))),
    Input("a value that does not exist", edits((MODEL, "Land ==\n  /\\ transfer # \"none\"", "Land ==\n  /\\ transfer = \"some\"")), _FIRES, comment(MODEL)),
    Input("a state that is not reached", edits((MODEL, "  /\\ page' = \"free\"\n", "  /\\ page' = \"free\"\n  /\\ \\A q \\in Requests : phase[q] # \"new\" /\\ phase[q] # \"loading\" /\\ phase[q] = \"aborted\"\n")), _FIRES, comment(MODEL)),
)
