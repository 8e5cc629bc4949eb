"""Apalache's output and counterexamples: only its own lines together with its exit status count."""

from __future__ import annotations

import json

import pytest

from vstack.errors import VstackError
from vstack.tla.values import format_value
from vstack.verify.apalache_output import read_output
from vstack.verify.itf import read_itf

OPTIONS = {"--init": "Init", "--next": "Next", "--inv": "Safe", "--length": "3"}


HEAD = "# APALACHE version: 0.50.1 | build: abc1234"
CHECKED = "State 3: Checking 1 state invariants"
CLEAN = (HEAD, "  > Set an invariant to Safe", CHECKED, "The outcome is: NoError", "Checker reports no error up to computation length 3", "EXITCODE: OK")
BROKEN = (HEAD, "State 2: Checking 1 state invariants", "State 2: state invariant 0 violated.", "Found 1 error(s)", "The outcome is: Error", "Checker has found an error", "EXITCODE: ERROR (12)")


def stamped(lines: tuple[str, ...]) -> str:
    """The lines with Apalache's level and time behind all but the last."""
    return "".join(f"{line}\n" if line.startswith("EXITCODE") else f"{line:<66}I@10:20:30.456\n" for line in lines)


def test_a_clean_run_and_a_violation() -> None:
    clean = read_output(stamped(CLEAN), 0, OPTIONS)
    assert (clean.kind, clean.version) == ("clean", "0.50.1 build abc1234")
    violated = read_output(stamped(BROKEN), 12, OPTIONS)
    assert (violated.kind, violated.reason) == ("violated", "violated in state 2")


OTHERS = {
    "another exit status": (CLEAN, 1, "undecided", "cut short"),
    "a violation that exits with 0": (BROKEN, 0, "undecided", "cut short"),
    "another length": (tuple(line.replace("length 3", "length 2") for line in CLEAN), 0, "undecided", "up to length 3"),
    "no invariant was checked": (tuple(line for line in CLEAN if line != CHECKED), 0, "undecided", "invariant was checked"),
    "none of its invariants": (tuple(line.replace("Checking 1", "Checking 0") for line in CLEAN), 0, "undecided", "invariant was checked"),
    "no version": (CLEAN[1:], 0, "error", "not Apalache"),
    "cut off": (CLEAN[:-1], 0, "undecided", "cut short"),
    "two outcomes": ((*CLEAN[:-1], "The outcome is: Error", "EXITCODE: OK"), 0, "undecided", "no outcome"),
    "a violation in the log": ((*CLEAN[:-1], "State 1: state invariant 0 violated.", "EXITCODE: OK"), 0, "undecided", "contradict"),
    "executions too short": (tuple(line.replace("NoError", "ExecutionsTooShort") for line in CLEAN), 0, "undecided", "shorter"),
    "a deadlock": ((HEAD, "The outcome is: Deadlock", "EXITCODE: ERROR (12)"), 12, "deadlock", "deadlock"),
    "an error without a violation": ((HEAD, "The outcome is: Error", "EXITCODE: ERROR (12)"), 12, "undecided", "outcome is Error"),
    "a type error": ((HEAD, "Typing input error", "EXITCODE: ERROR (120)"), 120, "error", "type error"),
    "could not run": ((HEAD, "Parsing error", "EXITCODE: ERROR (255)"), 255, "error", "could not run"),
    "another invariant": (tuple(line.replace("to Safe", "to TRUE") for line in CLEAN), 0, "refused", r"apalache-other"),
    "another next": ((HEAD, "  > Set the transition predicate to Skip", *CLEAN[1:]), 0, "refused", r"apalache-other"),
    "nothing": ((), 0, "error", "not Apalache"),
}


@pytest.mark.parametrize(("lines", "status", "kind", "why"), OTHERS.values(), ids=OTHERS.keys())
def test_everything_else_decides_nothing(lines: tuple[str, ...], status: int, kind: str, why: str) -> None:
    outcome = read_output(stamped(lines), status, OPTIONS)
    assert (outcome.kind, why in outcome.reason) == (kind, True), outcome


def test_a_run_cut_anywhere_is_no_pass() -> None:
    text = stamped(CLEAN)
    end = text.index("EXITCODE: OK") + len("EXITCODE: OK")
    assert "clean" not in {read_output(text[:cut], 0, OPTIONS).kind for cut in range(end)}


def test_a_counterexample_in_itf_is_a_trace() -> None:
    states = [
        {"#meta": {"index": 0}, "n": {"#bigint": "-7"}, "s": {"#set": [1, 2]}, "f": {"#map": [["a", True]]}},
        {"n": 3, "s": {"#set": []}, "f": {"#map": [["a", {"tag": "x", "v": {"#tup": [1, "y"]}}], ["b", [1]]]}},
    ]
    trace = read_itf(json.dumps({"vars": ["n", "s", "f"], "states": states, "loop": 1}), where="t", next_name="Step")
    assert [(step.number, step.action) for step in trace.steps] == [(1, "Initial predicate"), (2, "Step")]
    assert trace.loop_to == 2
    shown = [{name: format_value(value) for name, value in step.state.items()} for step in trace.steps]
    assert shown[0]["n"] == "-7" and shown[0]["s"] == "{1, 2}"
    assert shown[1]["f"] == '[a |-> [tag |-> "x", v |-> <<1, "y">>], b |-> <<1>>]'


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"vars": ["x"], "states": []}', '{"vars": ["x"], "states": [{}]}', '{"vars": ["x"], "states": [{"x": null}]}'])
def test_what_is_not_itf_is_an_error(text: str) -> None:
    with pytest.raises(VstackError, match="counterexample"):
        read_itf(text, where="violation1.itf.json")
