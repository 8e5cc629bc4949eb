"""Kind 75: a variant with a guard that its commit's code does not have."""

from __future__ import annotations

import re

from tests.redteam.arena import MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, Change, comment, several
from tests.redteam.scenes import anchor, code

KIND, WHAT = 75, "a variant with a guard that its code does not have"

_COMMAND = ("check", "-q", "--json", "--repo", "engine=upstream")
_GUARDED = "\n    guards: [wait]\n"


def _given(*, approve: bool = False, anchored: bool = False, ours: bool = False) -> Change:
    """The code before the fix is said to have the fix's condition."""

    def change(arena: Arena) -> None:
        before, after = code(arena)
        arena.edit(YAML, f"    commit: {before}\n", f"    commit: {before}{_GUARDED}" if not ours else f"    ours: true{_GUARDED}")
        arena.edit(YAML, "aborts: {Isolation: violated", "aborts: {Isolation: holds")
        if anchored:
            # An anchor in that commit, on lines that stand there but are another condition.
            text = arena.read(YAML)
            other = anchor(arena, before, 'if self.phase[self.transfer] == "loading":', 'self.phase[self.transfer] = "ready"')
            found = re.search(r'anchors: \["(.*)"\]', text)
            assert found is not None
            forged = other.rpartition(":")[0] + ":" + found[1].rpartition(":")[2]
            arena.write(YAML, text.replace(found[0], f'anchors: ["{found[1]}", "{forged}"]'))
        if approve:
            arena.approve()

    return change


_HONEST = several(code, comment(MODEL))
_NO_ANCHOR = r"has guard wait, which has no anchor in its commit"
INPUTS = (
    Input("quietly", _given(), UNAPPROVED, _HONEST, _COMMAND),
    Input("approved", _given(approve=True), _NO_ANCHOR, _HONEST, _COMMAND),
    Input("with the fix's lines said to be there, approved", _given(approve=True, anchored=True), r"hash is not that of these lines|anchor-hash", _HONEST, _COMMAND),
)
