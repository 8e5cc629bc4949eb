"""Kind 62: an anchor on a line that does not do it, or of a commit that is not the variant's."""

from __future__ import annotations

import re

from tests.redteam.arena import MODEL, Arena, Input
from tests.redteam.changes import Change, comment, several
from tests.redteam.scenes import anchor, code

KIND, WHAT = 62, "an anchor on other lines, or of another commit"

_COMMAND = ("check", "-q", "--json", "--repo", "engine=upstream")
_ANCHOR = re.compile(r"engine:engine\.py:\d+-\d+@([0-9a-f]{40}) sha256:[0-9a-f]+")


def _moved(change: Change | None = None, *, lines: str = "", digest: str = "", commit: str = "") -> Change:
    """The first anchor of the model with other lines, hash or commit, approved."""

    def made(arena: Arena) -> None:
        code(arena)
        text = arena.read(MODEL)
        found = _ANCHOR.search(text)
        assert found is not None
        old = found[0]
        new = re.sub(r":\d+-\d+@", f":{lines}@", old) if lines else old
        new = re.sub(r"sha256:\w+", f"sha256:{digest}", new) if digest else new
        new = new.replace(found[1], commit) if commit else new
        arena.write(MODEL, text.replace(old, new, 1))
        arena.approve()

    return made


def _blank(arena: Arena) -> None:
    """The lines of a docstring, with their own right hash."""
    before, _ = code(arena)
    text = arena.read(MODEL)
    found = _ANCHOR.search(text)
    assert found is not None
    right = anchor(arena, before, '"""A page that requests use one after the other."""', '"""A page that requests use one after the other."""')
    arena.write(MODEL, text.replace(found[0], right, 1))
    arena.approve()


_HONEST = several(code, comment(MODEL))
INPUTS = (
    Input("other lines", _moved(lines="9-10"), r"anchor-hash|hash is not that of these lines|lines with that hash", _HONEST, _COMMAND),
    Input("a hash of its own", _moved(digest="0123456789abcdef"), r"hash is not that of these lines", _HONEST, _COMMAND),
    Input("a commit that nobody has", _moved(commit="12" * 20), r"anchor-commit|no such commit|lacks|does not have", _HONEST, _COMMAND),
    Input("lines that do nothing", _blank, r"holds no code", _HONEST, _COMMAND),
)
