"""A counterexample as data: steps with action, parameters, place in the source and state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vstack.tla.tree import Span
from vstack.tla.values import Value, format_value, parse_state, parse_value
from vstack.tlc.messages import STATES, Message

INITIAL = "Initial predicate"

_BACK, _STUTTERING = 2122, 2218
_INITIAL_STATE = (2107, 2108)
_HEADER = re.compile(
    r"^(?P<number>\d+):\s*(?:<(?P<action>.*?)"
    r"(?: line (?P<line>\d+), col (?P<column>\d+) to line (?P<end_line>\d+), col (?P<end_column>\d+)"
    r" of module (?P<module>\w+))?>)?\s*$"
)
_LOOP = re.compile(r"^(\d+): Back to state(?:: <([^ >]*))?")


@dataclass(frozen=True)
class Step:
    """One state and the action that led to it.

    ``action`` is TLC's name for it (``Initial predicate`` for the first; the
    name of the next-state relation for a disjunct without a name of its own).
    ``params`` are the action's parameters, None where they are not known.
    """

    number: int
    action: str
    params: Mapping[str, Value] | None
    span: Span | None
    state: Mapping[str, Value]


@dataclass(frozen=True)
class Trace:
    """A behaviour. For a liveness counterexample it goes on for ever: back to ``loop_to``, or stuttering."""

    steps: tuple[Step, ...]
    loop_to: int | None = None
    stuttering: bool = False

    def to_json(self) -> dict[str, Any]:
        """The trace as JSON data: values as TLA+ text, spans as ``[module, line, column, line, column]``."""
        return {
            "steps": [
                {
                    "number": step.number,
                    "action": step.action,
                    "params": None if step.params is None else _texts(step.params),
                    "span": None if step.span is None else _span_list(step.span),
                    "state": _texts(step.state),
                }
                for step in self.steps
            ],
            "loop_to": self.loop_to,
            "stuttering": self.stuttering,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trace:
        """The trace that ``to_json`` wrote."""
        steps = tuple(
            Step(
                item["number"],
                item["action"],
                None if item["params"] is None else _values(item["params"]),
                None if item["span"] is None else Span(*item["span"]),
                _values(item["state"]),
            )
            for item in data["steps"]
        )
        return cls(steps, data["loop_to"], data["stuttering"])


def read_trace(violation: Message, following: Sequence[Message]) -> Trace | None:
    """The trace of a violation, from the message that announces it and those after it.

    Raises:
        VstackError: a state's text can't be read.
    """
    if violation.code in _INITIAL_STATE:
        _, _, state = violation.text.partition("\n")
        return Trace((Step(1, INITIAL, None, None, parse_state(state)),))
    steps: list[Step] = []
    loop_to, stuttering = None, False
    for message in following:
        if message.code in STATES:
            steps.append(_read_step(message.text))
        elif message.code == _BACK:
            found = _LOOP.match(message.text)
            loop_to = int(found[1]) if found else None
            break
        elif message.code == _STUTTERING:
            # A stuttering message is also how 2.15 numbers the step that changes nothing for ever.
            stuttering = "Stuttering" in message.text
            break
        elif steps:
            break
    return Trace(tuple(steps), loop_to, stuttering) if steps else None


def _read_step(text: str) -> Step:
    header, _, state = text.partition("\n")
    found = _HEADER.match(header)
    if not found:
        return Step(0, header, None, None, parse_state(state))
    span = None
    if found["module"]:
        span = Span(
            found["module"],
            int(found["line"]),
            int(found["column"]),
            int(found["end_line"]),
            int(found["end_column"]),
        )
    return Step(int(found["number"]), found["action"] or "", None, span, parse_state(state))


def _texts(values: Mapping[str, Value]) -> dict[str, str]:
    return {name: format_value(value) for name, value in values.items()}


def _values(texts: Mapping[str, str]) -> dict[str, Value]:
    return {name: parse_value(text) for name, text in texts.items()}


def _span_list(span: Span) -> list[Any]:
    return [span.module, span.line, span.column, span.end_line, span.end_column]
