"""Kind 56: git's history, refs or hooks bent so that another base is compared with."""

from __future__ import annotations

from tests.redteam.arena import CI, GOALS, Arena, Input
from tests.redteam.changes import comment, edits, several

KIND, WHAT = 56, "git's history, refs or hooks bent so that another base is compared with"

_WEAK = edits((GOALS, "page = transfer", "TRUE"))


def _no_verify(arena: Arena) -> None:
    arena.must("init", "--git-hook")
    _WEAK(arena)
    arena.git("add", "-A")
    arena.git("commit", "-q", "--no-verify", "-m", "weaker")


def _replaced(arena: Arena) -> None:
    """The target branch's commit is given another content in this clone: one with the weaker goal, approved by the agent."""
    main = arena.git("rev-parse", "main")
    _WEAK(arena)
    arena.approve()
    commit = arena.commit("weaker")
    arena.git("replace", "-f", main, commit)


def _tag(arena: Arena) -> None:
    _WEAK(arena)
    arena.approve()
    arena.git("tag", "main", arena.commit("weaker"))


def _orphan(arena: Arena) -> None:
    _WEAK(arena)
    for name in ("vstack.lock", "vstack.approvers"):
        (arena.root / name).unlink()
    arena.git("checkout", "-q", "--orphan", "fresh")
    arena.approve()
    arena.commit("start")


_HONEST = several(comment(), Arena.commit)
INPUTS = (
    Input("the hook passed by", _no_verify, r"Not approved", _HONEST, CI),
    Input("the target's commit replaced", _replaced, r"does not prove|not valid|not in the approvers|VS1|lock-not|no-approval|approval-not-valid", _HONEST, CI),
    Input("a tag of the branch's name", _tag, r"ambiguous", lambda arena: arena.git("tag", "v1"), CI),
    Input("a history of its own", _orphan, r"lock-not|approval-not-valid", _HONEST, CI),
)
