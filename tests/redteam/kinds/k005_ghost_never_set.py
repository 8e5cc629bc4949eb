"""Kind 5: a history variable that nothing sets."""

from __future__ import annotations

from tests.redteam.arena import GOALS, MODEL, Arena, Input
from tests.redteam.changes import CANNOT_FAIL, comment, goal

KIND, WHAT = 5, "a history variable that nothing sets"

def _ghost(update: str, formula: str):  # type: ignore[no-untyped-def]
    """A variable `seen` that each action keeps, or that ``Land`` writes."""

    def change(arena: Arena) -> None:
        arena.edit(GOALS, "VARIABLES\n", "VARIABLES\n  seen,      \\* what was seen\n")
        arena.edit(MODEL, "vars == <<page,", "vars == <<seen, page,")
        arena.edit(MODEL, "  /\\ page = \"free\"\n  /\\ transfer = \"none\"\n", "  /\\ seen = FALSE\n  /\\ page = \"free\"\n  /\\ transfer = \"none\"\n")
        arena.edit(MODEL, "  /\\ transfer' = r\n", "  /\\ transfer' = r\n  /\\ UNCHANGED seen\n")
        arena.edit(MODEL, "  /\\ UNCHANGED page\n", f"  /\\ UNCHANGED page\n  /\\ {update}\n")
        arena.edit(MODEL, "  /\\ UNCHANGED transfer\n", "  /\\ UNCHANGED <<transfer, seen>>\n")
        arena.edit(MODEL, "  /\\ UNCHANGED <<page, transfer>>", "  /\\ UNCHANGED <<page, transfer, seen>>")
        goal(formula)(arena)

    return change


_HONEST = _ghost("seen' = (seen \\/ page # transfer)", "~seen \\/ (\\E r \\in Requests : phase[r] = \"aborted\" \\/ phase[r] = \"done\")")
INPUTS = (
    Input("no action writes it", _ghost("UNCHANGED seen", "~seen"), CANNOT_FAIL, comment()),
    Input("it is written with its own value", _ghost("seen' = (seen /\\ TRUE)", "~seen"), CANNOT_FAIL, comment()),
    Input("its condition is never met", _ghost("seen' = (seen \\/ transfer = \"gone\")", "~seen"), CANNOT_FAIL, comment()),
)
