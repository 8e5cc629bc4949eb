"""Transfers and messages of a counterexample: where each starts, and where, if ever, it lands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vstack.report.behaviour import Behaviour, Step
from vstack.report.tags import texts
from vstack.results import CaseReport

Kind = Literal["transfer", "message"]


@dataclass(frozen=True)
class Flight:
    """One transfer or message, from step ``start`` to step ``end`` (step numbers).

    ``start`` is None where it was on its way before the first step, ``end``
    where it has not arrived by the end: ``fate`` then says so. A message that the model hands over in the sending
    step itself has ``start == end``. ``target`` is the lane it goes to, None
    where it does not arrive and no tag names one.
    """

    kind: Kind
    key: str
    source: str
    target: str | None
    start: int | None
    end: int | None
    fate: str = ""

    def at_start(self) -> str:
        """What the story says at the step where it starts."""
        if self.end is not None and self.end == self.start:
            return f"{self.key} reaches {self.target} at once"
        fate = f"arrives at step {self.end}" if self.end is not None else self.fate
        return f"{self.key} sets out here; {fate}"

    def at_end(self) -> str:
        """What the story says at the step where it lands."""
        since = "the start" if self.start is None else f"step {self.start}"
        return f"{self.key}, on its way since {since}, arrives"


def find_flights(behaviour: Behaviour, report: CaseReport) -> tuple[Flight, ...]:
    """All flights of ``behaviour`` in the order of their start; equal keys land first in, first out."""
    awaited = {text.split("(")[0] for about in report.actions.values() for text in texts(about.get("receives"))}
    flights: list[Flight] = []
    open_flights: dict[tuple[Kind, str], list[int]] = {}
    for step in behaviour.steps:
        for key in step.lands:
            _land("transfer", key, step, flights, open_flights)
        for key in step.receives:
            _land("message", key, step, flights, open_flights)
        for key in step.starts:
            open_flights.setdefault(("transfer", key), []).append(len(flights))
            flights.append(Flight("transfer", key, step.process, None, step.number, None, _fate(behaviour, step)))
        for text in step.sends:
            key, _, target = (part.strip() for part in text.rpartition(" to ")) if " to " in text else (text, "", "")
            if key.split("(")[0] in awaited:
                open_flights.setdefault(("message", key), []).append(len(flights))
                fate = _fate(behaviour, step)
                flights.append(Flight("message", key, step.process, target or None, step.number, None, fate))
            else:
                flights.append(Flight("message", key, step.process, target or step.process, step.number, step.number))
    return tuple(flights)


def told(step: Step, flights: tuple[Flight, ...]) -> tuple[tuple[Kind, str], ...]:
    """What the story says of flights at ``step``: (kind, sentence), what arrives before what leaves."""
    landing = [flight for flight in flights if flight.end == step.number != flight.start]
    leaving = [flight for flight in flights if flight.start == step.number]
    return (
        *((flight.kind, flight.at_end()) for flight in landing),
        *((flight.kind, flight.at_start()) for flight in leaving),
    )


def _fate(behaviour: Behaviour, step: Step) -> str:
    """What becomes of a flight that has not arrived when the steps end.

    A run that stops for ever, or a loop that does not land what set out before
    it, never will; a run that was cut at the broken goal still might.
    """
    if behaviour.stuttering or (behaviour.loop_to is not None and step.number <= behaviour.loop_to):
        return "never arrives"
    return "still on its way at the end" if behaviour.loop_to is None else "still on its way when the loop closes"


def _land(
    kind: Kind, key: str, step: Step, flights: list[Flight], open_flights: dict[tuple[Kind, str], list[int]]
) -> None:
    waiting = open_flights.get((kind, key))
    if waiting:
        index = waiting.pop(0)
        was = flights[index]
        flights[index] = Flight(kind, key, was.source, step.process, was.start, step.number)
    else:
        flights.append(Flight(kind, key, step.process, step.process, None, step.number))
