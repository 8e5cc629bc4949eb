"""Decides obligations from their SMT-LIB text in a fresh interpreter that runs nothing of the project.

Reads a job file, prints one JSON object a line. Every check is by z3's own
parser and a new solver; only its literal answers count.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import z3

from vstack.verify.isolation import limit_resources
from vstack.verify.z3_digest import digest, is_closed_ground, logic
from vstack.verify.z3_needs import Ask, conjuncts, needs

_CANARY = "(declare-const vstack_canary Int)"


class _Timer:
    """The time that is left for all checks together, in milliseconds."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self) -> int:
        return int((self.end - time.monotonic()) * 1000)


def main(arguments: list[str]) -> None:
    """Argument: a JSON file with `mode` (`digest` or `solve`), `seconds`, `memory_mb` and `obligations`."""
    job = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    limit_resources(seconds=job["seconds"] * 2 + 10, memory_mb=job["memory_mb"])
    z3.set_param("memory_max_size", job["memory_mb"])
    timer = _Timer(job["seconds"])
    if job["mode"] == "solve":
        _say({"canaries": _canaries(timer)})
    proved: dict[int, list[z3.BoolRef]] = {}
    for number, obligation in enumerate(job["obligations"]):
        try:
            terms = _parse(obligation)
        except z3.Z3Exception as error:
            _say({"number": number, "error": _text(error)})
            continue
        _say({"number": number, "facts": _facts(obligation, terms)})
        if job["mode"] == "solve":
            answers = _decide(obligation, terms, timer)
            _say({"number": number, "answers": answers})
            if answers.get("negated") == "unsat":
                proved[number] = terms
    for number, terms in proved.items():
        names = [name for name, _ in job["obligations"][number]["assumptions"]]
        _say({"number": number, "needs": needs(names, terms, _asking(timer)) | {"in time": timer.left() > 0}})
    _say({"done": True})


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _text(error: z3.Z3Exception) -> str:
    value = error.value if hasattr(error, "value") else str(error)
    return (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)).strip()[:2000]


def _parse(obligation: dict[str, Any]) -> list[z3.BoolRef]:
    """The assumptions' formulas, then the goal's."""
    terms = [*(term for _, term in obligation["assumptions"]), obligation["goal"]]
    text = obligation["declarations"] + "\n" + "\n".join(f"(assert {term})" for term in terms)
    found = list(z3.parse_smt2_string(text))
    if len(found) != len(terms):
        raise z3.Z3Exception(f"z3 read {len(found)} of {len(terms)} assertions")
    return found


def _facts(obligation: dict[str, Any], terms: list[z3.BoolRef]) -> dict[str, Any]:
    goal = digest(terms[-1])
    names = [name for name, _ in obligation["assumptions"]]
    return {
        "goal": goal,
        "assumptions": {name: digest(term) for name, term in zip(names, terms, strict=False)},
        "restating": [
            name for name, term in zip(names, terms, strict=False) if goal in {digest(part) for part in conjuncts(term)}
        ],
        "says nothing": is_closed_ground(terms[-1]),
        "logic": logic(terms),
    }


def _check(formulas: list[z3.BoolRef], timer: _Timer) -> tuple[str, z3.Solver, str]:
    """`sat`, `unsat` or `unknown`, the solver that said so, and why it is unknown."""
    solver = z3.Solver()
    if timer.left() <= 0:
        return "unknown", solver, "out of time"
    solver.set("timeout", timer.left())
    solver.add(*formulas)
    try:
        answer = solver.check()
    except z3.Z3Exception as error:
        return "unknown", solver, _text(error)
    if answer == z3.unsat:
        return "unsat", solver, ""
    if answer == z3.sat:
        return "sat", solver, ""
    return "unknown", solver, solver.reason_unknown()


def _asking(timer: _Timer) -> Ask:
    """A check of at most ten seconds for what a proved goal needs: many are asked, none may starve the others."""
    return lambda formulas: _check(formulas, _Timer(min(timer.left() / 1000, 10)))[0]


def _core(formulas: list[z3.BoolRef], names: list[str], timer: _Timer) -> list[str] | None:
    """The names of formulas that contradict each other, asked in a check of its own.

    A verdict never rests on this one: a formula could mention the symbols that track the others.
    """
    solver = z3.Solver()
    left = min(timer.left(), 10_000)
    if left <= 0:
        return None
    solver.set("timeout", left)
    tracked = [z3.FreshBool() for _ in formulas]
    for formula, track in zip(formulas, tracked, strict=True):
        solver.assert_and_track(formula, track)
    if solver.check() != z3.unsat:
        return None
    core = {each.get_id() for each in solver.unsat_core()}
    return [name for name, track in zip(names, tracked, strict=True) if track.get_id() in core]


def _canaries(timer: _Timer) -> dict[str, str]:
    """A goal known to be false and one known to be true, by the same way as all the others."""
    asked = {}
    for name, goal in (("false goal", "(> vstack_canary 0)"), ("true goal", "(= (- vstack_canary vstack_canary) 0)")):
        assumption = ["small", "(< vstack_canary 9)"]
        terms = _parse({"declarations": _CANARY, "assumptions": [assumption], "goal": goal})
        asked[name] = _check([terms[0], z3.Not(terms[1])], timer)[0]
    return asked


def _decide(obligation: dict[str, Any], terms: list[z3.BoolRef], timer: _Timer) -> dict[str, Any]:
    names = [name for name, _ in obligation["assumptions"]]
    refuting = [*terms[:-1], z3.Not(terms[-1])]
    started = time.monotonic()
    # Half of what is left for the first question: it is usually the easy one, and the second must get its turn.
    alone, _, why = _check(terms[:-1], _Timer(timer.left() / 2000))
    found: dict[str, Any] = {"assumptions": alone, "assumptions why": why}
    if alone == "unsat":
        return found | {"contradiction": _core(terms[:-1], names, timer), "seconds": time.monotonic() - started}
    negated, solver, why = _check(refuting, timer)
    found |= {"negated": negated, "negated why": why, "seconds": time.monotonic() - started}
    if negated == "unsat":
        found["core"] = _core(refuting, [*names, "(the goal)"], timer)
    if negated == "sat":
        model = solver.model()
        found["model"] = {str(d): str(model[d])[:500] for d in model.decls()}
        found["model fits"] = not any(z3.is_false(model.eval(term, model_completion=True)) for term in refuting)
    return found
