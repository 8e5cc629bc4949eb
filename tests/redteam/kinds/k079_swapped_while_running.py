"""Kind 79: files swapped between what is compared with the lock and what TLC runs."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, Arena, Input
from tests.redteam.changes import Change, comment, edits, several
from vstack.tools.java import find_java

KIND, WHAT = 79, "files swapped while the check runs"

_SAYS = r"changed, or came into being, while the check ran"
_BUG = edits((MODEL, "GuardWait => transfer # r", "GuardWait \\in BOOLEAN"))
# It stands for a process in the background that waits until SANY has read the modules.
_WAITING = """#!/bin/sh
case "$*" in *XMLExporter*) ;; *) exec "{java}" "$@";; esac
"{java}" "$@"; ended=$?
cd "{root}" && {swap}
exit $ended
"""


def _then(swap: str) -> Change:
    """``swap`` is done once the modules have been read."""

    def change(arena: Arena) -> None:
        arena.write(".vstack/waiting", _WAITING.format(java=find_java().path, root=arena.root, swap=swap))
        (arena.root / ".vstack/waiting").chmod(0o755)
        arena.environ["VSTACK_JAVA"] = str(arena.root / ".vstack/waiting")

    return change


def _good_beside(arena: Arena) -> None:
    arena.write(".vstack/good.tla", arena.read(MODEL))


def _weak_beside(arena: Arena) -> None:
    arena.write(".vstack/weak.tla", arena.read(GOALS).replace("page = transfer", "page \\in Requests"))


_HONEST = several(comment(MODEL), _then("true"))
INPUTS = (
    Input("the model, for one without the bug", several(_good_beside, _BUG, _then(f"cp .vstack/good.tla {MODEL}")), _SAYS, _HONEST),
    Input("the goals, for weaker ones", several(_weak_beside, comment(MODEL), _then(f"cp .vstack/weak.tla {GOALS}")), _SAYS, _HONEST),
    Input("a module that is found first comes into being", several(_weak_beside, comment(MODEL), _then("cp .vstack/weak.tla model/Goals.tla")), _SAYS, _HONEST),
)
