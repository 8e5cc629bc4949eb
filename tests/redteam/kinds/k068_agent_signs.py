"""Kind 68: a signature asked of the user's SSH agent, or made by a key of the agent's own."""

from __future__ import annotations

from tests.redteam.arena import CI, GOALS, LOCK, YAML, Arena, Input
from tests.redteam.changes import comment, edits, several
from tests.redteam.scenes import approve_with
from tests.specify.security_key import approvers_entry, signature
from vstack.specify.approvers import APPROVERS_FILE
from vstack.specify.lock import Approval, parse_lock, write_lock
from vstack.specify.sshkey import ThrowawayKey

KIND, WHAT = 68, "a signature that no person's touch stands behind"

_WEAK = edits((GOALS, "page = transfer", "TRUE"))
_PERSON = "person@example.org"


def _touch_asked(arena: Arena) -> ThrowawayKey:
    """The target branch wants a touch; it lists a person's security key, and a software key that the agent can sign with."""
    key = ThrowawayKey()
    arena.write(APPROVERS_FILE, arena.read(APPROVERS_FILE) + approvers_entry(_PERSON))
    arena.edit(YAML, "software_keys: true", "software_keys: false")
    approve_with(arena, key)
    arena.merge("the policy")
    return key


def _software(arena: Arena) -> None:
    key = _touch_asked(arena)
    _WEAK(arena)
    approve_with(arena, key)
    arena.commit("weaker")


def _own_policy(arena: Arena) -> None:
    key = _touch_asked(arena)
    _WEAK(arena)
    arena.edit(YAML, "software_keys: false", "software_keys: true")
    approve_with(arena, key)
    arena.commit("weaker")


def _by_security_key(arena: Arena, flags: int) -> None:
    arena.approve()
    path = arena.root / LOCK
    lock = parse_lock(path.read_bytes(), where=str(path))
    time = "2026-01-01T00:00:00+00:00"
    approval = Approval(principal=_PERSON, time=time, signature=signature(lock.payload(_PERSON, time), flags=flags))
    write_lock(path, lock.model_copy(update={"approvals": (approval,)}))
    arena.commit("signed")


def _untouched(arena: Arena) -> None:
    """A security key that signs without a touch (`-O no-touch-required`)."""
    _touch_asked(arena)
    _WEAK(arena)
    _by_security_key(arena, flags=0)


def _touched(arena: Arena) -> None:
    _touch_asked(arena)
    arena.edit(YAML, "distinct_states: 10", "distinct_states: 11")
    _by_security_key(arena, flags=1)


_HONEST = several(_touch_asked, comment(), Arena.commit)
_NO_TOUCH = r"does not prove a person's touch"
INPUTS = (
    Input("a software key", _software, _NO_TOUCH, _HONEST, CI),
    Input("a policy of the branch's own", _own_policy, _NO_TOUCH, _HONEST, CI),
    Input("a security key without a touch", _untouched, _NO_TOUCH, _touched, CI),
)
