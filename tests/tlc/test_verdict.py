"""Each row of TLC's table of exit statuses and codes, run with the real jar."""

import re

import pytest

from tests.tlc.models import CFG, job, line_of
from vstack.errors import VstackError
from vstack.tlc.job import Requirements
from vstack.tlc.run import run_tlc
from vstack.verdicts import Verdict

SPEC = CFG + "SPECIFICATION Spec\n"


def _next(name):
    return CFG + f"INIT Init\nNEXT {name}\n"


def test_a_complete_search_holds(tmp_path, tools):
    result = run_tlc(
        job(tmp_path, SPEC + "INVARIANT Bounded\nPROPERTY Often\n"),
        tools,
        requirements=Requirements(distinct_states=14, actions=("Inc", "Flip")),
    )
    assert (result.verdict, result.violated, result.kind, result.returncode) == (Verdict.HOLDS, None, None, 0)
    assert (result.distinct, result.queue, result.depth) == (14, 0, 5)
    assert result.fired["Inc"].generated > 0 == result.fired["Never"].generated
    assert result.trace is None
    assert result.printed == ()


@pytest.mark.parametrize(
    ("cfg", "deadlock", "violated", "kind", "status"),
    [
        (SPEC + "INVARIANT Bounded Small\n", False, "Small", "invariant", 12),
        (SPEC + "INVARIANT Starts\n", False, "Starts", "invariant", 12),
        (SPEC + "PROPERTY Careful\n", False, "Careful", "action", 13),
        (SPEC + "PROPERTY Starts\n", False, "Starts", "property", 13),
        (_next("Stops"), True, "deadlock", "deadlock", 11),
        (SPEC + "PROPERTY Ends\n", False, "Ends", "temporal", 13),
        (CFG + "SPECIFICATION Stopping\nPROPERTY Reaches Often\n", False, "Reaches", "temporal", 13),
    ],
)
def test_a_violation_names_what_is_violated(tmp_path, tools, cfg, deadlock, violated, kind, status):
    result = run_tlc(job(tmp_path, cfg, check_deadlock=deadlock), tools)
    assert (result.verdict, result.violated, result.kind) == (Verdict.VIOLATED, violated, kind)
    assert result.returncode == status
    assert result.trace is not None
    assert result.trace.steps[0].state == {"x": 0, "y": 0}
    assert result.shortest is (kind != "temporal")


@pytest.mark.parametrize(
    ("cfg", "reason", "place"),
    [
        (_next("Asserts"), 'Assert is false.*"too far"', "Assert("),
        (_next("OutOfDomain"), "to integer 0 which is out of domain", "<<1, 2>>[x]"),
        (_next("Unassigned"), "variable is not assigned: x", "Unassigned =="),
        (SPEC + "INVARIANT Untyped\n", "second argument of < should be an integer", 'x < "a"'),
        (SPEC + "INVARIANT Impossible\n", "Impossible is equal to FALSE", None),
        (SPEC + "INVARIANT Missing\n", "Missing specified in the configuration file is not defined", None),
        (SPEC + "PROPERTY Missing\n", "Missing specified in the configuration file is not defined", None),
        ("SPECIFICATION Spec\n", "constant parameter N is not assigned", None),
        (CFG + "NEXT Flip\n", "configuration file did not specify the initial", None),
        (_next("Overflows"), "StackOverflowError", None),
    ],
)
def test_what_could_not_run_is_an_error_with_its_place(tmp_path, tools, cfg, reason, place):
    work = job(tmp_path, cfg)
    result = run_tlc(work, tools)
    assert result.verdict is Verdict.ERROR
    assert re.search(reason, result.reason, re.IGNORECASE), result.reason
    assert result.violated is None
    assert result.trace is None
    if place:
        assert result.where == f"{work.module}:{line_of(work.module, place)}"


def test_a_false_assumption_decides_nothing(tmp_path, tools):
    text = "---- MODULE Assumes ----\nEXTENDS Naturals\nVARIABLE x\nASSUME 1 = 2\nInit == x = 0\nNext == x' = x\n====\n"
    work = job(tmp_path, "INIT Init\nNEXT Next\n", text)
    result = run_tlc(work, tools)
    assert (result.verdict, result.kind, result.returncode) == (Verdict.ERROR, "assumption", 10)
    assert result.where == f"{work.module}:4"


@pytest.mark.parametrize(
    ("body", "reason", "line"),
    [
        ("EXTENDS Naturals\nVARIABLE x\nInit == x = lost\nNext == x' = x", "Unknown operator: `lost'", 4),
        ("EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = = 3", "Encountered", 5),
        ("EXTENDS Nowhere\nVARIABLE x\nInit == x = 0\nNext == x' = x", "no module Nowhere", 2),
    ],
)
def test_sanys_complaint_has_file_and_line(tmp_path, tools, body, reason, line):
    work = job(tmp_path, "INIT Init\nNEXT Next\n", f"---- MODULE Broken ----\n{body}\n====\n")
    result = run_tlc(work, tools)
    assert (result.verdict, result.returncode) == (Verdict.ERROR, 150)
    assert reason in result.reason
    assert result.where == f"{work.module}:{line}"


@pytest.mark.parametrize(
    ("cfg", "requirements", "reason"),
    [
        (CFG + "INIT NoState\nNEXT Next\n", Requirements(), "only 0 distinct states"),
        (SPEC.replace("Spec\n", "Spec\nCONSTRAINT Low\n"), Requirements(10), "below the floor of 10"),
        (SPEC, Requirements(1, ("Inc", "Never")), "never fired: Never"),
        (SPEC, Requirements(1, ("Inc", "Absent")), "not in the next-state relation: Absent"),
        (SPEC.replace("Spec\n", "Spec\nCONSTRAINT Low\nPROPERTY Often\n"), Requirements(), "under a state or action"),
    ],
)
def test_a_pass_that_proves_nothing_is_undecided(tmp_path, tools, cfg, requirements, reason):
    result = run_tlc(job(tmp_path, cfg), tools, requirements=requirements)
    assert (result.verdict, result.returncode) == (Verdict.UNDECIDED, 0)
    assert reason in result.reason


def test_without_coverage_required_actions_cannot_be_seen(tmp_path, tools):
    needed = Requirements(1, ("Inc",))
    result = run_tlc(job(tmp_path, SPEC, coverage=False), tools, requirements=needed)
    assert result.verdict is Verdict.UNDECIDED
    assert "without coverage" in result.reason
    assert run_tlc(job(tmp_path, SPEC, coverage=False), tools).verdict is Verdict.HOLDS


def test_symmetry_makes_liveness_undecided(tmp_path, tools):
    text = r"""---- MODULE Twins ----
EXTENDS Naturals, TLC
CONSTANT P
VARIABLE m
Init == m = [p \in P |-> 0]
Inc(p) == m[p] < 2 /\ m' = [m EXCEPT ![p] = @ + 1]
Next == \E p \in P : Inc(p)
Spec == Init /\ [][Next]_m /\ WF_m(Next)
Done == <>(\A p \in P : m[p] = 2)
Sym == Permutations(P)
====
"""
    cfg = "SPECIFICATION Spec\nCONSTANT P = {a, b}\nPROPERTY Done\n"
    assert run_tlc(job(tmp_path, cfg, text), tools).verdict is Verdict.HOLDS
    under = run_tlc(job(tmp_path, cfg + "SYMMETRY Sym\n", text), tools)
    assert under.verdict is Verdict.UNDECIDED
    assert "liveness under symmetry" in under.reason
    assert any("2279" in warning for warning in under.warnings)


def test_going_on_after_a_violation_is_still_violated(tmp_path, tools):
    # With -continue TLC exits with 0 and prints its success message.
    result = run_tlc(job(tmp_path, SPEC + "INVARIANT Small\n", continue_after_violation=True), tools)
    assert (result.verdict, result.violated, result.returncode) == (Verdict.VIOLATED, "Small", 0)
    assert len(result.traces) > 1
    assert result.trace == result.traces[0]
    assert all(trace.steps[-1].state["x"] >= 5 for trace in result.traces)


def test_a_postcondition_needs_a_jar_that_knows_it(tmp_path, tools):
    with pytest.raises(VstackError, match="POSTCONDITION"):
        run_tlc(job(tmp_path, SPEC + "POSTCONDITION Bounded\n"), tools)
