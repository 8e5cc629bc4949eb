"""Kind 44: steps or invariants filtered out of the search."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import edits
from tests.redteam.symbolic import BOUNDED, TRANSCRIPT, VERIFY, forged, symbolic

KIND, WHAT = 44, "steps or invariants filtered out of the search"

_FILTER = "--tuning-options=search.transitionFilter=(0->0|1->0)"


def _configured(arena: Arena) -> None:
    arena.write("tmp/.apalache.cfg", 'checker { tuning { "search.invariantFilter" = "9->0" } }\n')
    arena.environ["TMPDIR"] = str(arena.root / "tmp")


def _elsewhere(arena: Arena) -> None:
    arena.write("tmp/notes.txt", "scratch\n")
    arena.environ["TMPDIR"] = str(arena.root / "tmp")


INPUTS = (
    Input("an option of the section", symbolic(BOUNDED, edits((YAML, "{length: 8}", f"{{length: 8, options: ['{_FILTER}']}}"))), r"Unknown key", symbolic(BOUNDED), VERIFY),
    Input("inside the length", symbolic(BOUNDED, edits((YAML, "{length: 8}", f"{{length: '8 {_FILTER}'}}"))), r"valid integer", symbolic(BOUNDED), VERIFY),
    Input("inside a name", symbolic(BOUNDED, edits((YAML, BOUNDED, f"{{goals: {{Isolation: {{length: 8}}}}, cinit: 'ConstInit {_FILTER}'}}"))), r"is not defined", symbolic(BOUNDED), VERIFY),
    Input("a configuration where the search runs", symbolic(BOUNDED, _configured), r"apalache-config", symbolic(BOUNDED, _elsewhere), VERIFY),
    Input("a record of a filtered run", symbolic(TRANSCRIPT, forged(extra=(_FILTER,)), tool=False), r"apalache-record\] it was recorded with .*transitionFilter", symbolic(TRANSCRIPT), VERIFY),
)
