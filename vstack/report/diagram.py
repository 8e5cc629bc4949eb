"""A counterexample as a sequence diagram: inline SVG coloured by the page's CSS variables."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from vstack.report.behaviour import ENVIRONMENT, Behaviour
from vstack.report.flights import Flight
from vstack.report.layout import (
    BOX_WIDTH,
    FOOT_FROM,
    HEAD_HEIGHT,
    LABEL_LETTER,
    LINE,
    NUMBER_WIDTH,
    Box,
    Layout,
    Wire,
    cut,
    lay_out,
    shorten,
)
from vstack.results import CaseReport

_RADIUS = 7


@dataclass(frozen=True)
class Diagram:
    """An ``<svg>`` element and its width in pixels."""

    svg: str
    width: int


def sequence_diagram(behaviour: Behaviour, flights: tuple[Flight, ...], report: CaseReport, prefix: str) -> Diagram:
    """The diagram of ``behaviour``.

    ``prefix`` makes the ids unique on the page; each box links to
    ``#{prefix}-step-N``.
    """
    layout = lay_out(behaviour, flights)
    width, height = round(layout.width), round(layout.height)
    opening = (
        f'<svg class="sd" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        f' aria-labelledby="{prefix}-title {prefix}-desc" xmlns="http://www.w3.org/2000/svg">'
    )
    parts = [
        opening,
        f'<title id="{prefix}-title">{escape(_title(behaviour))}</title>',
        f'<desc id="{prefix}-desc">{escape(_description(behaviour, flights))}</desc>',
        *(_lifeline(name, x, layout, report) for name, x in layout.lanes.items()),
        *(_wire(wire, layout) for wire in layout.wires),
        *(_box(box, behaviour, prefix) for box in layout.boxes),
        *(_label(wire) for wire in layout.wires),
        _ending(behaviour, layout),
        "</svg>",
    ]
    return Diagram("\n".join(parts), width)


def _title(behaviour: Behaviour) -> str:
    return f"Sequence diagram: how {behaviour.goal} is broken in {len(behaviour.steps)} steps"


def _description(behaviour: Behaviour, flights: tuple[Flight, ...]) -> str:
    steps = "; ".join(f"{step.number} {step.process} {step.label}" for step in behaviour.steps)
    text = f"Lanes: {', '.join(behaviour.lanes)}. Steps: {steps}."
    for flight in flights:
        start = "before step 1" if flight.start is None else f"step {flight.start}"
        end = flight.fate if flight.end is None else f"arrives at step {flight.end}"
        text += f" {flight.key} starts at {start} and {end}."
    return text


def _lifeline(name: str, x: float, layout: Layout, report: CaseReport) -> str:
    lines = cut(name, 17)[:2]
    first = HEAD_HEIGHT / 2 + 5 - (len(lines) - 1) * LINE / 2
    kind = "sd-head sd-env" if name == ENVIRONMENT else "sd-head"
    texts = "".join(
        f'<text x="{x:g}" y="{first + index * LINE:g}" class="sd-name">{escape(line)}</text>'
        for index, line in enumerate(lines)
    )
    about = report.processes.get(name, "")
    foot = ""
    if len(layout.boxes) >= FOOT_FROM:
        foot = f'<text x="{x:g}" y="{layout.bottom + 36:g}" class="sd-name">{escape(shorten(name, 19))}</text>'
    return (
        f'<line x1="{x:g}" y1="{HEAD_HEIGHT}" x2="{x:g}" y2="{layout.bottom:g}" class="sd-life"/>'
        f"<g><title>{escape(f'{name}: {about}' if about else name)}</title>"
        f'<rect x="{x - BOX_WIDTH / 2:g}" y="1" width="{BOX_WIDTH}" height="{HEAD_HEIGHT - 1}" rx="6" class="{kind}"/>'
        f"{texts}</g>{foot}"
    )


def _box(box: Box, behaviour: Behaviour, prefix: str) -> str:
    step = box.step
    kind = "sd-box"
    if step.environment:
        kind += " sd-env"
    if step is behaviour.steps[-1] and behaviour.loop_to is None and not behaviour.stuttering:
        kind += " sd-broken"
    middle = box.y + box.height / 2
    first = middle + 4 - (len(box.lines) - 1) * LINE / 2
    text_x = box.x + NUMBER_WIDTH + 6
    texts = "".join(
        f'<text x="{text_x:g}" y="{first + index * LINE:g}" class="sd-label">{escape(line)}</text>'
        for index, line in enumerate(box.lines)
    )
    return (
        f'<a href="#{prefix}-step-{step.number}" class="{kind}"><title>{escape(f"{step.number}. {step.english}")}</title>'
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{BOX_WIDTH}" height="{box.height:g}" rx="5"/>'
        f'<text x="{box.x + NUMBER_WIDTH / 2 + 2:g}" y="{middle + 5:g}" class="sd-number">{step.number}</text>'
        f"{texts}</a>"
    )


def _wire(wire: Wire, layout: Layout) -> str:
    """The line with rounded corners, a dot where it starts, a head where it lands or none is in sight."""
    points = wire.points
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        (x1, y1), (x2, y2) = _towards(corner, before), _towards(corner, after)
        path += f"L{x1:g} {y1:g}Q{corner[0]:g} {corner[1]:g} {x2:g} {y2:g}"
    path += f"L{points[-1][0]:g} {points[-1][1]:g}"
    kind = f"sd-wire sd-{wire.flight.kind}"
    dot = f'<circle cx="{points[0][0]:g}" cy="{points[0][1]:g}" r="3.5"/>' if wire.flight.start is not None else ""
    return f'<g class="{kind}"><path d="{path}"/>{dot}{_head(wire)}</g>'


def _head(wire: Wire) -> str:
    x, y = wire.points[-1]
    if wire.flight.end is None:
        return f'<polyline points="{x - 6:g},{y - 8:g} {x:g},{y:g} {x + 6:g},{y - 8:g}" class="sd-open"/>'
    back = 9 if wire.points[-2][0] > x else -9
    return f'<polygon points="{x:g},{y:g} {x + back:g},{y - 5:g} {x + back:g},{y + 5:g}"/>'


def _towards(corner: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """The point on the way from ``corner`` to ``other`` where the rounding begins."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = abs(dx) + abs(dy)
    reach = min(_RADIUS, length / 2) / length if length else 0
    return corner[0] + dx * reach, corner[1] + dy * reach


def _label(wire: Wire) -> str:
    x, y = wire.label
    anchor = "end" if wire.label_end else "start"
    words = shorten(wire.flight.key)
    width = len(words) * LABEL_LETTER + 4
    # The plate keeps the label readable where a line passes behind it.
    text = (
        f'<rect x="{x - (width - 2 if wire.label_end else 2):g}" y="{y - 10:g}" width="{width:g}" height="13" class="sd-plate"/>'
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="sd-key sd-{wire.flight.kind}">'
        f"<title>{escape(wire.flight.key)}</title>{escape(words)}</text>"
    )
    if wire.tells_fate:
        x, y = wire.points[-1]
        fate = "never arrives" if wire.flight.fate == "never arrives" else "still on its way"
        text += (
            f'<text x="{x:g}" y="{y + 14:g}" text-anchor="middle" class="sd-key sd-{wire.flight.kind}">{fate}</text>'
        )
    return text


def _ending(behaviour: Behaviour, layout: Layout) -> str:
    y = layout.height - 12
    if behaviour.loop_to is not None and layout.loop_top is not None:
        last = layout.boxes[-1]
        below = last.y + last.height + 9
        right = layout.width - 6
        return (
            f'<g class="sd-loop"><line x1="12" y1="{layout.loop_top:g}" x2="{right:g}" y2="{layout.loop_top:g}"/>'
            f'<path d="M{right:g} {below:g}H18Q12 {below:g} 12 {below - 6:g}V{layout.loop_top:g}"/>'
            f'<polyline points="6,{layout.loop_top + 9:g} 12,{layout.loop_top:g} 18,{layout.loop_top + 9:g}"/></g>'
            f'<text x="24" y="{y:g}" class="sd-end">↺ again and again, for ever: {escape(behaviour.goal)} is broken</text>'
        )
    what = "Nothing ever happens again" if behaviour.stuttering else f"After step {len(behaviour.steps)}"
    return f'<text x="10" y="{y:g}" class="sd-end">✗ {what}: {escape(behaviour.goal)} is broken</text>'
