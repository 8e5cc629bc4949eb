"""Kind 24: a simulation or a shallow search in place of the whole state space."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits, several

KIND, WHAT = 24, "a simulation or a shallow search in place of the whole state space"

_BUG = edits((MODEL, "  /\\ GuardWait => transfer # r\n", ""))
_STILL = r"after / aborts / Isolation: violated"
_LAUNCHER = "#!/bin/sh\nexec java \"$@\" -simulate num=1 -depth 1\n"


def _variables(**values: str):  # type: ignore[no-untyped-def]
    def change(arena: Arena) -> None:
        arena.environ.update(values)

    return change


def _launcher(arena: Arena) -> None:
    arena.write("tools/java", _LAUNCHER)
    (arena.root / "tools/java").chmod(0o755)
    arena.edit(YAML, "floors:\n", "tools:\n  java: tools/java\n\nfloors:\n")


_HIDDEN = _variables(JAVA_TOOL_OPTIONS="-Dtlc2.TLC.stopAfter=1", JDK_JAVA_OPTIONS="-Dtlc2.TLC.stopAfter=1", _JAVA_OPTIONS="-Dtlc2.TLC.stopAfter=1")
INPUTS = (
    Input("a launcher that adds options", _launcher, UNAPPROVED, comment(MODEL)),
    Input("a depth in the configuration", edits((YAML, "  module: model/Handover.tla", "  module: model/Handover.tla\n  depth: 3")), r"Unknown key", comment(MODEL)),
    Input("options in the environment", several(_BUG, _HIDDEN), _STILL, several(comment(MODEL), _HIDDEN)),
    Input("options in files", several(_BUG, lambda arena: arena.write("JDK_JAVA_OPTIONS", "-Dtlc2.TLC.stopAfter=1\n"), lambda arena: arena.write("model/tlc.properties", "tlc2.TLC.stopAfter=1\n")), _STILL, comment(MODEL)),
)
