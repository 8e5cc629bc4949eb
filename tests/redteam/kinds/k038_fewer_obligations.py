"""Kind 38: fewer modules or obligations than were approved."""

from __future__ import annotations

import re

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED
from tests.redteam.proofs import AUDIT, PROOFS, SAME, WORD, edits, proofs, run_of, transcript

KIND, WHAT = 38, "fewer modules or obligations than were approved"


def _drop(lower: bool):  # type: ignore[no-untyped-def]
    """Take one obligation out of the output; with ``lower`` the numbers too."""

    def edit(data: dict) -> None:  # type: ignore[type-arg]
        run = run_of(data, "CounterProofs")
        text, count = re.subn(r"@!!BEGIN\n@!!type:obligation\n@!!id:11\n.*?@!!END\n", "", run["stderr"], flags=re.DOTALL)
        assert count == 2
        run["stderr"] = text.replace("count:19", "count:18").replace("All 19", "All 18") if lower else text

    return edit


def _inline(arena: Arena) -> None:
    arena.edit(PROOFS, "Counter, CounterLemmas, TLAPS", "Counter, TLAPS")
    arena.edit(PROOFS, "BY <2>1, UpKeeps", "BY <2>1, LimitIsNatural DEF Up, Bounded")
    arena.edit(PROOFS, "BY <2>2, ResetKeeps", "BY <2>2, LimitIsNatural DEF Reset, Bounded")


INPUTS = (
    Input("an obligation left out", transcript(_drop(False)), r"tlaps-run.*counts \d+ obligations", SAME, AUDIT),
    Input("left out, and the number mended", transcript(_drop(True)), r"tlaps-run.*was not looked at", SAME, AUDIT),
    Input("the floor lowered", proofs(edits((YAML, "obligations: 23", "obligations: 2"))), UNAPPROVED, WORD, AUDIT),
    Input("a module no longer reached", proofs(_inline), r"tlaps-floor.*no longer reaches the module CounterLemmas", WORD, AUDIT),
    Input("the list of modules shortened", proofs(edits((YAML, "      modules: [CounterLemmas]\n", "")), _inline), UNAPPROVED, WORD, AUDIT),
    Input("its control left out", transcript(lambda data: data["runs"].remove(run_of(data, "control"))), r"tlaps-transcript.*0 runs of control", SAME, AUDIT),
    Input("the floor raised above what is there", proofs(edits((YAML, "obligations: 23", "obligations: 40")), lambda arena: arena.approve(), recorded=True), r"tlaps-floor.*floor is 40", SAME, AUDIT),
)