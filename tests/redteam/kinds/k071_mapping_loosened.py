"""Kind 71: a trace's mapping or its list of ignored events loosened until everything replays."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, Change, comment, several
from tests.redteam.scenes import record, traced, write_log

KIND, WHAT = 71, "a trace's mapping or ignored events loosened"

_FREE = "      free: {action: Free, params: {r: request}}\n"
_ABORT = "      abort: {action: Abort, params: {r: request}}\n"


def _mapping(*changes: tuple[str, str], approve: bool = False) -> Change:
    def change(arena: Arena) -> None:
        traced(arena)
        write_log(arena, record(waits=False))
        for before, after in changes:
            arena.edit(YAML, before, after)
        if approve:
            arena.approve()

    return change


_HONEST = several(traced, comment())
_PARTS = r"trace engine: .*engine\.jsonl:\d+"
INPUTS = (
    Input("an event ignored", _mapping((_FREE, ""), ("      phase: {field: phase, kind: function}\n", "      phase: {field: phase, kind: function}\n    ignore: {free: noise}\n")), UNAPPROVED, _HONEST),
    Input("the variant that has the bug", _mapping(("    variant: after\n    environment: aborts\n    events", "    variant: before\n    environment: aborts\n    events")), UNAPPROVED, _HONEST),
    Input("an event ignored, approved", _mapping((_FREE, ""), ("      phase: {field: phase, kind: function}\n", "      phase: {field: phase, kind: function}\n    ignore: {free: noise}\n"), approve=True), _PARTS, _HONEST),
    Input("an event that nothing maps, approved", _mapping((_ABORT, ""), approve=True), r"abort", _HONEST),
)
