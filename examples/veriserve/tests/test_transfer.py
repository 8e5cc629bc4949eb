"""Transfers over real Mooncake between two processes, and what is refused before one begins."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from freeze import freeze

from veriserve.errors import VeriserveError
from veriserve.evidence import Access, Event

pytest.importorskip("mooncake.engine", reason="needs Mooncake's transfer engine and libibverbs1", exc_type=ImportError)
from veriserve.mooncake import Extents, Mooncake, cut
from veriserve.transfer import MOST, Move, PeerTransfers

PAGE, PAGES = 10_000, 8


class Pool:
    """Another process with a pool of known content."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).parent / "pool_process.py"), str(PAGE), str(PAGES)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = json.loads(self.process.stdout.readline())
        self.session, self.extents = told["session"], Extents(told["base"], PAGE, PAGES)

    def page(self, page: int) -> bytes:
        self.process.stdin.write(f"{page}\n")
        self.process.stdin.flush()
        return bytes.fromhex(self.process.stdout.readline())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def pool():
    pool = Pool()
    yield pool
    pool.kill()


def transfers_to(pool: Pool, memory: np.ndarray, **options) -> PeerTransfers:
    local = Extents(memory.ctypes.data, PAGE, PAGES)
    return PeerTransfers(lambda: Mooncake(local), pool.session, pool.extents, **options)


def ends(transfers: PeerTransfers, count: int, seconds: float = 30.0) -> dict[int, Event]:
    found: dict[int, Event] = {}
    deadline = time.monotonic() + seconds
    while len(found) < count and time.monotonic() < deadline:
        for end in transfers.ended():
            assert end.number not in found, "an end is told once"
            found[end.number] = end.event
        time.sleep(0.001)
    return found


def test_pages_move_intact_both_ways_in_slices(pool):
    memory = np.zeros((PAGES, PAGE), np.uint8)
    transfers = transfers_to(pool, memory, slice_bytes=3000, most=5)
    for page in range(PAGES):
        transfers.submit(Move(page, Access.READ_TARGET, PAGES - 1 - page, page))
    assert ends(transfers, PAGES) == dict.fromkeys(range(PAGES), Event.DONE)
    for page in range(PAGES):
        expected = np.random.default_rng(page).integers(0, 256, PAGE, dtype=np.uint8)
        assert np.array_equal(memory[PAGES - 1 - page], expected)
    transfers.submit(Move(100, Access.WRITE_SOURCE, 0, 3))
    assert ends(transfers, 1) == {100: Event.DONE}
    assert pool.page(3) == memory[0].tobytes()
    assert [pool.page(page) for page in (2, 4)] == [memory[PAGES - 1 - page].tobytes() for page in (2, 4)]
    assert transfers.close(5.0)


def test_a_killed_peer_fails_every_move_and_none_is_left(pool):
    memory = np.zeros((PAGES, PAGE), np.uint8)
    transfers = transfers_to(pool, memory, slice_bytes=3000)
    transfers.submit(Move(0, Access.READ_TARGET, 0, 0))
    assert ends(transfers, 1) == {0: Event.DONE}
    pool.kill()
    for number in range(1, 5):
        access = Access.READ_TARGET if number % 2 else Access.WRITE_SOURCE
        transfers.submit(Move(number, access, number, number))
    assert ends(transfers, 4) == dict.fromkeys(range(1, 5), Event.FAILED)
    assert transfers.close(5.0)


def test_first_contact_with_a_frozen_peer_holds_up_nobody_else(pool):
    memory = np.zeros((PAGES, PAGE), np.uint8)
    frozen = Pool()
    freeze(frozen.process.pid)
    try:
        stuck, fine = transfers_to(frozen, memory), transfers_to(pool, memory)
        began = time.monotonic()
        stuck.submit(Move(1, Access.READ_TARGET, 1, 1))
        assert time.monotonic() - began < 1.0
        for number in range(2, 8):
            fine.submit(Move(number, Access.READ_TARGET, number, number))
        assert ends(fine, 6) == dict.fromkeys(range(2, 8), Event.DONE)
        assert stuck.ended() == [] and not stuck.close(0.0)
    finally:
        frozen.kill()
    assert ends(stuck, 1) == {1: Event.FAILED} and stuck.close(5.0)


def test_closing_tells_of_what_was_never_started(pool):
    memory = np.zeros((PAGES, PAGE), np.uint8)
    transfers = transfers_to(pool, memory, slice_bytes=100, most=1)
    for number in range(PAGES):
        transfers.submit(Move(number, Access.READ_TARGET, number, number))
    assert transfers.close(10.0)
    assert set(ends(transfers, PAGES)) == set(range(PAGES))


def test_a_page_outside_of_the_pool_is_never_touched(pool):
    memory = np.zeros((PAGES, PAGE), np.uint8)
    transfers = transfers_to(pool, memory)
    transfers.submit(Move(1, Access.READ_TARGET, 0, PAGES))
    with pytest.raises(ValueError, match=f"page {PAGES} is outside"):
        ends(transfers, 1)
    assert not memory.any()


@pytest.mark.parametrize(("length", "most"), [(10_000, 3000), (1, 3000), (3000, 3000), (3001, 3000), (7, 1)])
def test_slices_cover_a_page_once(length, most):
    slices = cut(length, most)
    assert [begin for begin, _ in slices] == [sum(size for _, size in slices[:i]) for i in range(len(slices))]
    assert sum(size for _, size in slices) == length and all(1 <= size <= most for _, size in slices)


def test_more_under_way_than_the_engine_takes_is_refused():
    for most in (0, MOST + 1):
        with pytest.raises(ValueError, match="2048"):
            PeerTransfers(lambda: None, "nowhere:1", Extents(0, 1, 1), most=most)


def test_an_environment_that_makes_the_answers_false_is_refused(monkeypatch):
    monkeypatch.setenv("MC_TCP_PROTO", "1")
    with pytest.raises(VeriserveError, match="MC_TCP_PROTO is set"):
        Mooncake(Extents(0, 1, 1))


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ImportError("libibverbs.so.1: cannot open shared object file"), "apt-get install libibverbs1"),
        (ImportError("libcudart.so.12: cannot open shared object file"), "whose wheel needs no CUDA"),
        (ModuleNotFoundError("No module named 'mooncake'"), "Install veriserve.mooncake."),
    ],
)
def test_a_library_that_is_missing_is_named_in_one_paragraph(monkeypatch, error, says):
    import builtins

    real = builtins.__import__

    def fail(name, *rest):
        if name == "mooncake.engine":
            raise error
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(VeriserveError, match=says) as caught:
        Mooncake(Extents(0, 1, 1))
    assert "\n" not in str(caught.value)
