"""Kind 13: a choice narrowed: CHOOSE or a random draw in place of \\E, or fewer requests."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Arena, Input
from tests.redteam.changes import UNAPPROVED, comment, edits, several

KIND, WHAT = 13, "a choice narrowed: CHOOSE or a random draw in place of \\E"

_START = "  /\\ phase[r] = \"new\"\n  /\\ page = \"free\"\n"
_ONE = r"chooses with .*TLC takes one"
_HELPER = "First(S) == CHOOSE q \\in S : \\A p \\in S : q \\in S /\\ p = p\n\n\\* Request {r} gets"
_LEAST = "Least(S) == CHOOSE n \\in S : \\A m \\in S : n <= m\n\n\\* Request {r} gets"


def _counted(arena: Arena) -> None:
    """A floor of three quarters of the states that each run has, approved."""
    arena.edit(YAML, "  distinct_states: 10\n", "  distinct_states: 10\n  states:\n    before: {calm: 9, aborts: 18}\n    after: {calm: 9, aborts: 15}\n")
    arena.approve()


def _every_value(arena: Arena) -> None:
    """Requests that are told apart by name, each of which has to take part, approved."""
    arena.edit(YAML, "    Requests: \"{r1, r2}\"\n  model_values: [r1, r2]", "    Requests: '{\"r1\", \"r2\"}'")
    arena.edit(YAML, "  distinct_states: 10\n", "  distinct_states: 5\n  every_value: true\n")
    arena.approve()


_ALONE = edits((MODEL, _START, _START + "  /\\ \\A q \\in Requests : phase[q] = \"new\"\n"))
INPUTS = (
    Input("CHOOSE in a step", edits((MODEL, _START, _START + "  /\\ r = CHOOSE q \\in Requests : TRUE\n")), _ONE, edits((MODEL, _START, _START + "  /\\ r = CHOOSE q \\in {r} : TRUE\n"))),
    Input("through a helper that looks like a search", edits((MODEL, "\\* Request {r} gets", _HELPER), (MODEL, _START, _START + "  /\\ r = First({q \\in Requests : phase[q] = \"new\"})\n"), approve=True), _ONE, edits((MODEL, "EXTENDS Goals", "EXTENDS Goals, Naturals"), (MODEL, "\\* Request {r} gets", _LEAST), (MODEL, _START, _START + "  /\\ Least({2, 1}) = 1\n"), approve=True)),
    Input("inside a LET, with an excuse of its own", edits((MODEL, _START, _START + "  /\\ LET q == CHOOSE q \\in Requests : phase[q] = \"new\" IN r = q\n"), (YAML, "  model_values: [r1, r2]", "  model_values: [r1, r2]\n  choices: {Start: it does not matter}")), UNAPPROVED, comment(MODEL)),
    Input("a random draw, approved", edits((MODEL, "EXTENDS Goals", "EXTENDS Goals, TLC"), (MODEL, _START, _START + "  /\\ r = RandomElement(Requests)\n"), approve=True), r"draws at random", edits((MODEL, "EXTENDS Goals", "EXTENDS Goals, TLC"), approve=True)),
    Input("one request alone, its states counted", several(_counted, _ALONE), r"below the floor of", several(_counted, comment(MODEL))),
    Input("one request by its name", several(_every_value, edits((MODEL, _START, _START + "  /\\ r = \"r1\"\n"))), r"never happens with r = \"r2\"", several(_every_value, comment(MODEL))),
)
