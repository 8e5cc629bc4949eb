"""The sequence diagram's geometry: no line crosses a box, no box another, all within the picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.report.toy import CASE, CROWDED, TROUBLED
from vstack.report.behaviour import read_behaviour
from vstack.report.diagram import sequence_diagram
from vstack.report.flights import find_flights
from vstack.report.layout import BOX_WIDTH, Layout, cut, lay_out
from vstack.results import CaseReport, Evidence

SAMPLES = [
    pytest.param(cell.evidence, report, id=f"{report.project}-{cell.variant}-{cell.environment}-{cell.goal}")
    for report in (CASE, CROWDED, TROUBLED)
    for cell in report.cells
    if cell.evidence.trace
]


def laid_out(evidence: Evidence, report: CaseReport) -> Layout:
    behaviour = read_behaviour(evidence, report)
    assert behaviour is not None
    return lay_out(behaviour, find_flights(behaviour, report))


@pytest.mark.parametrize(("evidence", "report"), SAMPLES)
def test_no_wire_runs_through_a_box(evidence: Evidence, report: CaseReport) -> None:
    layout = laid_out(evidence, report)
    for wire in layout.wires:
        for (x1, y1), (x2, y2) in zip(wire.points, wire.points[1:], strict=False):
            for box in layout.boxes:
                across = min(x1, x2) < box.x + BOX_WIDTH - 1 and max(x1, x2) > box.x + 1
                down = min(y1, y2) < box.y + box.height and max(y1, y2) > box.y
                assert not (across and down), f"{wire.flight.key} crosses step {box.step.number}"


@pytest.mark.parametrize(("evidence", "report"), SAMPLES)
def test_boxes_follow_each_other_and_all_is_inside(evidence: Evidence, report: CaseReport) -> None:
    layout = laid_out(evidence, report)
    for above, below in zip(layout.boxes, layout.boxes[1:], strict=False):
        assert above.y + above.height < below.y
    corners = [point for wire in layout.wires for point in wire.points]
    assert all(0 <= x <= layout.width and 0 <= y <= layout.height for x, y in corners)
    assert all(box.x >= 0 and box.x + BOX_WIDTH <= layout.width for box in layout.boxes)


@pytest.mark.parametrize(("evidence", "report"), SAMPLES)
def test_flights_side_by_side_have_channels_of_their_own(evidence: Evidence, report: CaseReport) -> None:
    channels = [
        (wire.points[1][0], wire.points[1][1], wire.points[2][1])
        for wire in laid_out(evidence, report).wires
        if len(wire.points) > 2
    ]
    for index, (x, top, bottom) in enumerate(channels):
        for other_x, other_top, other_bottom in channels[index + 1 :]:
            assert x != other_x or bottom < other_top or other_bottom < top


@pytest.mark.parametrize(("evidence", "report"), SAMPLES)
def test_the_drawing_is_well_formed_and_says_in_words_what_it_shows(evidence: Evidence, report: CaseReport) -> None:
    behaviour = read_behaviour(evidence, report)
    assert behaviour is not None
    drawn = sequence_diagram(behaviour, find_flights(behaviour, report), report, "x")
    root = ElementTree.fromstring(drawn.svg)
    described = root.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert all(f"{step.number} {step.process} {step.label}" in described for step in behaviour.steps)
    assert len(root.findall(".//{http://www.w3.org/2000/svg}a")) == len(behaviour.steps)
    assert drawn.width == int(root.attrib["width"])


@pytest.mark.parametrize(
    "label", ["Lend(r1, p1)", "SchedulerAdmitsRequest(request1, page2)", "snake_case_name", "X" * 60]
)
def test_labels_are_cut_without_losing_a_letter(label: str) -> None:
    lines = cut(label)
    assert max(map(len, lines)) <= 15
    assert "".join(lines).replace(" ", "") == label.replace(" ", "")
