"""Counterexamples as data: lassos, stuttering, spans, and the round trip through JSON."""

import json

from tests.tlc.models import CFG, job, line_of
from vstack.tla.values import FnValue, ModelValue
from vstack.tlc.messages import Message
from vstack.tlc.run import run_tlc
from vstack.tlc.trace import INITIAL, Trace, read_trace


def test_a_lasso_goes_back_to_a_state(tmp_path, tools):
    work = job(tmp_path, CFG + "SPECIFICATION Spec\nPROPERTY Ends\n")
    trace = run_tlc(work, tools).trace
    assert trace.loop_to is not None
    assert 1 <= trace.loop_to <= len(trace.steps)
    assert not trace.stuttering
    assert [step.number for step in trace.steps] == list(range(1, len(trace.steps) + 1))
    # The step back is an action of the model: the loop's first state follows from its last.
    first, last = trace.steps[trace.loop_to - 1].state, trace.steps[-1].state
    assert (first["y"] == 1 - last["y"] and first["x"] == last["x"]) or first["x"] > last["x"]


def test_stuttering_is_told(tmp_path, tools):
    trace = run_tlc(job(tmp_path, CFG + "SPECIFICATION Stopping\nPROPERTY Reaches\n"), tools).trace
    assert trace.stuttering
    assert trace.loop_to is None
    assert trace.steps[-1].state == {"x": 3, "y": 0}


def test_steps_have_action_span_and_state(tmp_path, tools):
    work = job(tmp_path, CFG + "SPECIFICATION Spec\nINVARIANT Small\n")
    trace = run_tlc(work, tools).trace
    assert trace.steps[0].action == INITIAL
    assert trace.steps[0].span is None
    step = trace.steps[-1]
    assert (step.action, step.state) == ("Inc", {"x": 5, "y": 0})
    assert (step.span.module, step.span.line) == ("Counter", line_of(work.module, "Inc(k) =="))


def test_json_keeps_every_value():
    text = (
        "2: <Act line 3, col 4 to line 5, col 6 of module M>\n"
        '/\\ f = (a :> {1, 2} @@ b :> {})\n/\\ r = [n |-> <<TRUE, "q\\"t">>, m |-> -3]\n/\\ s = <<>>'
    )
    trace = read_trace(Message(2110, 1, ("Invariant I is violated.",)), [Message(2217, 4, tuple(text.split("\n")))])
    assert trace.steps[0].state["f"] == FnValue({ModelValue("a"): frozenset({1, 2}), ModelValue("b"): frozenset()})
    data = json.loads(json.dumps(trace.to_json()))
    assert Trace.from_json(data) == trace
    assert data["steps"][0]["state"]["s"] == "<<>>"


def test_a_violation_in_the_initial_state_is_a_trace_of_one_step():
    message = Message(2107, 1, ("Invariant I is violated by the initial state:", "/\\ x = 0", "/\\ y = {}", ""))
    trace = read_trace(message, [])
    assert [step.state for step in trace.steps] == [{"x": 0, "y": frozenset()}]
