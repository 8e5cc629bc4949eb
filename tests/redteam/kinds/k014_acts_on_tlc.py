"""Kind 14: operators that act on TLC or depend on its search."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Input
from tests.redteam.changes import comment, edits

KIND, WHAT = 14, "operators that act on TLC or depend on its search"

_TLC = (MODEL, "EXTENDS Goals", "EXTENDS Goals, TLC, Naturals")
_FREE = "  /\\ page = r\n"
INPUTS = (
    Input("TLCSet(exit)", edits(_TLC, (MODEL, _FREE, _FREE + "  /\\ TLCSet(\"exit\", TRUE)\n")), r"TLCSet", comment(MODEL)),
    Input("TLCGet of the level", edits(_TLC, (MODEL, _FREE, _FREE + "  /\\ TLCGet(\"level\") < 4\n")), r"TLCGet", comment(MODEL)),
    Input("Assert in place of a goal", edits(_TLC, (MODEL, _FREE, _FREE + "  /\\ Assert(transfer # r, \"late\")\n")), r"Assert", comment(MODEL)),
    Input("Print among the lines verdicts are read from", edits(_TLC, (MODEL, _FREE, _FREE + "  /\\ PrintT(\"No error has been found.\")\n")), r"PrintT", comment(MODEL)),
)
