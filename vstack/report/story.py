"""A counterexample in plain words for the terminal, and as a schedule for a unit test."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from vstack.report.behaviour import Behaviour, Step, read_behaviour
from vstack.report.flights import Flight, find_flights, told
from vstack.report.words import no_counterexample, subject_words
from vstack.results import CaseReport, Evidence

_WIDTH = 80


def explain(evidence: Evidence, report: CaseReport) -> str:
    """The counterexample of ``evidence``, one numbered sentence per step, ending with the goal it breaks."""
    behaviour = read_behaviour(evidence, report)
    if behaviour is None:
        return no_counterexample(evidence) + "\n"
    lines = [*_wrap(f"How {behaviour.goal} is broken: {subject_words(evidence, report)}."), ""]
    lines += ["At the start:", *_listed(f"{name} = {value}" for name, value in behaviour.initial), ""]
    flights = find_flights(behaviour, report)
    for step in behaviour.steps:
        if step.number - 1 == behaviour.loop_to:
            lines += ["", "The loop begins here:"]
        lines += _told(step, flights)
    lines += ["", *_wrap(ending(behaviour))]
    if behaviour.values:
        lines += ["What the goal speaks of, at the end:"]
        lines += _listed(f"{name} = {value}" for name, value in behaviour.values)
    return "\n".join(lines) + "\n"


def schedule(evidence: Evidence, report: CaseReport) -> str:
    """The counterexample as an ordered list of actions with the code they stand for.

    Each line is ``number. process: action(parameters)`` followed by its anchors
    ``repo:path:first-last@commit``: what a unit test has to force, in order.
    """
    behaviour = read_behaviour(evidence, report)
    if behaviour is None:
        return no_counterexample(evidence) + "\n"
    lines = [f"# Schedule that breaks {behaviour.goal} ({subject_words(evidence, report)})"]
    for step in behaviour.steps:
        lines.append(f"{step.number}. {step.process}: {step.label}")
        lines += [f"     at {code.text}" for code in step.code]
        lines += ["     at no line of its own in this revision"] if step.elsewhere else []
    if behaviour.loop_to is not None:
        lines.append(f"then back to {_state_after(behaviour.loop_to)}, again and again")
    elif behaviour.stuttering:
        lines.append("then nothing more, for ever")
    lines.append(f"expect: {behaviour.goal}: {behaviour.goal_english or 'the goal'}")
    lines += [f"but at the end: {name} = {value}" for name, value in behaviour.values]
    return "\n".join(lines) + "\n"


def ending(behaviour: Behaviour) -> str:
    """The last sentence of the story: what is broken, and, for a run without end, why it never mends."""
    broken = f"That breaks {behaviour.goal}"
    broken += f", which asks: {_sentence(behaviour.goal_english)}" if behaviour.goal_english else "."
    if behaviour.stuttering:
        return f"From here on nothing ever happens again. {broken}"
    if behaviour.loop_to is not None:
        return f"From here the run goes back to {_state_after(behaviour.loop_to)}, again and again, for ever. {broken}"
    return broken


def _told(step: Step, flights: tuple[Flight, ...]) -> list[str]:
    lines = _wrap(f"{step.number:>3}. {step.process}, {step.label}: {step.english}", "     ")
    for text in (*(text for _, text in told(step, flights)), *(change.text() for change in step.changes)):
        lines += _wrap(f"     - {text}", "       ")
    return lines


def _state_after(number: int) -> str:
    return f"the state after step {number}" if number else "the start"


def _listed(items: Iterable[str]) -> list[str]:
    return [line for item in items for line in _wrap(f"  {item}", "    ")]


def _wrap(text: str, hanging: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
