"""Where everything of a sequence diagram goes: lanes, rows, ports, and channels that never cross a box.

One row holds one step, so a horizontal line within a row meets no other box;
vertical lines run in the gaps between lanes. Pixels, the origin top left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from vstack.report.behaviour import Behaviour, Step
from vstack.report.flights import Flight

BOX_WIDTH = 146
NUMBER_WIDTH = 22
HEAD_HEIGHT = 44
LINE = 16
PORT = 17
LABEL_CHARACTERS = 26
LABEL_LETTER = 6.95
FOOT_FROM = 10
_LETTERS = 15


@dataclass(frozen=True)
class Box:
    """A step's box: left, top, height and its label cut into lines."""

    step: Step
    x: float
    y: float
    height: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Wire:
    """A flight's way: points of its corners, and its label's place (``label_end``: the place is its end).

    ``tells_fate`` is set for one of the flights that stay open side by side.
    """

    flight: Flight
    points: tuple[tuple[float, float], ...]
    label: tuple[float, float]
    label_end: bool
    tells_fate: bool = False


@dataclass(frozen=True)
class Layout:
    """A whole diagram; ``lanes`` maps a lane to its middle, ``loop_top`` is where the loop returns to."""

    width: float
    height: float
    lanes: dict[str, float]
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    bottom: float
    loop_top: float | None


def lay_out(behaviour: Behaviour, flights: tuple[Flight, ...]) -> Layout:
    """The places of all parts of the diagram of ``behaviour``."""
    order = {name: index for index, name in enumerate(behaviour.lanes)}
    last = len(behaviour.steps)
    gaps = [_gap(flight, order) for flight in flights]
    slots = _slots(flights, gaps, last)
    margin = 34 if behaviour.loop_to is not None else 8
    lefts, widths = _columns(len(order), flights, gaps, slots, order, margin)
    ports = _ports(flights, order)
    boxes, bottom, loop_top = _rows(behaviour, order, lefts, ports)
    rows = {box.step.number: box for box in boxes}
    used: dict[tuple[int, str], int] = {}

    def port(number: int, side: str) -> float:
        index = used.get((number, side), 0)
        used[(number, side)] = index + 1
        box, count = rows[number], ports[(number, side)]
        return box.y + box.height / 2 + (index - (count - 1) / 2) * PORT

    # Landings take the upper ports: what arrives at a step comes before what it sends.
    ends = {
        index: port(flight.end, _end_side(flight, order))
        for index, flight in enumerate(flights)
        if flight.end is not None and flight.end != flight.start
    }
    wires = []
    told: set[int] = set()
    for index, flight in enumerate(flights):
        channel = lefts[gaps[index]] + BOX_WIDTH + 16 + 14 * slots[index]
        start = None if flight.start is None else port(flight.start, _start_side(flight, order))
        wire = _wire(flight, order, lefts, channel, start, ends.get(index), bottom)
        if flight.end is None and gaps[index] not in told:
            told.add(gaps[index])
            wire = replace(wire, tells_fate=True)
        wires.append(wire)
    return Layout(
        width=lefts[-1] + BOX_WIDTH + widths[-1],
        height=bottom + (46 if len(boxes) < FOOT_FROM else 76),
        lanes={name: lefts[index] + BOX_WIDTH / 2 for name, index in order.items()},
        boxes=boxes,
        wires=tuple(wires),
        bottom=bottom,
        loop_top=loop_top,
    )


def cut(label: str, letters: int = _LETTERS) -> tuple[str, ...]:
    """``label`` in lines of at most ``letters``: cut at words, at the parameters, else within a long word."""
    lines: list[str] = []
    for piece in re.findall(r"\([^)]*\)?|[A-Z]?[^A-Z(\s_]+_?|.", label):
        if lines and len(lines[-1]) + len(piece) <= letters and not (piece[0] == "(" and len(lines) > 1):
            lines[-1] += piece
        else:
            lines += [piece[start : start + letters] for start in range(0, len(piece), letters)]
    return tuple(line.strip() for line in lines)


def shorten(text: str, letters: int = LABEL_CHARACTERS) -> str:
    """``text`` cut to ``letters`` with an ellipsis."""
    return text if len(text) <= letters else text[: letters - 1] + "…"


def _start_side(flight: Flight, order: dict[str, int]) -> str:
    target = order.get(flight.target or "", order[flight.source])
    return "left" if target < order[flight.source] else "right"


def _end_side(flight: Flight, order: dict[str, int]) -> str:
    return "left" if order[flight.target or flight.source] > order[flight.source] else "right"


def _gap(flight: Flight, order: dict[str, int]) -> int:
    """The gap that the flight runs down in: gap g is right of lane g."""
    return order[flight.source] - (1 if _start_side(flight, order) == "left" else 0)


def _slots(flights: tuple[Flight, ...], gaps: list[int], last: int) -> list[int]:
    """For each flight the first channel of its gap that is free in all its rows."""
    taken: dict[tuple[int, int], list[tuple[int, int]]] = {}
    slots = []
    for flight, gap in zip(flights, gaps, strict=True):
        first = flight.start if flight.start is not None else flight.end or 0
        rows = (first, flight.end if flight.end is not None else last + 1)
        slot = 0
        while any(rows[0] <= end and start <= rows[1] for start, end in taken.get((gap, slot), ())):
            slot += 1
        taken.setdefault((gap, slot), []).append(rows)
        slots.append(slot)
    return slots


def _columns(
    lanes: int, flights: tuple[Flight, ...], gaps: list[int], slots: list[int], order: dict[str, int], margin: int
) -> tuple[list[float], list[float]]:
    """The left edge of each lane and the width of the gap to its right; the last has room for labels."""
    widths = [36.0] * lanes
    for gap, slot in zip(gaps, slots, strict=True):
        widths[gap] = max(widths[gap], 34.0 + 14 * slot)
    labels = [
        len(shorten(flight.key)) * LABEL_LETTER + 14 * slot
        for flight, gap, slot in zip(flights, gaps, slots, strict=True)
        if gap == lanes - 1
    ]
    widths[-1] = max(labels) + 30 if labels else 10
    lefts = [float(margin)]
    for width in widths[:-1]:
        lefts.append(lefts[-1] + BOX_WIDTH + width)
    return lefts, widths


def _ports(flights: tuple[Flight, ...], order: dict[str, int]) -> dict[tuple[int, str], int]:
    counts: dict[tuple[int, str], int] = {}
    for flight in flights:
        if flight.start is not None:
            place = (flight.start, _start_side(flight, order))
            counts[place] = counts.get(place, 0) + 1
        if flight.end is not None and flight.end != flight.start:
            place = (flight.end, _end_side(flight, order))
            counts[place] = counts.get(place, 0) + 1
    return counts


def _rows(
    behaviour: Behaviour, order: dict[str, int], lefts: list[float], ports: dict[tuple[int, str], int]
) -> tuple[tuple[Box, ...], float, float | None]:
    y = HEAD_HEIGHT + 22.0
    loop_top = y - 11 if behaviour.loop_to == 0 else None
    boxes = []
    for step in behaviour.steps:
        lines = cut(step.label)
        most = max(ports.get((step.number, side), 0) for side in ("left", "right"))
        height = max(34.0, LINE * len(lines) + 14, PORT * most + 8)
        boxes.append(Box(step, lefts[order[step.process]], y, height, lines))
        y += height + 18
        if step.number == behaviour.loop_to:
            y += 12
            loop_top = y - 15
    return tuple(boxes), y + 4, loop_top


def _wire(
    flight: Flight,
    order: dict[str, int],
    lefts: list[float],
    channel: float,
    start: float | None,
    end: float | None,
    bottom: float,
) -> Wire:
    leftward = _start_side(flight, order) == "left"
    exit_x = lefts[order[flight.source]] + (0 if leftward else BOX_WIDTH)
    target = order.get(flight.target or "", order[flight.source])
    enter_x = lefts[target] + (0 if target > order[flight.source] else BOX_WIDTH)
    label_x = channel + (-7 if leftward else 7)
    if start is not None and flight.end == flight.start:
        # Handed over within the step: straight to the lifeline of the target.
        middle = lefts[target] + BOX_WIDTH / 2
        return Wire(flight, ((exit_x, start), (middle, start)), (label_x, start + 4), leftward)
    if start is None:
        assert end is not None, "a flight starts or ends somewhere"
        return Wire(flight, ((channel, end), (enter_x, end)), (channel + 7, end + 4), False)
    turn = ((exit_x, start), (channel, start))
    rest = ((channel, bottom),) if end is None else ((channel, end), (enter_x, end))
    return Wire(flight, (*turn, *rest), (label_x, start + 4), leftward)
