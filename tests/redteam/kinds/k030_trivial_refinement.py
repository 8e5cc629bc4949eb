"""Kind 30: a refinement whose mapping stands still."""

from __future__ import annotations

from tests.redteam.arena import GOALS, YAML, Arena, Input
from tests.redteam.changes import Change

KIND, WHAT = 30, "a refinement whose mapping stands still"

_OWNER = """---- MODULE Owner ----
CONSTANT Requests
VARIABLES owner, given
Init == owner = "free" /\\ given = {}
Take(r) == owner = "free" /\\ r \\notin given /\\ owner' = r /\\ UNCHANGED given
Give == owner # "free" /\\ owner' = "free" /\\ given' = given \\cup {owner}
Next == (\\E r \\in Requests : Take(r)) \\/ Give
Spec == Init /\\ [][Next]_<<owner, given>>
====
"""
_DONE = "{r \\in Requests : phase[r] = \"done\"}"


def refined(owner: str, given: str = _DONE, *, helper: str = "", abstract: str = _OWNER) -> Change:
    """A goal that the page has one owner at a time, by refinement, expected to hold everywhere, approved."""

    def change(arena: Arena) -> None:
        arena.write("goals/Owner.tla", abstract)
        goal = f"{helper}\nOwners == INSTANCE Owner WITH owner <- {owner}, given <- {given}\nHandedOver == Owners!Spec\n\n"
        arena.edit(GOALS, "\\* Every request that", f"{goal}\\* Every request that")
        entry = "  HandedOver:\n    kind: temporal\n    english: One owner at a time.\n    formula: HandedOver\n"
        arena.edit(YAML, "# Faults and freedom", f"{entry}\n# Faults and freedom")
        arena.edit(YAML, "Finality: holds}", "Finality: holds, HandedOver: holds}", times=4)
        arena.approve()

    return change


_HONEST = refined("page")
_ANYTHING = _OWNER.replace("(\\E r \\in Requests : Take(r)) \\/ Give", "owner' \\in Requests \\cup {\"free\"} /\\ given' \\in SUBSET Requests")
INPUTS = (
    Input("constants", refined('"free"', "{}"), r"refinement-constant", _HONEST),
    Input("a constant behind a name", refined("Nobody", "{}", helper='Nobody == CHOOSE r \\in {"free"} : r \\notin Requests'), r"refinement-constant", refined("Owner", helper="Owner == page")),
    Input("an expression that is always the same", refined('IF page \\in {"nobody"} THEN page ELSE "free"', "{r \\in Requests : phase[r] = \"given\"}"), r"refinement-frozen: .* stands still", refined('IF page \\in Requests THEN page ELSE "free"')),
    Input("an abstract action that nobody takes", refined('IF page \\in Requests THEN page ELSE "free"', abstract=_OWNER.replace("\\/ Give\n", "\\/ Give \\/ Steal\n").replace("Next ==", "Steal == owner # \"free\" /\\ owner' \\in Requests \\ {owner} /\\ UNCHANGED given\nNext ==")), r"abstract action Steal", _HONEST),
    Input("an abstract step that may do anything", refined("page", abstract=_ANYTHING), r"goal-cannot-fail|abstract action", _HONEST),
)
