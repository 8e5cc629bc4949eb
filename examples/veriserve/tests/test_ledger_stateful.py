"""100,000 random steps, possible and impossible ones, of the ledger beside a plain reference; the books after each."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_reference import Reference, Refused, Ticket

from veriserve.evidence import Access, Event
from veriserve.ledger import PdLedger
from veriserve.ledger_types import NOBODY, Kind, Lease, LedgerError, OutOfPages, State, Tickets

PAGES, OWNERS, LAST = 6, 3, 200
EXAMPLES, STEPS = 200, 512
ACCESS, EVENTS = list(Access), list(Event)
taken: Counter[str] = Counter()


class Walk:
    """Both ledgers side by side. Four bytes choose a step: what to do, for whom, on which pages, and how."""

    def __init__(self) -> None:
        self.ledger = PdLedger(PAGES, generations=LAST + 1)
        self.plain = Reference(PAGES, LAST)
        self.leases: list[Lease] = []

    def step(self, what: int, who: int, which: int, how: int) -> None:
        actions = [self.alloc, self.alloc, self.complete, self.publish, self.evict, self.release, self.timeout, self.expire,
                   self.open, self.open, self.open, self.close, self.close, self.evidence, self.evidence]  # fmt: skip
        action = actions[what % len(actions)]
        action(who % OWNERS, which, how)
        self.compare()

    def choose(self, owner: int, which: int, how: int, state: State | None = None) -> list[Ticket]:
        """Mostly pages of the owner (or in ``state``), sometimes any pages, sometimes stale tickets."""
        places = [
            place
            for place, page in enumerate(self.plain.pages)
            if (page.owner == owner if state is None else page.state is state)
        ]
        if how % 8 == 7 or not places:
            places = list(range(PAGES))
        chosen = [place for i, place in enumerate(places) if which >> i & 1] or [places[which % len(places)]]
        stale = how % 32 == 31
        return [(place, self.plain.pages[place].gen - stale) for place in chosen]

    def both(self, name: str, real, plain) -> None:
        try:
            expected = plain()
        except Refused:
            before = self.picture()
            with pytest.raises(LedgerError) as caught:
                real()
            assert caught.value.action.split()[0] == name and self.picture() == before
            taken[f"{name} refused"] += 1
            return
        assert real() == expected
        taken[name] += 1

    def alloc(self, owner: int, which: int, how: int) -> None:
        count = 1 + which % 3
        if count > self.plain.free_pages():
            with pytest.raises(OutOfPages):
                self.ledger.alloc(count, owner)
            taken["alloc refused"] += 1
            return
        self.plain.alloc(self.ledger.alloc(count, owner).pairs(), owner)
        taken["alloc"] += 1

    def complete(self, owner: int, which: int, how: int) -> None:
        pairs = self.choose(owner, which, how)
        self.both(
            "complete",
            lambda: self.ledger.complete(Tickets.of(pairs), owner),
            lambda: self.plain.complete(pairs, owner),
        )

    def publish(self, owner: int, which: int, how: int) -> None:
        pairs = self.choose(owner, which, how)
        shared = [(place, page.gen) for place, page in enumerate(self.plain.pages) if page.state is State.SHARED]
        parent = shared[which % len(shared)] if shared and how & 64 else None
        known = which % (len(pairs) + 1) if parent and how & 8 else 0
        first = [i >= known for i in range(len(pairs))]
        number = len(self.leases)

        def real() -> None:
            above = None if parent is None else Tickets.of([parent])
            mask, lease = self.ledger.publish(Tickets.of(pairs), np.array(first), owner, above)
            assert mask.tolist() == first and (lease is None) == (not any(first))
            if lease is not None:
                self.leases.append(lease)

        self.both("publish", real, lambda: self.plain.publish(number, pairs, first, owner, parent))

    def evict(self, owner: int, which: int, how: int) -> None:
        idle = [
            (place, page.gen)
            for place, page in enumerate(self.plain.pages)
            if page.state is State.SHARED and not page.leases
        ]
        pairs = idle[: 1 + which % 3] if idle and how & 64 else self.choose(owner, which, how, State.SHARED)
        self.both("evict", lambda: self.ledger.evict(Tickets.of(pairs)), lambda: self.plain.evict(pairs))

    def release(self, owner: int, which: int, how: int) -> None:
        pairs = self.choose(owner, which, how)
        self.both(
            "release", lambda: self.ledger.release(Tickets.of(pairs), owner), lambda: self.plain.release(pairs, owner)
        )

    def timeout(self, owner: int, which: int, how: int) -> None:
        pairs = self.choose(owner, which, how)
        self.both(
            "timeout", lambda: self.ledger.timeout(Tickets.of(pairs), owner), lambda: self.plain.timeout(pairs, owner)
        )

    def expire(self, owner: int, which: int, how: int) -> None:
        pairs = self.choose(owner, which, how, State.DRAINING)
        self.both("expire", lambda: self.ledger.expire(Tickets.of(pairs)), lambda: self.plain.expire(pairs))

    def open(self, owner: int, which: int, how: int) -> None:
        kind = Kind(how % 4)
        pairs = self.choose(owner, which, how >> 2, State.SHARED if kind is Kind.CACHE or how & 128 else None)
        access = ACCESS[which % 4] if kind is Kind.TRANSFER else None
        reads = len(pairs) if access or how & 16 else which % (len(pairs) + 1)
        number = len(self.leases)

        def real() -> None:
            self.leases.append(self.ledger.open(Tickets.of(pairs), kind, owner, access, reads))

        self.both("open", real, lambda: self.plain.open(number, pairs, kind, owner, access, reads))

    def lease(self, which: int) -> int | None:
        """Mostly an open lease, sometimes any of the newest."""
        opened = [number for number, holding in self.plain.holdings.items() if holding.open]
        if which % 8 == 7 or not opened:
            opened = list(range(len(self.leases)))[-8:]
        return opened[which // 8 % len(opened)] if opened else None

    def close(self, owner: int, which: int, how: int) -> None:
        number = self.lease(which)
        if number is not None:
            self.both("close", lambda: self.ledger.close(self.leases[number]), lambda: self.plain.close(number))

    def evidence(self, owner: int, which: int, how: int) -> None:
        number = self.lease(which)
        if number is None:
            return
        pairs = self.leases[number].tickets.pairs()[: 1 + how // 64]
        if how % 16 == 15:
            pairs = [(place, gen + 1) for place, gen in pairs]
        event = EVENTS[how % len(EVENTS)]
        self.both(
            "evidence",
            lambda: self.ledger.evidence(self.leases[number], Tickets.of(pairs), event),
            lambda: self.plain.evidence(number, pairs, event),
        )

    def picture(self) -> bytes:
        ledger = self.ledger
        return b"".join(
            array.tobytes() for array in (ledger.state, ledger.gen, ledger.owner, ledger.full, ledger.leases)
        )

    def compare(self) -> None:
        ledger, pages = self.ledger, self.plain.pages
        assert ledger.state.tolist() == [page.state for page in pages]
        assert ledger.gen.tolist() == [page.gen for page in pages]
        assert ledger.owner.tolist() == [NOBODY if page.owner is None else page.owner for page in pages]
        assert ledger.full.tolist() == [page.full for page in pages]
        for kind in Kind:
            assert ledger.leases[kind].tolist() == [sum(of is kind for _, of in page.leases) for page in pages]
        assert ledger.late_tickets == self.plain.late and ledger.free == self.plain.free_pages()
        ledger.check_integrity()


@settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.binary(min_size=4 * STEPS, max_size=4 * STEPS))
def walk(steps: bytes) -> None:
    pair = Walk()
    for i in range(0, len(steps), 4):
        pair.step(*steps[i : i + 4])
        taken["steps"] += 1


def test_the_ledger_does_what_the_reference_does():
    taken.clear()
    walk()
    assert taken["steps"] >= 100_000, taken
    for name in ("alloc", "complete", "publish", "evict", "release", "timeout", "expire", "open", "close", "evidence"):
        assert taken[name] > 100 and taken[f"{name} refused"] > 100, (name, taken)
    print(dict(taken))
