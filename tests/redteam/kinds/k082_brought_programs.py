"""Kind 82: a pull request brings programs that the gate itself would run."""

from __future__ import annotations

import hashlib
import shutil
import zipfile

from tests.redteam.arena import CI, GOALS, MODEL, YAML, Arena, Input
from tests.redteam.changes import comment, edits, several
from vstack.tools.jar import find_jar

KIND, WHAT = 82, "a pull request brings programs that the gate would run"

_BUG = edits((MODEL, "  /\\ GuardWait => transfer # r\n", ""))
_STILL = r"after / aborts / Isolation: violated"
_FETCHED = (*CI, "--fetch")


def _mender(arena: Arena, name: str, then: str = "") -> str:
    """A program that puts the model back to what passes, whenever somebody runs it; its path."""
    arena.write("good.txt", arena.read(MODEL))
    arena.write(name, f"#!/bin/sh\ncp '{arena.root}/good.txt' '{arena.root}/{MODEL}'\n{then}\n")
    (arena.root / name).chmod(0o755)
    return str(arena.root / name)


def _launcher(arena: Arena) -> None:
    _mender(arena, "tools/java", 'exec java "$@"')
    _BUG(arena)
    arena.edit(YAML, "floors:\n", "tools:\n  java: tools/java\n\nfloors:\n")
    arena.commit()


def _jar(arena: Arena) -> None:
    """A jar that the target branch does name, with a class of its own in it."""
    _own_jar(arena)
    _BUG(arena)
    with zipfile.ZipFile(arena.root / "tools/tla2tools.jar", "a") as jar:
        jar.writestr("tlc2/overrides/Handover.class", b"\xca\xfe\xba\xbe")
    arena.commit()


def _own_jar(arena: Arena) -> None:
    (arena.root / "tools").mkdir()
    shutil.copy(find_jar().path, arena.root / "tools/tla2tools.jar")
    arena.edit(YAML, "floors:\n", "tools:\n  tlc_jar: tools/tla2tools.jar\n\nfloors:\n")
    arena.approve()
    arena.merge("a jar of our own")


def _anchored(arena: Arena) -> None:
    """An action anchored to code that is fetched from elsewhere, approved and merged."""
    code = arena.root.parent / f"{arena.root.name}-code"
    code.mkdir()
    arena.git("init", "-q", "-b", "main", str(code))
    line = b"self.page = request\n"
    (code / "engine.py").write_bytes(line)
    arena.git("-C", str(code), "add", "-A")
    arena.git("-C", str(code), "commit", "-q", "-m", "code")
    arena.git("-C", str(code), "config", "uploadpack.allowAnySHA1InWant", "true")
    commit, digest = arena.git("-C", str(code), "rev-parse", "HEAD"), hashlib.sha256(line).hexdigest()
    mark = f"\\* @anchor engine:engine.py:1-1@{commit} sha256:{digest}"
    text = arena.read(MODEL)
    start = text.index("Start(r) ==")
    above = text.rindex("\\* @ours", 0, start)
    arena.write(MODEL, text[:above] + mark + "\n" + text[start:])
    arena.edit(YAML, "\nmodel:\n", f'\nrepos:\n  engine: {{url: "file://{code}"}}\n\nmodel:\n')
    arena.approve()
    arena.merge("anchored")


def _repository(arena: Arena) -> None:
    """A bare repository where fetched code is kept, whose configuration names a program that git runs."""
    _anchored(arena)
    program = _mender(arena, "program")
    _BUG(arena)
    cache, other = arena.root / ".vstack/repos/engine.git", arena.root / ".vstack/other.git"
    for place in (cache, other):
        arena.git("init", "-q", "--bare", str(place))
    (cache / "objects/info/alternates").write_text(f"{other}/objects\n")
    arena.git("-C", str(cache), "config", "core.alternateRefsCommand", program)
    arena.git("add", "-A", "-f")
    arena.commit()


INPUTS = (
    Input("a launcher named as Java", _launcher, r"tools-changed", several(comment(), Arena.commit), CI),
    Input("the target branch's jar with more in it", _jar, r"tools-changed", several(_own_jar, comment(), Arena.commit), CI),
    Input("a repository that configures git", _repository, _STILL, several(_anchored, comment(GOALS), Arena.commit), _FETCHED),
)
