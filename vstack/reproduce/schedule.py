"""A counterexample as a schedule: the actions to take, and what the model predicts after each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vstack.errors import VstackError
from vstack.reproduce.agree import plain
from vstack.results import Evidence
from vstack.sections import Reproduce
from vstack.tla.actions import Action
from vstack.tla.values import Value
from vstack.tlc.trace import Trace

_CHOICE = re.compile(r"(\w+)(?:\[(\w+)\])?")


@dataclass(frozen=True)
class Scheduled:
    """One action to take: parameters and inner choices as JSON, and the model's state after it."""

    action: str
    params: dict[str, Any]
    choices: dict[str, Any]
    predicted: Mapping[str, Value]

    @property
    def words(self) -> str:
        """The action as a call."""
        values = [*self.params.values(), *self.choices.values()]
        return f"{self.action}({', '.join(map(str, values))})" if values else self.action


@dataclass(frozen=True)
class Schedule:
    """The steps of a counterexample; ``endless`` where it violates a temporal goal.

    ``about`` names the cell it was found in.
    """

    about: str
    goal: str
    steps: tuple[Scheduled, ...]
    endless: bool


def schedule_of(evidence: Evidence, section: Reproduce, actions: Sequence[Action]) -> Schedule:
    """The schedule of a run's counterexample to a model with these ``actions``.

    Raises:
        VstackError: the run has none, parameters of a step are not known, or a choice can't be read.
    """
    subject = evidence.subject
    about = f"{subject.get('variant')}/{subject.get('environment')}/{subject.get('goal')}"
    if evidence.trace is None:
        raise VstackError(
            f"The cell {about} has no counterexample to drive: {evidence.verdict}",
            where="vstack.yaml",
            todo="Name another cell, or under `schedule` the variant whose counterexample to drive",
        )
    trace = Trace.from_json(evidence.trace)
    bare = {action.name for action in actions if not action.params}
    steps = []
    for step in trace.steps[1:]:
        if step.params is None and step.action not in bare:
            raise VstackError(
                f"The parameters of step {step.number} ({step.action}) of {about} are not known",
                where="vstack.yaml",
                todo="Give the action a name and parameters of its own in Next",
            )
        given = step.params or {}
        choices = {
            name: _chosen(text, step.state, given, f"reproduce.choices.{step.action}.{name}")
            for name, text in section.choices.get(step.action, {}).items()
        }
        params = {name: plain(value) for name, value in given.items()}
        steps.append(Scheduled(step.action, params, {n: plain(v) for n, v in choices.items()}, step.state))
    endless = trace.stuttering or trace.loop_to is not None
    return Schedule(about, str(subject.get("goal")), tuple(steps), endless)


def _chosen(text: str, state: Mapping[str, Value], params: Mapping[str, Value], where: str) -> Value:
    form = _CHOICE.fullmatch(text)
    name, index = form.groups() if form else (text, None)
    value: Any = state.get(name)
    if form is None or name not in state or (index is not None and index not in params):
        raise VstackError(
            f"The choice `{text}` is not `variable` or `variable[parameter]`", where=f"vstack.yaml: {where}", todo="Mend it"
        )
    if index is None:
        return value
    key = params[index]
    if isinstance(value, tuple) and isinstance(key, int):
        return value[key - 1]
    return value[key]
