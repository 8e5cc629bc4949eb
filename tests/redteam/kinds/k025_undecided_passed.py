"""Kind 25: a run that was killed, or ran out of time or memory, taken for a pass."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Arena, Input
from tests.redteam.changes import comment, edits
from vstack.tools.java import find_java

KIND, WHAT = 25, "a run that was killed or ran out taken for a pass"

# A Java that reads modules as it should, and dies once TLC has said that it passed.
_DYING = """#!/bin/sh
case "$*" in *tlc2.TLC*-config*) ;; *) exec "{java}" "$@";; esac
echo "Model checking completed. No error has been found."
kill -9 $$
"""


def _killed(arena: Arena) -> None:
    arena.write("tools/bin/java", _DYING.replace("{java}", str(find_java().path)))
    (arena.root / "tools/bin/java").chmod(0o755)
    arena.environ["VSTACK_JAVA"] = str(arena.root / "tools/bin/java")
    arena.edit(MODEL, "\\* The code goes on", "\\* A further word.\n\\* The code goes on")


INPUTS = (
    Input("out of time", edits((YAML, "floors:\n", "budget:\n  seconds: 0.05\n\nfloors:\n"), (MODEL, "\\* The code goes on", "\\* A further word.\n\\* The code goes on")), r"0\.05 s|time|undecided", edits((YAML, "floors:\n", "budget:\n  seconds: 300\n\nfloors:\n"))),
    Input("out of memory", edits((YAML, "floors:\n", "budget:\n  heap_mb: 3\n  seconds: 2\n\nfloors:\n"), (MODEL, "\\* The code goes on", "\\* A further word.\n\\* The code goes on")), r"Isolation: undecided, (out of time|heap)", edits((YAML, "floors:\n", "budget:\n  heap_mb: 512\n\nfloors:\n"))),
    Input("killed after its success message", _killed, r"killed by SIGKILL", comment(MODEL)),
)
