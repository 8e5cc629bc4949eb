"""The verdict on one Z3 obligation from the solver's literal answers, and what it rests on, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vstack.verdicts import Verdict


def decided(
    facts: Mapping[str, Any], answers: Mapping[str, Any], canaries: dict[str, str], error: str | None, stopped: str
) -> tuple[Verdict, str]:
    """Whether the goal follows from assumptions that can be met, and the reason."""
    if error:
        return Verdict.ERROR, f"z3 can't read it: {error}"
    if not facts:
        return Verdict.UNDECIDED, f"Nothing was decided: {stopped}"
    if facts["says nothing"]:
        return Verdict.REFUSED, "[z3-cannot-fail] The goal speaks of no variable: it says nothing"
    if not answers:
        return Verdict.UNDECIDED, f"Not decided: {stopped}"
    if answers["assumptions"] == "unsat":
        core = f" ({', '.join(answers['contradiction'])})" if answers["contradiction"] else ""
        return (
            Verdict.REFUSED,
            f"[z3-contradiction] The assumptions contradict each other{core}: anything follows from them",
        )
    if answers["negated"] == "sat":
        if not answers["model fits"]:
            return Verdict.UNDECIDED, "z3's counterexample does not fit the formulas"
        return Verdict.VIOLATED, "Counterexample: " + (
            ", ".join(f"{k} = {v}" for k, v in sorted(answers["model"].items())) or "any values"
        )
    if canaries != {"false goal": "sat", "true goal": "unsat"}:
        # A canary that ran out of time says nothing against the solver; a wrong answer does.
        wrong = any(
            answer not in (right, "unknown") for answer, right in zip(canaries.values(), ("sat", "unsat"), strict=False)
        )
        return (
            Verdict.ERROR if wrong else Verdict.UNDECIDED
        ), f"The solver was asked about a goal known to be false and one known to be true, and said {canaries}"
    if answers["negated"] != "unsat":
        return Verdict.UNDECIDED, f"z3 does not know whether the goal follows: {answers['negated why']}"
    if answers["assumptions"] != "sat":
        return Verdict.UNDECIDED, f"z3 does not know whether the assumptions can be met: {answers['assumptions why']}"
    if answers["core"] is not None and "(the goal)" not in answers["core"]:
        return Verdict.REFUSED, "[z3-contradiction] The contradiction does not need the goal"
    return Verdict.HOLDS, f"Proved ({facts['logic']})"


def says_nothing_new(facts: Mapping[str, Any], needs: Mapping[str, Any]) -> tuple[Verdict, str] | None:
    """Why a goal that follows is worth nothing all the same; only an excuse in the lock lets it stand."""
    if facts["restating"]:
        return Verdict.REFUSED, f"[z3-assumed] The goal itself is assumed, by {', '.join(facts['restating'])}"
    if needs.get("without any") == "unsat":
        return (
            Verdict.REFUSED,
            "[z3-cannot-fail] The goal is true of all values, whatever is assumed: nothing can make it fail",
        )
    if needs.get("vacuous"):
        return (
            Verdict.REFUSED,
            f"[z3-vacuous] It follows without its part {'; '.join(needs['vacuous'][:3])}, whose condition is never met",
        )
    if needs.get("restating"):
        return (
            Verdict.REFUSED,
            f"[z3-assumed] Given the other assumptions, {', '.join(needs['restating'])} says just what the goal says",
        )
    if not needs.get("in time"):
        return Verdict.UNDECIDED, "Proved, but there was no time left to see what it rests on"
    return None


def needs_words(needs: Mapping[str, Any], has_assumptions: bool, excuse: str) -> list[str]:
    """What a proved goal rests on, in words."""
    notes = [f"excused: {excuse}"] if excuse else []
    if needs.get("without any") == "unsat":
        return [*notes, "it holds without any assumption" if has_assumptions else "it has no assumption"]
    if needs.get("core"):
        notes.append(f"rests on {', '.join(needs['core'])}")
    if needs.get("rephrasing"):
        notes.append(f"given the rest, {', '.join(needs['rephrasing'])} says the same in other symbols")
    if needs.get("dispensable"):
        notes.append(f"not needed: {', '.join(needs['dispensable'])} (each taken away alone)")
    if needs.get("idle"):
        notes.append(f"it follows without its condition {'; '.join(needs['idle'][:3])}")
    if needs.get("untried") or not needs:
        notes.append("not known of every assumption whether it is needed")
    return notes


def unapproved(mine: Mapping[str, str], approved: Mapping[str, str] | None) -> str:
    """What among the hashes ``mine`` is not in the approved lock."""
    if approved is None:
        return ""
    for name, value in mine.items():
        if name not in approved:
            return f"`{name}` is not in the approved lock"
        if approved[name] != value:
            return f"`{name}` is another formula than the approved one"
    return ""
