"""Kind 67: an old, weaker lock, a removed approver, or an old signature brought back."""

from __future__ import annotations

from tests.redteam.arena import CI, GOALS, LOCK, YAML, Arena, Input
from tests.redteam.changes import comment, edits, several
from tests.redteam.scenes import approve_with, restore, saved
from vstack.specify.sshkey import ThrowawayKey

KIND, WHAT = 67, "an old lock, approver or signature brought back"

_FILES = (GOALS, YAML, LOCK, "vstack.approvers")


def _stronger(arena: Arena, key: ThrowawayKey) -> None:
    """The target branch moves on: a goal is made stronger there, and approved with the same key as before."""
    edits((GOALS, "transfer # \"none\" => page = transfer", "transfer # \"none\" => page = transfer /\\ page # \"free\""))(arena)
    approve_with(arena, key)
    arena.merge("a stronger goal")


def _start(arena: Arena) -> tuple[ThrowawayKey, dict[str, bytes]]:
    """Approved with one key and merged; the files as they are before the target moves on."""
    key = ThrowawayKey()
    approve_with(arena, key)
    arena.merge("start")
    old = saved(arena, *_FILES)
    _stronger(arena, key)
    return key, old


def _old(arena: Arena) -> None:
    _, old = _start(arena)
    arena.git("checkout", "-q", "-b", "late", "main~1")
    restore(arena, old)
    arena.commit("work")


def _rival(arena: Arena) -> None:
    """Approvals on top of the old lock, until its number is past the target's."""
    key, old = _start(arena)
    restore(arena, old)
    for number in range(2):
        arena.edit(YAML, f"distinct_states: {10 + number}", f"distinct_states: {11 + number}")
        approve_with(arena, key)
    arena.commit("work")


def _signature(arena: Arena) -> None:
    """The approvals of the old lock put under a new content of the next number."""
    key, old = _start(arena)
    edits((GOALS, "page = transfer /\\ page # \"free\"", "page = transfer"))(arena)
    approve_with(arena, key)
    new, before = arena.read(LOCK), old[LOCK].decode()
    arena.write(LOCK, new[: new.index("approvals:")] + before[before.index("approvals:") :])
    arena.commit("work")


def _removed(arena: Arena) -> None:
    """The target branch takes an approver out; the agent, who has that key, brings him back."""
    key, old = _start(arena)
    approve_with(arena, ThrowawayKey())
    arena.merge("another approver")
    edits((GOALS, "page = transfer /\\ page # \"free\"", "page = transfer"))(arena)
    approve_with(arena, key)
    arena.commit("work")


_HONEST = several(_start, comment(), Arena.commit)
INPUTS = (
    Input("a branch from an old commit", _old, r"lock-not-newer|older or a rival", _HONEST, CI),
    Input("a rival lock that was counted up", _rival, r"does not come after|lock-not-successor", _HONEST, CI),
    Input("an old signature under a new lock", _signature, r"not valid for this lock", _HONEST, CI),
    Input("a removed approver", _removed, r"not in the approvers file \(main", _HONEST, CI),
)
