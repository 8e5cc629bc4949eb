"""Counterexamples told in words: each step, what it changed, and how the goal ends up broken."""

from __future__ import annotations

import pytest

from tests.report.toy import (
    CASE,
    COMMIT,
    LOOP,
    OVERWRITTEN,
    P1,
    R1,
    STUCK,
    behaviour,
    run,
)
from vstack.report.behaviour import read_behaviour
from vstack.report.story import explain, schedule
from vstack.verdicts import Verdict


def evidence(goal: str, trace: dict, variant: str = "eager"):  # type: ignore[no-untyped-def,type-arg]
    return run(Verdict.VIOLATED, goal, trace, subject={"variant": variant, "environment": "calm", "removed": []})


def test_every_step_is_told_with_process_parameters_english_and_change() -> None:
    text = explain(evidence("Isolation", OVERWRITTEN), CASE)
    numbers = [line.split(".")[0].strip() for line in text.splitlines() if line[:4].strip(" .").isdigit()]
    assert numbers == ["1", "2", "3", "4", "5", "6"]
    flat = " ".join(text.split())
    assert "1. lender, Lend(r1, p1): The lender gives page p1 to request r1 and orders its contents." in flat
    assert "copy(r1) sets out here; arrives at step 6" in flat
    assert "copy(r1), on its way since step 2, arrives" in flat
    assert 'status[r1]: "waiting" → "given up"' in flat
    assert "That breaks Isolation, which asks: A copy lands only in a page that still belongs" in flat
    assert "filled = [p1: r1, p2: none]" in flat.split("at the end:")[-1]


def test_no_line_is_wider_than_a_terminal() -> None:
    for goal, trace in (("Isolation", OVERWRITTEN), ("Finality", STUCK), ("Finality", LOOP)):
        assert max(map(len, explain(evidence(goal, trace), CASE).splitlines())) <= 80


def test_stuttering_is_told_as_an_end_of_everything() -> None:
    text = " ".join(explain(evidence("Finality", STUCK), CASE).split())
    assert "From here on nothing ever happens again. That breaks Finality" in text
    assert "copy(r1) sets out here; never arrives" in text
    assert "4. environment, LoseCopy(r1): The courier's host dies; the copy of r1 never arrives." in text


def test_a_loop_says_where_it_begins_and_returns_to() -> None:
    text = explain(evidence("Finality", LOOP), CASE)
    before, after = text.split("The loop begins here:")
    assert "3. borrower" in before and "4. borrower, Retry(r1)" in after
    assert "goes back to the state after step 3, again and again, for ever" in " ".join(after.split())


def test_a_loop_to_the_initial_state() -> None:
    trace = behaviour(("GiveUp", {"r": R1}, {}), loop_to=1)
    text = " ".join(explain(evidence("Finality", trace), CASE).split())
    assert "The loop begins here: 1. borrower" in text and "goes back to the start" in text


def test_an_initial_state_that_breaks_the_goal_has_no_steps() -> None:
    text = explain(evidence("Isolation", behaviour()), CASE)
    assert "At the start:" in text and "That breaks Isolation" in text and " 1. " not in text


@pytest.mark.parametrize("verdict", [Verdict.HOLDS, Verdict.UNDECIDED, Verdict.ERROR])
def test_without_a_counterexample_the_verdict_and_its_reason_are_told(verdict: Verdict) -> None:
    text = explain(run(verdict, reason="the heap ran out"), CASE)
    assert text == f"There is no counterexample to explain: this run says {verdict}: the heap ran out.\n"


def test_the_schedule_lists_each_action_with_its_code() -> None:
    lines = schedule(evidence("Isolation", OVERWRITTEN), CASE).splitlines()
    assert lines[1:3] == ["1. lender: Lend(r1, p1)", f"     at toy:toy/lender.py:40-52@{COMMIT}"]
    assert sum(line[0].isdigit() for line in lines) == 6
    assert "but at the end: owner = [p1: r2, p2: none]" in lines


def test_anchors_are_those_of_the_variants_commit() -> None:
    other = {"text": "toy:toy/lender.py:44-50@" + "f" * 40, "url": None}
    actions = {**CASE.actions, "Lend": {**CASE.actions["Lend"], "anchors": [*CASE.actions["Lend"]["anchors"], other]}}
    report = CASE.model_copy(update={"actions": actions, "variant_commits": {"patient": "f" * 12}})
    lend, start = {}, {}
    for variant in ("eager", "patient"):
        found = read_behaviour(evidence("Isolation", OVERWRITTEN, variant), report)
        assert found is not None
        lend[variant], start[variant] = found.steps[:2]
    assert len(lend["eager"].code) == 2, "a variant without a commit shows all"
    assert [code.text for code in lend["patient"].code] == [other["text"]]
    assert start["patient"].code == () and start["patient"].elsewhere and not start["eager"].elsewhere
    assert "at no line of its own in this revision" in schedule(evidence("Isolation", OVERWRITTEN, "patient"), report)


def test_an_action_without_comment_or_parameters_is_named_by_its_words() -> None:
    trace = behaviour(("SendsWordBack", None, {"orders": (P1,)}))  # type: ignore[arg-type]
    step = read_behaviour(evidence("Isolation", trace), CASE).steps[0]  # type: ignore[union-attr]
    assert (step.english, step.label, step.process) == ("Sends word back.", "SendsWordBack", "model")


def test_the_end_shows_the_variables_that_helpers_of_the_goal_name() -> None:
    goals = tuple(g.model_copy(update={"formula": "Good", "helpers": ("Good == copying = {}",)}) for g in CASE.goals)
    text = explain(evidence("Isolation", OVERWRITTEN), CASE.model_copy(update={"goals": goals}))
    assert text.endswith("What the goal speaks of, at the end:\n  copying = {}\n")
