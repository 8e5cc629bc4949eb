"""The split of a next-state relation: names, parameters, guards, updates, frames."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tla.conftest import Read, run_tlc
from vstack.errors import VstackError
from vstack.tla.actions import Action, split_next
from vstack.tla.behaviour import behaviour
from vstack.tools.find import Tools

QUEUE = r"""
EXTENDS Naturals, Sequences
CONSTANTS Procs, Max
VARIABLES queue, owner, clock, sent
vars == <<queue, owner, clock, sent>>
rest == <<owner, <<sent>>>>
Tick == clock' = clock + 1

\* worker: takes the lock
Take(p) ==
  /\ owner = "none"
  /\ clock < Max
  /\ owner' = p
  /\ UNCHANGED <<queue, clock, sent>>

Send(p, m) ==
  /\ owner = p
  /\ queue' = Append(queue, m)
  /\ Tick
  /\ UNCHANGED rest

Receive ==
  \E n \in 1..Max :
    /\ n <= Len(queue)
    /\ sent' = n
    /\ queue' \in {queue, <<>>}
    /\ UNCHANGED <<owner, clock>>

Crash == \/ /\ owner # "none"
            /\ owner' = "none"
            /\ UNCHANGED <<queue, clock, sent>>
         \/ queue' = <<>> /\ UNCHANGED <<owner, clock, sent>>

Decide ==
  /\ clock > 0
  /\ IF Len(queue) = 0 THEN sent' = 0 /\ UNCHANGED queue ELSE sent' = Head(queue) /\ queue' = Tail(queue)
  /\ LET c == clock + 2 IN clock' = c
  /\ owner' = owner

Env == Crash \/ Receive
Next == \/ \E p \in Procs : Take(p) \/ \E m \in 1..Max : Send(p, m)
        \/ Env
        \/ Decide
        \/ clock' = 0 /\ UNCHANGED rest /\ queue' = queue
Spec == (queue = <<>> /\ owner = "none") /\ [][Next]_vars /\ WF_vars(Receive)
"""


@pytest.fixture
def actions(read: Read) -> dict[str, Action]:
    return {item.name: item for item in split_next(read(Queue=QUEUE), "Next")}


def texts(parts: object) -> list[str]:
    return [part.text for part in parts]  # type: ignore[attr-defined]


def test_names_and_parameters(actions: dict[str, Action]) -> None:
    lines = QUEUE.split("\n")
    first, second = (2 + lines.index(line) for line in lines if line.lstrip().startswith(("Crash ==", "\\/ queue'")))
    last = next(number for number, line in enumerate(lines, 2) if "clock' = 0" in line)
    assert list(actions) == ["Take", "Send", f"Crash@{first}", f"Crash@{second}", "Receive", "Decide", f"Next@{last}"]
    assert [(item.name, item.domain_text) for item in actions["Take"].params] == [("p", "Procs")]
    assert [(item.name, item.domain_text) for item in actions["Send"].params] == [("p", "Procs"), ("m", "1..Max")]
    assert actions["Send"].arguments == ("p", "m")
    assert [(item.name, item.domain_text) for item in actions["Receive"].params] == [("n", "1..Max")]


def test_definition_and_call_spans(actions: dict[str, Action]) -> None:
    take = actions["Take"]
    assert take.definition is not None and take.span == take.definition.span
    assert QUEUE.split("\n")[take.span.line - 2] == "Take(p) =="
    assert "Take(p)" in QUEUE.split("\n")[take.call_span.line - 2] and take.call_span.line > take.span.line
    assert all((item.definition is None) == ("@" in name) for name, item in actions.items())


def test_guards_updates_and_frames(actions: dict[str, Action]) -> None:
    take = actions["Take"]
    assert texts(take.guards) == ['owner = "none"', "clock < Max"]
    assert [(item.variable, item.expression, item.nondeterministic) for item in take.updates] == [("owner", "p", False)]
    assert take.unchanged == ("queue", "clock", "sent")
    assert take.other == ()


def test_a_helper_with_primes_is_followed_and_tuples_of_definitions_are_resolved(actions: dict[str, Action]) -> None:
    send = actions["Send"]
    assert [(item.variable, item.expression) for item in send.updates] == [
        ("queue", "Append(queue, m)"),
        ("clock", "clock + 1"),
    ]
    assert QUEUE.split("\n")[send.updates[1].span.line - 2].startswith("Tick ==")
    assert send.unchanged == ("owner", "sent")


def test_choice_under_a_quantifier_or_from_a_set_is_nondeterministic(actions: dict[str, Action]) -> None:
    receive = actions["Receive"]
    assert texts(receive.guards) == ["n <= Len(queue)"]
    assert [(item.variable, item.nondeterministic) for item in receive.updates] == [("sent", False), ("queue", True)]


def test_branches_give_conditional_updates(actions: dict[str, Action]) -> None:
    decide = actions["Decide"]
    assert texts(decide.guards) == ["clock > 0"]
    assert [(item.variable, item.expression, item.conditional) for item in decide.updates] == [
        ("sent", "0", True),
        ("sent", "Head(queue)", True),
        ("queue", "Tail(queue)", True),
        ("clock", "c", False),
    ]
    assert decide.unchanged == ("owner",)
    assert len(decide.other) == 1 and decide.other[0].text.startswith("IF Len(queue)")


def test_an_anonymous_disjunct(actions: dict[str, Action]) -> None:
    (name,) = [name for name in actions if name.startswith("Next@")]
    assert [item.variable for item in actions[name].updates] == ["clock"]
    assert set(actions[name].unchanged) == {"owner", "sent", "queue"}


def test_names_and_places_are_those_that_tlc_reports(read: Read, tools: Tools, tmp_path: Path) -> None:
    bounded = QUEUE.replace('owner = "none")', 'owner = "none" /\\ clock = 0 /\\ sent = 0)')
    found = split_next(read(Queue=bounded + "\nSmall == clock < 3 /\\ Len(queue) < 3"), "Next")
    (tmp_path / "Queue.cfg").write_text("CONSTANTS Procs = {p, q} Max = 2\nSPECIFICATION Spec\nCONSTRAINT Small")
    output = run_tlc(tools, tmp_path, "-coverage", "1", "-deadlock", "Queue")
    reported = re.findall(r"^<(\w+) line \d+, [^(]*?(?: \((\d+) (\d+) (\d+) (\d+)\))?>: \d+:\d+$", output, re.MULTILINE)
    names = {name for name, *_ in reported} - {"Init", "Small", "Action"}
    assert names == {item.name.split("@")[0] for item in found}, output
    places = {tuple(int(number) for number in place) for _, *place in reported if all(place)}
    spans = [item.span for item in found if item.definition is None]
    assert {(span.line, span.column, span.end_line, span.end_column) for span in spans} <= places


def split(read: Read, text: str, **helpers: str) -> tuple[Action, ...]:
    return split_next(read(Small=f"EXTENDS Naturals\nVARIABLES x, y\n{text}", helpers=helpers), "Next")


def test_a_relation_that_is_one_action_has_its_own_name(read: Read) -> None:
    (action,) = split(read, "Next == x' = x + 1 /\\ UNCHANGED y")
    assert action.name == "Next" and action.definition is not None and action.unchanged == ("y",)


def test_a_condition_around_all_actions_is_a_guard_of_each(read: Read) -> None:
    one, two = split(
        read,
        "A == x' = 1\nB == x' = 2\nNext == /\\ x < 5\n        /\\ \\/ A\n           \\/ B\n        /\\ UNCHANGED y",
    )
    assert (one.name, two.name) == ("A", "B")
    assert texts(one.guards) == texts(two.guards) == ["x < 5"]
    assert one.unchanged == two.unchanged == ("y",)


def test_if_between_actions_gives_each_its_condition(read: Read) -> None:
    one, two = split(read, "A == x' = 1 /\\ y' = y\nB == x' = 2 /\\ y' = y\nNext == IF x = y THEN A ELSE B")
    assert (texts(one.guards), texts(two.guards)) == (["x = y"], ["~(x = y)"])


def test_disjuncts_of_one_line_are_told_apart(read: Read) -> None:
    names = [item.name for item in split(read, "Next == (x' = 1 /\\ y' = y) \\/ (x' = 2 /\\ y' = y)")]
    assert len(set(names)) == 2 and all(name.startswith("Next@4:") for name in names)


def test_a_definition_called_twice_gives_two_actions_of_its_name(read: Read) -> None:
    found = split(read, "Set(v) == x' = v /\\ UNCHANGED y\nNext == Set(1) \\/ Set(2)")
    assert [(item.name, item.arguments) for item in found] == [("Set", ("1",)), ("Set", ("2",))]
    assert found[0].call_span != found[1].call_span


def test_a_variable_passed_to_a_helper_is_the_one_updated(read: Read) -> None:
    (action,) = split(read, "Put(var, v) == var' = v\nKeep(var) == UNCHANGED var\nNext == Put(y, 3) /\\ Keep(x)")
    assert [(item.variable, item.expression) for item in action.updates] == [("y", "v")]
    assert action.unchanged == ("x",)


def test_a_primed_argument_is_no_guard(read: Read) -> None:
    (action,) = split(read, "Small(v) == v < 3\nNext == Small(x) /\\ Small(x') /\\ x' \\in 1..9 /\\ y' = y")
    assert texts(action.guards) == ["Small(x)"]
    assert texts(action.other) == ["v < 3"]


def test_a_copy_through_let_is_a_frame(read: Read) -> None:
    (action,) = split(read, "Next == LET same == x IN x' = same /\\ y' = 1")
    assert action.unchanged == ("x",) and [item.variable for item in action.updates] == ["y"]


def test_enabled_and_quantified_conditions_are_guards(read: Read) -> None:
    (action,) = split(
        read,
        "Other == x' = 2\nNext == ENABLED Other /\\ (\\A z \\in {x} : z > 0) /\\ x' = 1 /\\ y' = y",
    )
    assert len(action.guards) == 2 and [item.variable for item in action.updates] == ["x"]


def test_actions_of_an_instance_speak_of_the_substituted_variables(read: Read) -> None:
    inner = (
        "EXTENDS Naturals\nVARIABLES p, q\nGrow(n) == p < n /\\ p' = p + n /\\ UNCHANGED q\n"
        "Shrink == p' = 0 /\\ q' = q\nStep == Grow(2) \\/ Shrink"
    )
    grow, shrink = split(read, "I == INSTANCE Inner WITH p <- y, q <- x\nNext == I!Step", Inner=inner)
    assert (grow.name, shrink.name) == ("Grow", "Shrink")
    assert [item.variable for item in grow.updates] == ["y"] and grow.unchanged == ("x",)
    assert shrink.unchanged == ("x",)


def test_a_recursive_action_ends(read: Read) -> None:
    (action,) = split(read, "RECURSIVE R(_)\nR(n) == IF n = 0 THEN x' = 1 ELSE R(n - 1)\nNext == R(3) /\\ y' = y")
    assert action.unchanged == ("y",) and any(item.variable == "x" for item in action.updates)


def test_only_the_variables_asked_for_count(read: Read) -> None:
    spec = read(Small="VARIABLES x, y, history\nNext == x' = 1 /\\ history' = 2 /\\ UNCHANGED y")
    (action,) = split_next(spec, "Next", variables=["x", "y"])
    assert [item.variable for item in action.updates] == ["x"]


def test_what_is_no_relation(read: Read) -> None:
    spec = read(Small="VARIABLE x\nNext(a) == x' = a\nNexxt == x' = 1")
    with pytest.raises(VstackError, match="takes parameters"):
        split_next(spec, "Next")
    with pytest.raises(VstackError, match="not defined"):
        split_next(spec, "Nxt")


def test_a_behaviour_taken_apart(read: Read) -> None:
    spec = read(Queue=QUEUE + "\nLive == Spec /\\ WF_vars(Decide)\nTwo == Spec /\\ [][Decide]_vars")
    found = behaviour(spec, "Live")
    assert found.next_name == "Next" and found.init_name is None and len(found.init) == 2
    assert [spec.text(node.span) for node in found.rest] == ["WF_vars(Receive)", "WF_vars(Decide)"]
    with pytest.raises(VstackError, match="2 conjuncts"):
        behaviour(spec, "Two")
