"""Read an event log in JSON lines, and put its events in causal order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vstack.errors import VstackError
from vstack.files import read_text
from vstack.sections import TraceMapping

MISSING = object()


@dataclass(frozen=True)
class Event:
    """One line of a log: its line number (from 1) and its JSON object."""

    line: int
    data: dict[str, Any]

    def field(self, path: str) -> Any:
        """The value at a dotted ``path``, or ``MISSING``."""
        found: Any = self.data
        for part in path.split("."):
            if not isinstance(found, dict) or part not in found:
                return MISSING
            found = found[part]
        return found


def read_log(path: Path) -> tuple[Event, ...]:
    """The events of ``path``; blank lines don't count.

    Raises:
        VstackError: the log is missing, a line is not a JSON object, or there is no event at all.
    """
    events = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except ValueError as error:
            raise VstackError(
                f"The line is not JSON: {error}", where=f"{path}:{number}", todo="Write one JSON object a line"
            ) from None
        if not isinstance(data, dict):
            raise VstackError("The line is not a JSON object", where=f"{path}:{number}", todo="Write one object a line")
        events.append(Event(number, data))
    if not events:
        raise VstackError(
            "The trace holds no event", where=str(path), todo="Record one; an empty trace shows nothing about the model"
        )
    return tuple(events)


@dataclass(frozen=True)
class Order:
    """Events in one order, and what must come before each where that order is only one of several.

    ``before[i]`` holds the places (from 0) of the events that must come before
    event ``i``; None when the order of ``events`` is the only one.
    """

    events: tuple[Event, ...]
    before: tuple[tuple[int, ...], ...] | None


def order_events(events: tuple[Event, ...], mapping: TraceMapping, where: str) -> Order:
    """The order that ``mapping`` asks for.

    Raises:
        VstackError: a clock, thread or cause is missing, names no event, or runs in a circle.
    """
    if mapping.clock is not None:
        clocks = [(_needed(event, mapping.clock, where), event.line, event) for event in events]
        try:
            return Order(tuple(event for _, _, event in sorted(clocks, key=lambda item: item[:2])), None)
        except TypeError:
            raise VstackError(f"The clock `{mapping.clock}` mixes numbers and text", where=where) from None
    if mapping.thread is None:
        return Order(events, None)
    return _causal(events, mapping, where)


def _causal(events: tuple[Event, ...], mapping: TraceMapping, where: str) -> Order:
    assert mapping.thread is not None
    places = {event.field(mapping.id): place for place, event in enumerate(events) if event.field(mapping.id) is not MISSING}
    last: dict[Any, int] = {}
    before: list[set[int]] = []
    for place, event in enumerate(events):
        thread = _needed(event, mapping.thread, where)
        needs = {last[thread]} if thread in last else set()
        last[thread] = place
        causes = event.field(mapping.causes)
        for cause in [] if causes is MISSING else causes if isinstance(causes, list) else [causes]:
            if cause not in places:
                raise VstackError(
                    f"The cause {cause!r} names no event", where=f"{where}:{event.line}", todo="Log its event with that id"
                )
            needs.add(places[cause])
        before.append(needs)
    ranking = _topological(before, events, where)
    moved = {old: new for new, old in enumerate(ranking)}
    ordered = tuple(tuple(sorted(moved[need] for need in before[old])) for old in ranking)
    total = all(place == 0 or place - 1 in needs for place, needs in enumerate(ordered))
    return Order(tuple(events[old] for old in ranking), None if total else ordered)


def _topological(before: list[set[int]], events: tuple[Event, ...], where: str) -> list[int]:
    import heapq

    waiting = [len(needs) for needs in before]
    after: list[list[int]] = [[] for _ in before]
    for place, needs in enumerate(before):
        for need in needs:
            after[need].append(place)
    ready = [place for place, count in enumerate(waiting) if count == 0]
    ranking = []
    while ready:
        place = heapq.heappop(ready)
        ranking.append(place)
        for following in after[place]:
            waiting[following] -= 1
            if waiting[following] == 0:
                heapq.heappush(ready, following)
    if len(ranking) < len(before):
        stuck = next(place for place, count in enumerate(waiting) if count)
        raise VstackError("The causes run in a circle", where=f"{where}:{events[stuck].line}")
    return ranking


def _needed(event: Event, path: str, where: str) -> Any:
    value = event.field(path)
    if value is MISSING:
        raise VstackError(f"The event has no field `{path}`", where=f"{where}:{event.line}", todo="Log it in every event")
    return value
