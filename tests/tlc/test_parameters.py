"""Parameters that TLC does not print, recovered from the states of a counterexample."""

import pytest

from tests.tlc.models import CFG, COUNTER, job
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tla.values import ModelValue, Record
from vstack.tlc.parameters import recover_parameters
from vstack.tlc.run import run_tlc
from vstack.tlc.trace import Trace
from vstack.verdicts import Verdict

MAIL = r"""---- MODULE Mail ----
EXTENDS Naturals, FiniteSets
CONSTANT Procs
VARIABLES box, got, log
vars == <<box, got, log>>
Init == box = {} /\ got = [p \in Procs |-> 0] /\ log = <<>>
Send(p, n) ==
  /\ Cardinality(box) < 2
  /\ box' = box \cup {[from |-> p, val |-> n]}
  /\ UNCHANGED <<got, log>>
Receive(q) ==
  /\ got[q] < 3
  /\ \E m \in box :
       /\ m.from # q
       /\ box' = box \ {m}
       /\ got' = [got EXCEPT ![q] = @ + m.val]
  /\ log' = <<q>>
Lose == \E m \in box : box' = box \ {m} /\ UNCHANGED <<got, log>>
Touch(p) == log = <<>> /\ log' = <<"touched">> /\ UNCHANGED <<box, got>>
Next ==
  \/ \E p \in Procs : Receive(p) \/ Touch(p)
  \/ \E p \in Procs, v \in 1..2 : Send(p, v)
  \/ Lose
  \/ /\ Cardinality(box) = 2
     /\ box' = {}
     /\ log' = <<"swept">>
     /\ UNCHANGED got
Spec == Init /\ [][Next]_vars
Few == \A p \in Procs : got[p] < 3
Kept == log # <<"swept">>
Untouched == ~(log = <<"touched">> /\ box # {})
NoLoss == [][Cardinality(box') < Cardinality(box) => log' # log]_vars
====
"""
A, B = ModelValue("a"), ModelValue("b")
MAIL_CFG = "SPECIFICATION Spec\nCONSTANT Procs = {a, b}\n"


def _recovered(folder, tools, cfg, text=MAIL):
    work = job(folder, cfg, text)
    result = run_tlc(work, tools)
    assert result.verdict is Verdict.VIOLATED, result.reason
    actions = split_next(load(work.module, search=(), java=tools.java, jar=tools.jar), "Next")
    return result.trace, recover_parameters(result.trace, work, actions, tools)


def test_the_parameter_of_an_action(tmp_path, tools):
    before, after = _recovered(tmp_path, tools, CFG + "SPECIFICATION Spec\nINVARIANT Small\n", COUNTER)
    assert [step.params for step in before.steps] == [None] * 4
    assert [(step.action, step.params) for step in after.steps[1:]] == [
        ("Inc", {"k": 1}),
        ("Inc", {"k": 2}),
        ("Inc", {"k": 2}),
    ]
    assert [step.state for step in after.steps] == [step.state for step in before.steps]


def test_model_values_renamed_arguments_and_a_quantifier_inside_the_action(tmp_path, tools):
    _, trace = _recovered(tmp_path, tools, MAIL_CFG + "INVARIANT Few\n")
    sends = [step for step in trace.steps if step.action == "Send"]
    receives = [step for step in trace.steps if step.action == "Receive"]
    assert len(sends) == len(receives) == 2
    for step in sends:
        new = step.state["box"] - trace.steps[step.number - 2].state["box"]
        assert new == {Record({"from": step.params["p"], "val": step.params["v"]})}
    for step in receives:
        assert step.state["log"] == (step.params["p"],)
        assert {step.params["m"]} == trace.steps[step.number - 2].state["box"] - step.state["box"]


def test_a_parameter_that_any_value_fits_is_left_out(tmp_path, tools):
    _, trace = _recovered(tmp_path, tools, MAIL_CFG + "INVARIANT Untouched\n")
    (touched,) = [step for step in trace.steps if step.action == "Touch"]
    assert touched.params is None


def test_a_disjunct_without_a_name_gets_that_of_the_one_action_that_fits(tmp_path, tools):
    before, trace = _recovered(tmp_path, tools, MAIL_CFG + "INVARIANT Kept\n")
    assert before.steps[-1].action == "Next"
    assert trace.steps[-1].action.startswith("Next@")
    assert trace.steps[-1].params is None


def test_an_action_whose_text_needs_names_out_of_scope_stays_as_it_is(tmp_path, tools):
    text = MAIL.replace("\\E p \\in Procs : Receive(p) \\/ Touch(p)", "\\E p \\in Procs : Works(p)").replace(
        "Next ==\n", "Works(who) == Receive(who) \\/ Touch(who)\nNext ==\n"
    )
    _, trace = _recovered(tmp_path, tools, MAIL_CFG + "INVARIANT Few\n", text)
    assert all(step.params for step in trace.steps if step.action == "Send")
    assert Trace.from_json(trace.to_json()) == trace


def test_an_action_under_a_let_is_tried_by_its_name(tmp_path, tools):
    text = MAIL.replace("Receive(q) ==\n", "Receive(q) == LET most == 3 IN\n").replace("got[q] < 3\n", "got[q] < most\n")
    before, trace = _recovered(tmp_path, tools, MAIL_CFG + "INVARIANT Few\n", text)
    assert [step.action for step in before.steps if step.action == "Receive"]
    for step, earlier in zip(trace.steps[1:], trace.steps, strict=False):
        if step.action == "Receive":
            (who,) = [name for name in (A, B) if step.state["got"][name] != earlier.state["got"][name]]
            assert step.params["p"] == who


@pytest.mark.parametrize("steps", [0, 1])
def test_a_trace_without_steps_costs_nothing(tmp_path, tools, steps):
    work = job(tmp_path, MAIL_CFG, MAIL)
    trace = Trace(run_tlc(job(tmp_path, MAIL_CFG + "INVARIANT Few\n", MAIL), tools).trace.steps[:steps])
    assert recover_parameters(trace, work, (), tools) is trace
