"""Pages go between two processes over real Mooncake and ZeroMQ, and the other process is killed, frozen, started again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mooncake.engine", reason="needs Mooncake's transfer engine and libibverbs1", exc_type=ImportError)
from freeze import freeze
from worker_process import Worker, content

HERE = Path(__file__).parent
PAGE = 40_000  # not a multiple of the slices


class Prefill:
    """A prefill worker's process."""

    def __init__(self, **options: object) -> None:
        environment = {**os.environ, "MC_TCP_PROGRESS_TIMEOUT_SEC": "3", "GLOG_minloglevel": "3"}
        command = [sys.executable, str(HERE / "worker_process.py"), json.dumps({"page_bytes": PAGE, **options})]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.address = json.loads(self.process.stdout.readline())["address"]

    def report(self) -> dict:
        self.process.stdin.write("?\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def pair(mode: str, proxy: list[str] | None = None, **options: object) -> Iterator[tuple[Worker, Prefill]]:
    """A decode worker here, joined with a prefill worker's process; through a proxy, if its options are given."""
    prefill = Prefill(**options)
    between = decode = None
    address = prefill.address
    try:
        if proxy is not None:
            command = [sys.executable, "-m", "veriserve.proxy", "tcp://127.0.0.1:*", address, *proxy]
            between = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            address = between.stdout.readline().strip()
        decode = Worker("d", {"page_bytes": PAGE, "mode": mode})
        decode.wire.connect("p", address)
        until(decode, lambda: decode.exchange.peers)
        yield decode, prefill
    finally:
        if decode is not None:
            decode.exchange.close()
        prefill.kill()
        if between is not None:
            between.kill()
            between.wait()


def until(decode: Worker, true: Callable[[], object], seconds: float = 40.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, (decode.report(), decode.peers.refused)
        decode.step()


def start(decode: Worker, key: int, count: int, seconds: float = 60.0) -> tuple[int, object]:
    decode.owners += 1
    tickets = decode.ledger.alloc(count, decode.owners)
    now = time.monotonic()
    [peer] = decode.exchange.peers
    let_go = decode.holder(tickets, decode.owners)
    room = decode.exchange.link.start(peer, [key, count], 0, tickets, decode.owners, let_go, now + seconds, now)
    return room, tickets


def offered(decode: Worker) -> None:
    """The offer of two pages that the other worker sent before it fell silent arrives."""
    mover = decode.exchange.link.mover
    [room] = mover.rooms.values()
    mover.offered(room.peer, room.room, 0, [(0, 1 << 40), (1, 1 << 40)])


def intact(decode: Worker, key: int, tickets) -> bool:
    return all(
        np.array_equal(decode.memory[page], content(key, position, PAGE)) for position, page in enumerate(tickets.page)
    )


def reports(prefill: Prefill, decode: Worker, **counts: int) -> dict:
    """The prefill worker's report, once its pages are in these states."""
    for _ in range(200):
        report = prefill.report()
        if all(report["counts"][state] == count for state, count in counts.items()):
            return report
        for _ in range(10):
            decode.step()
    raise AssertionError(report)


@pytest.mark.parametrize("mode", ["pull", "push"])
def test_pages_land_intact_and_every_page_comes_back(mode):
    with pair(mode) as (decode, prefill):
        rooms = {key: start(decode, key, 2) for key in (11, 12, 13)}
        until(decode, lambda: len(decode.outcomes) == 3)
        assert set(decode.outcomes.values()) == {"landed"}
        for key, (_, tickets) in rooms.items():
            assert intact(decode, key, tickets) and decode.ledger.full[tickets.page].all()
        assert reports(prefill, decode, FREE=8)["outcomes"] == {"1": "through", "2": "through", "3": "through"}


@pytest.mark.parametrize("mode", ["pull", "push"])
def test_pages_land_intact_over_a_wire_that_loses_doubles_and_reorders(mode):
    faults = ["--drop", "0.25", "--double", "0.25", "--delay", "0.2", "--seed", "5"]
    with pair(mode, proxy=faults) as (decode, prefill):
        for key in range(20, 23):
            _, tickets = start(decode, key, 2)
            until(decode, lambda count=key - 19: len(decode.outcomes) == count)
            assert decode.outcomes[key - 19] == "landed" and intact(decode, key, tickets)
        assert reports(prefill, decode, FREE=8)["counts"]["FREE"] == 8


def test_a_killed_prefill_worker_fails_the_read_and_the_page_is_free():
    with pair("pull") as (decode, prefill):
        start(decode, 31, 1)
        until(decode, lambda: decode.outcomes)
        decode.outcomes.clear()
        before = decode.ledger.free
        start(decode, 32, 2)
        prefill.kill()
        offered(decode)
        until(decode, lambda: decode.outcomes)
        assert list(decode.outcomes.values()) == ["failed"]
        until(decode, lambda: decode.ledger.free == before)  # a failed read proves its target quiet
        assert decode.ledger.counts()["QUARANTINED"] == 0


def test_a_frozen_prefill_worker_is_overdue_then_evidence_frees_the_page(monkeypatch):
    monkeypatch.setenv("MC_TCP_PROGRESS_TIMEOUT_SEC", "3")
    with pair("pull") as (decode, prefill):
        start(decode, 41, 1)
        until(decode, lambda: decode.outcomes)
        decode.outcomes.clear()
        before = decode.ledger.free
        freeze(prefill.process.pid)
        start(decode, 42, 2, seconds=0.1)
        offered(decode)
        until(decode, lambda: decode.outcomes)
        assert list(decode.outcomes.values()) == ["timeout"] and decode.ledger.counts()["QUARANTINED"] == 2
        until(decode, lambda: decode.ledger.free == before)  # the reads have failed by now: their targets are quiet
        assert decode.ledger.counts()["QUARANTINED"] == 0


def test_a_frozen_prefill_worker_that_writes_leaves_quarantine_until_it_answers():
    with pair("push") as (decode, prefill):
        freeze(prefill.process.pid)
        start(decode, 51, 2, seconds=0.5)
        until(decode, lambda: decode.outcomes)
        assert list(decode.outcomes.values()) == ["timeout"] and decode.ledger.counts()["QUARANTINED"] == 2
        end = time.monotonic() + 1.5
        until(decode, lambda: time.monotonic() > end)
        assert decode.ledger.counts()["QUARANTINED"] == 2  # no time is long enough
        prefill.process.send_signal(signal.SIGCONT)
        until(decode, lambda: decode.ledger.free == 8)  # done or refused: either is proof


def test_a_worker_that_starts_again_is_another_and_its_pages_too():
    with pair("push") as (decode, prefill):
        freeze(prefill.process.pid)
        start(decode, 61, 1)
        prefill.kill()
        second = Prefill(incarnation=2)
        try:
            decode.wire.connect("p", second.address)
            until(decode, lambda: decode.outcomes)
            assert list(decode.outcomes.values()) == ["failed"] and decode.ledger.counts()["QUARANTINED"] == 1
            assert [peer.incarnation for peer in decode.exchange.peers] == [2]
            _, tickets = start(decode, 62, 2)
            until(decode, lambda: len(decode.outcomes) == 2)
            assert decode.outcomes[2] == "landed" and intact(decode, 62, tickets)
        finally:
            second.kill()


def test_a_worker_of_another_version_is_refused():
    prefill = Prefill(version="0")
    try:
        decode = Worker("d", {"page_bytes": PAGE})
        decode.wire.connect("p", prefill.address)
        until(decode, lambda: decode.peers.refused)
        assert "veriserve: '0' here, '1' there" in decode.peers.refused["p"] and not decode.exchange.peers
    finally:
        prefill.kill()
