"""Corrupted events: the negative control that shows a replay can fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vstack.validate.traces.mapping import Logged, Mapped

MOST = 8


def corrupt(events: Sequence[Mapped]) -> dict[int, Mapped]:
    """Up to eight events, spread over the log and its kinds, each altered in one value, by place (from 0).

    A state value becomes another value that the same expression has elsewhere
    in the log; without state values a parameter does, and else the event
    becomes one of another action. Where none of these differ there is no control.
    """
    seen: dict[str, list[Logged]] = {}
    for event in events:
        for expression, value in event.state.items():
            known = seen.setdefault(expression, [])
            if len(known) < MOST and all(value.value != other.value for other in known):
                known.append(value)
    found: dict[int, Mapped] = {}
    step = max(1, len(events) // MOST)
    for start in range(0, len(events), step):
        for place in range(start, min(start + step, len(events))):
            altered = _alter(events[place], seen, events)
            if altered is not None:
                found[place] = altered
                break
        if len(found) == MOST:
            break
    return found


def _alter(event: Mapped, seen: dict[str, list[Logged]], events: Sequence[Mapped]) -> Mapped | None:
    for expression, value in event.state.items():
        other = next((candidate for candidate in seen[expression] if candidate.value != value.value), None)
        if other is not None:
            return replace(event, state={**event.state, expression: other})
    for other_event in events:
        if event.params and other_event.action == event.action and other_event.params != event.params:
            return replace(event, params=other_event.params)
    return next((replace(other, state=event.state) for other in events if other.action != event.action), None)
