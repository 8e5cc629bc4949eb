"""Traces: clocks and causes, the ledger's events, and that neither a slow writer nor a full disk is waited for."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from veriserve.ledger import PdLedger
from veriserve.ledger_log import LedgerLog
from veriserve.messages import Bye, Envelope, Peer
from veriserve.trace import Trace


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_events_of_the_ledger_and_of_messages_come_in_the_order_of_the_clock(tmp_path):
    trace = Trace(tmp_path / "d.jsonl", "d")
    ledger = PdLedger(2, log=LedgerLog("d", trace.emit))
    tickets = ledger.alloc(1, 7)
    trace.received(Envelope(Peer("p", 3), 1, 40, Bye()))
    posted = trace.note("transfer.posted", number=1)
    trace.note("transfer.ended", cause=posted, number=1)
    ledger.release(tickets, 7)
    trace.close()
    events = lines(tmp_path / "d.jsonl")
    assert [event["clock"] for event in events] == [1, 41, 42, 43, 44]
    names = ["ledger.alloc", "message.received", "transfer.posted", "transfer.ended", "ledger.release"]
    assert [event["event"] for event in events] == names
    assert events[1]["cause"] == ["p", 40] and events[3]["cause"] == 42 and events[0]["gens"] == [1]
    assert events[4]["after"]["state"] == ["FREE"] and {event["process"] for event in events} == {"d"}


def test_a_trace_that_is_off_keeps_the_clock_and_writes_nothing():
    trace = Trace.off()
    assert trace.note("x") == 1 and not trace.on
    trace.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_stops_tracing_and_nothing_else():
    trace = Trace(Path("/dev/full"), "d", held=4)
    for _ in range(1000):
        trace.note("x")
    deadline = time.monotonic() + 10
    while trace.on and time.monotonic() < deadline:
        time.sleep(0.01)
    assert trace.clock == 1000 and not trace.on
    trace.close()


def test_a_writer_that_cannot_keep_up_ends_the_trace_without_a_hole(tmp_path):
    trace = Trace(tmp_path / "t.jsonl", "d", held=10)
    for _ in range(50_000):
        trace.note("x")
    assert trace.stopped == "its writer could not keep up"
    trace.close()
    clocks = [event["clock"] for event in lines(tmp_path / "t.jsonl")]
    assert clocks == list(range(1, len(clocks) + 1)) and len(clocks) >= 10
