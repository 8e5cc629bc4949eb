"""Kind 76: a guard that is stronger in the model than the condition in the code."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Arena, Input
from tests.redteam.changes import Change, comment, edits, several
from tests.redteam.scenes import record, traced, write_log

KIND, WHAT = 76, "a guard that is stronger in the model than in the code"

_GUARD = "  /\\ GuardWait => transfer # r\n"
_PARTS = r"trace engine: .*engine\.jsonl:\d+"
_HONEST = several(traced, edits((MODEL, _GUARD, "  /\\ ~GuardWait \\/ r # transfer\n")))


def _with(guard: str) -> Change:
    return several(traced, edits((MODEL, _GUARD, guard)))


def _unfixed(arena: Arena) -> None:
    """The code lacks the condition; its log is mapped to the variant that has it, approved."""
    traced(arena)
    write_log(arena, record(waits=False))
    arena.approve()


INPUTS = (
    Input("the code without the condition", _unfixed, _PARTS, several(traced, comment(MODEL))),
    Input("an aborted request keeps the page until another is served", _with("  /\\ GuardWait => transfer # r /\\ (phase[r] = \"aborted\" => \\E q \\in Requests : phase[q] = \"done\")\n"), _PARTS, _HONEST),
    Input("the page goes back once all have asked", _with("  /\\ GuardWait => transfer # r /\\ \\A q \\in Requests : phase[q] # \"new\"\n"), r"trace engine|Finality|never fire", _HONEST),
)
