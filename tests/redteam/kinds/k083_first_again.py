"""Kind 83: a project made anew, so that nothing of what was approved counts."""

from __future__ import annotations

from tests.redteam.arena import CI, GOALS, LOCK, YAML, Arena, Input
from tests.redteam.changes import comment, edits, several
from tests.redteam.scenes import approve_with
from vstack.specify.approvers import APPROVERS_FILE, approver_line
from vstack.specify.sshkey import ThrowawayKey

KIND, WHAT = 83, "a project made anew, so that nothing that was approved counts"

_WEAK = edits((GOALS, "page = transfer", "TRUE"))
_LENIENT = (*CI, "--first-adoption")
_PARTS = ("goals", "model", YAML, LOCK, APPROVERS_FILE)


def _anew(arena: Arena) -> None:
    """A first lock, signed by a key of the branch's own, in the old one's place."""
    _WEAK(arena)
    for name in (LOCK, APPROVERS_FILE):
        (arena.root / name).unlink()
    arena.approve()
    arena.commit()


def _move(arena: Arena, folder: str) -> None:
    (arena.root / folder).mkdir()
    for name in _PARTS:
        arena.git("mv", name, folder)


def _moved(arena: Arena) -> None:
    """In another folder the target branch has no lock: weaker goals, a new lock, and the workflow lets first ones pass."""
    _move(arena, "case")
    inside = Arena(arena.root / "case", arena.environ)
    _WEAK(inside)
    (inside.root / LOCK).unlink()
    inside.approve()
    arena.commit()


def _unlisted(arena: Arena) -> None:
    """The target branch has nothing of the project, and nobody but the agent says that it is approved."""
    for name in (LOCK, APPROVERS_FILE):
        arena.git("rm", "-q", "--cached", name)
    arena.git("commit", "-q", "-m", "no lock yet")
    arena.git("branch", "-q", "-f", "main", "HEAD")
    arena.commit("the first lock")


def _by_whom_the_branch_lists(arena: Arena) -> None:
    """A code owner has merged who may approve; the first lock is signed by one of them."""
    key = ThrowawayKey()
    approve_with(arena, key)
    arena.git("rm", "-q", "--cached", LOCK)
    arena.git("add", APPROVERS_FILE)
    arena.git("commit", "-q", "-m", "approvers")
    arena.git("branch", "-q", "-f", "main", "HEAD")
    arena.commit("the first lock")


def _another_listed(arena: Arena) -> None:
    """The target branch lists another key than the one that signed the first lock."""
    other = ThrowawayKey()
    own = arena.read(APPROVERS_FILE)
    arena.write(APPROVERS_FILE, approver_line("p@example.org", other.key_type, other.public) + "\n")
    arena.git("rm", "-q", "--cached", LOCK)
    arena.git("add", APPROVERS_FILE)
    arena.git("commit", "-q", "-m", "approvers")
    arena.git("branch", "-q", "-f", "main", "HEAD")
    arena.write(APPROVERS_FILE, own)
    arena.commit("the first lock")


INPUTS = (
    Input("a first lock in the old one's place", _anew, r"lock-not-newer|approval-not-valid", several(comment(), Arena.commit), _LENIENT),
    Input("another's key than the target branch lists", _another_listed, r"approval-not-valid", _by_whom_the_branch_lists, _LENIENT),
    Input("moved to a folder of its own", _moved, r"project-gone", several(comment(), Arena.commit), _LENIENT),
    Input("approved by nobody whom the target branch knows", _unlisted, r"first-adoption", _by_whom_the_branch_lists, CI),
)
