"""Kind 54: the lock, the approvers, the policy or the matrix edited."""

from __future__ import annotations

from tests.redteam.arena import LOCK, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits

KIND, WHAT = 54, "the lock, the approvers, the policy or the matrix edited"

INPUTS = (
    Input("a cell in the lock", edits((YAML, "aborts: {Isolation: violated", "aborts: {Isolation: holds"), (LOCK, "      Isolation: violated", "      Isolation: holds")), r"not valid for this lock|as vstack wrote it", comment()),
    Input("the lock's signature taken out", lambda arena: _unsigned(arena), r"approved the lock|No one has approved|no-approval", comment()),
    Input("the policy", edits((YAML, "software_keys: true", "software_keys: false\n  unchecked_anchors: accept")), r"Not approved|policy", comment()),
    Input("the list of required actions", edits((YAML, "constants: {Aborts: \"TRUE\"}", "constants: {Aborts: \"TRUE\"}\n    lacks: [Land]")), UNAPPROVED, comment()),
)


def _unsigned(arena: Arena) -> None:
    text = arena.read(LOCK)
    arena.write(LOCK, text[: text.index("approvals:")] + "approvals: []\n")
