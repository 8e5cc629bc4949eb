"""Kind 55: the runner, the jar or Java swapped, or loaded with other code."""

from __future__ import annotations

import shutil
import zipfile

from tests.redteam.arena import MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits, several
from vstack.tools.jar import find_jar

KIND, WHAT = 55, "the runner, the jar or Java swapped, or loaded with other code"

_BUG = edits((MODEL, "  /\\ GuardWait => transfer # r\n", ""))
_STILL = r"after / aborts / Isolation: violated"
_GREEN = "raise SystemExit(0)\n"


def _jar(arena: Arena) -> None:
    (arena.root / "tools").mkdir()
    shutil.copy(find_jar().path, arena.root / "tools/tla2tools.jar")
    with zipfile.ZipFile(arena.root / "tools/tla2tools.jar", "a") as jar:
        jar.writestr("tlc2/overrides/Handover.class", b"\xca\xfe\xba\xbe")
    arena.edit(YAML, "floors:\n", "tools:\n  tlc_jar: tools/tla2tools.jar\n\nfloors:\n")


def _class_path(arena: Arena) -> None:
    """Classes that TLC would load for a module of this name, if they lay on its class path."""
    for name in ("model/Handover.class", "tlc2/overrides/TLCOverrides.class", "tlc2/tool/ModelChecker.class"):
        path = arena.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\xca\xfe\xba\xbe not a class")
    arena.environ |= {"CLASSPATH": f"{arena.root}:{arena.root}/model", "JAVA_TOOL_OPTIONS": f"-Xbootclasspath/a:{arena.root}"}


def _python(arena: Arena) -> None:
    """Modules of the project's folder that Python would take before its own."""
    for name in ("yaml.py", "click.py", "pydantic/__init__.py", "vstack/__init__.py", "sitecustomize.py"):
        arena.write(name, _GREEN)


INPUTS = (
    Input("a jar of the project's own", _jar, UNAPPROVED, comment(MODEL)),
    Input("classes beside the model", several(_BUG, _class_path), _STILL, several(comment(MODEL), _class_path)),
    Input("Python modules in the project", several(_BUG, _python), _STILL, several(comment(MODEL), _python)),
)
