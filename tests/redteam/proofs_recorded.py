"""Kind 70 for theorems: a hand-made record of a run of tlapm."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.proofs import AUDIT, PROOFS, SAME, output, proofs, run_of, transcript

_FALSE_STEP = ("  BY <1>1, <1>2, PTL DEF Spec\n", "  BY PTL\n")


def _other(data: dict) -> None:  # type: ignore[type-arg]
    data["tool"] = "tlapm-fast"


def _words(data: dict) -> None:  # type: ignore[type-arg]
    run_of(data, "CounterProofs")["stderr"] = "All proofs checked. [INFO]: All 19 obligations proved.\n"


def _not_a_proof(arena: Arena) -> None:
    """The proof is broken, and the record of the sound one stays."""
    arena.edit(PROOFS, *_FALSE_STEP)


def _claimed(arena: Arena) -> None:
    """Whatever the record says, here nothing was proved."""


def _unclaimed(arena: Arena) -> None:
    """The same proof and record, not claimed as a goal: the goal is one that is decided here."""
    arena.write("goal.smt2", "(declare-const n Int)\n(assert (! (> n 5) :named assume_large))\n(assert (! (> (* 2 n) 6) :named goal))\n")
    text = arena.read(YAML)
    start, end = text.index("goals:\n"), text.index("policy:")
    z3 = "goals:\n  Doubling:\n    kind: z3\n    english: Twice a number above five is above six.\n    script: goal.smt2\n"
    arena.write(YAML, text[:start] + z3 + text[end:])
    arena.approve()


INPUTS = (
    Input("the record of another proof", proofs(_not_a_proof, recorded=True), r"tlaps-transcript.*CounterProofs\.tla has changed", SAME, AUDIT),
    Input("only the words that matter", transcript(_words), r"tlaps-run.*does not say how many|tlaps-run.*not what tlapm prints", SAME, AUDIT),
    Input("a tool of another name", transcript(_other), r"tlaps-transcript.*tlapm-fast", SAME, AUDIT),
    Input("failures edited away", transcript(output("CounterProofs", "[INFO]: All", "[ERROR]: 1/19 obligations failed.\n[INFO]: All")), r"tlaps-run.*does not end with the words", SAME, AUDIT),
    Input("perfect in every way", proofs(_claimed, recorded=True), r"attested, not proved here", proofs(_unclaimed, recorded=True), ("check", "-q", "--json")),
)