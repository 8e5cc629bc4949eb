"""Transfers and messages: each start finds its own landing."""

from __future__ import annotations

from tests.report.toy import CASE, CROWDED, LOOP, OVERWRITTEN, R1, STUCK, behaviour, run
from vstack.report.behaviour import read_behaviour
from vstack.report.flights import Flight, find_flights
from vstack.results import CaseReport
from vstack.verdicts import Verdict


def flights(trace: dict, report: CaseReport = CASE) -> tuple[Flight, ...]:  # type: ignore[type-arg]
    found = read_behaviour(run(Verdict.VIOLATED, "Isolation", trace), report)
    assert found is not None
    return find_flights(found, report)


def test_a_transfer_lands_at_its_own_later_step() -> None:
    copy = next(flight for flight in flights(OVERWRITTEN) if flight.key == "copy(r1)")
    assert (copy.kind, copy.source, copy.target, copy.start, copy.end) == ("transfer", "courier", "courier", 2, 6)


def test_a_message_nobody_took_is_still_on_its_way_and_after_the_end_never_arrives() -> None:
    assert [f.fate for f in flights(OVERWRITTEN) if f.end is None] == ["still on its way at the end"]
    assert {f.fate for f in flights(STUCK) if f.end is None} == {"never arrives"}


def test_a_message_that_no_action_receives_arrives_at_once() -> None:
    note = next(
        flight for flight in flights(CROWDED.cells[0].evidence.trace or {}, CROWDED) if flight.key == "note(r1)"
    )
    assert note.start == note.end == 1 and note.target == "journal"


def test_equal_keys_land_first_in_first_out() -> None:
    start, land = ("StartCopy", {"r": R1}, {}), ("CopyLands", {"r": R1}, {})
    found = [f for f in flights(behaviour(start, start, land, land)) if f.kind == "transfer"]
    assert [(flight.start, flight.end) for flight in found] == [(1, 3), (2, 4)]


def test_a_landing_without_a_start_was_under_way_before() -> None:
    (found,) = flights(behaviour(("CopyLands", {"r": R1}, {})))
    assert (found.start, found.end) == (None, 1)
    assert found.at_end() == "copy(r1), on its way since the start, arrives"


def test_what_set_out_before_a_loop_and_is_not_landed_in_it_never_arrives() -> None:
    fates = [(flight.start, flight.fate) for flight in flights(LOOP) if flight.end is None]
    assert fates == [(2, "never arrives"), (3, "never arrives"), (5, "still on its way when the loop closes")]
