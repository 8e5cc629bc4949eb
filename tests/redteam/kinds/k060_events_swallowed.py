"""Kind 60: silent actions or missing comparisons, so that any trace replays."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, Change, comment, several
from tests.redteam.scenes import record, traced, write_log

KIND, WHAT = 60, "silent actions or missing comparisons, so that any trace replays"

_VARIABLES = "    variables:\n      page: page\n      transfer: transfer\n      phase: {field: phase, kind: function}\n"


def _loosened(before: str, after: str, *, approve: bool, bug: bool = True) -> Change:
    """The mapping changed; with ``bug`` the log is of code that has the bug."""

    def change(arena: Arena) -> None:
        traced(arena)
        if bug:
            write_log(arena, record(waits=False))
        arena.edit(YAML, before, after)
        if approve:
            arena.approve()

    return change


_HONEST = several(traced, comment())
INPUTS = (
    Input("silent actions", _loosened("    environment: aborts\n    events:", "    environment: aborts\n    silent: [Land, Free]\n    events:", approve=False), UNAPPROVED, _HONEST),
    Input("nothing compared, approved", _loosened(_VARIABLES, "", approve=True, bug=False), r"compares nothing", _HONEST),
    Input("one field compared that always fits, approved", _loosened(_VARIABLES, "    variables:\n      \"Requests # {}\": {field: always, optional: true}\n", approve=True, bug=False), r"compares nothing", _HONEST),
    Input("silent actions, approved", _loosened("    environment: aborts\n    events:", "    environment: aborts\n    silent: [Land]\n    events:", approve=True), r"trace engine: .*engine\.jsonl:\d+", _HONEST),
)
