"""The ledger once more, as plainly as can be: one object per page, a set of leases on each. For tests to compare with."""

from __future__ import annotations

from dataclasses import dataclass, field

from veriserve.evidence import Access, Event
from veriserve.ledger_types import Kind, State

Ticket = tuple[int, int]


class Refused(Exception):
    """A precondition does not hold."""


def need(condition: bool) -> None:
    if not condition:
        raise Refused


@dataclass
class Page:
    gen: int = 0
    state: State = State.FREE
    owner: int | None = None
    full: bool = False
    parent: int | None = None
    leases: set[tuple[int, Kind]] = field(default_factory=set)

    def free(self) -> None:
        self.state, self.owner, self.full, self.parent = State.FREE, None, False, None

    def settle(self) -> None:
        if not self.leases and self.state in (State.DRAINING, State.QUARANTINED):
            self.free()


@dataclass
class Holding:
    kind: Kind
    owner: int
    access: Access | None
    open: dict[int, int]


QUIET = {
    Access.READ_TARGET: {Event.DONE, Event.FAILED},
    Access.READ_SOURCE: {Event.DONE, Event.FAILED, Event.REFUSED},
    Access.WRITE_SOURCE: {Event.DONE, Event.FAILED},
    Access.WRITE_TARGET: {Event.DONE, Event.REFUSED},
}
WRITTEN = {Access.READ_TARGET, Access.WRITE_TARGET}


class Reference:
    def __init__(self, count: int, last: int) -> None:
        self.pages = [Page() for _ in range(count)]
        self.holdings: dict[int, Holding] = {}
        self.last = last
        self.late = 0

    def current(self, tickets: list[Ticket], states: set[State]) -> list[Page]:
        need(len(tickets) > 0 and len({page for page, _ in tickets}) == len(tickets))
        pages = [self.pages[page] for page, _ in tickets]
        need(all(page.gen == gen and page.state in states for page, (_, gen) in zip(pages, tickets, strict=True)))
        return pages

    def owned(self, tickets: list[Ticket], owner: int, states: set[State]) -> list[Page]:
        pages = self.current(tickets, states)
        need(all(page.owner == owner for page in pages))
        return pages

    def free_pages(self) -> int:
        return sum(page.state is State.FREE and page.gen < self.last for page in self.pages)

    def alloc(self, tickets: list[Ticket], owner: int) -> None:
        """What the ledger gave out: free pages, each in its next generation."""
        for number, gen in tickets:
            page = self.pages[number]
            assert page.state is State.FREE and gen == page.gen + 1 <= self.last
            page.gen, page.state, page.owner = gen, State.PRIVATE, owner

    def complete(self, tickets: list[Ticket], owner: int) -> None:
        pages = self.owned(tickets, owner, {State.PRIVATE})
        need(not any(page.full or any(kind is Kind.TRANSFER for _, kind in page.leases) for page in pages))
        for page in pages:
            page.full = True

    def publish(self, number: int, tickets: list[Ticket], first: list[bool], owner: int, parent: Ticket | None) -> None:
        pages = self.owned(tickets, owner, {State.PRIVATE})
        need(all(page.full for page in pages) and first == sorted(first))
        if parent is not None:
            self.current([parent], {State.SHARED})
        need(parent is not None or all(first))
        above = None if parent is None else parent[0]
        shared = {}
        for page, (place, gen), is_first in zip(pages, tickets, first, strict=True):
            if is_first:
                page.state, page.owner, page.parent, above = State.SHARED, None, above, place
                shared[place] = gen
            else:
                page.state = State.DUP
        if shared:
            self.hold(number, Kind.CACHE, owner, None, shared)

    def evict(self, tickets: list[Ticket]) -> None:
        pages = self.current(tickets, {State.SHARED})
        going = {place for place, _ in tickets}
        need(not any(page.leases for page in pages))
        need(not any(page.parent in going for place, page in enumerate(self.pages) if place not in going))
        for page in pages:
            page.free()

    def release(self, tickets: list[Ticket], owner: int) -> None:
        for page in self.owned(tickets, owner, {State.PRIVATE, State.DUP}):
            self.let_go(page)

    def let_go(self, page: Page) -> None:
        page.owner = None
        page.state = State.DRAINING
        page.settle()

    def expire(self, tickets: list[Ticket]) -> None:
        pages = self.current(tickets, {State.DRAINING})
        need(all(any(kind is Kind.TRANSFER for _, kind in page.leases) for page in pages))
        for page in pages:
            page.state = State.QUARANTINED

    def timeout(self, tickets: list[Ticket], owner: int) -> None:
        for page in self.owned(tickets, owner, {State.PRIVATE, State.DUP}):
            if any(kind is Kind.TRANSFER for _, kind in page.leases):
                page.state, page.owner = State.QUARANTINED, None
            else:
                self.let_go(page)

    def open(
        self, number: int, tickets: list[Ticket], kind: Kind, owner: int, access: Access | None, reads: int
    ) -> None:
        pages = self.current(tickets, {State.PRIVATE, State.SHARED, State.DUP})
        if kind is Kind.CACHE:
            need(all(page.state is State.SHARED for page in pages))
        else:
            need(all(page.state is State.SHARED or page.owner == owner for page in pages))
            reads = 0 if access in WRITTEN else reads
            need(all(page.full for page in pages[:reads]))
            need(all(page.state is State.PRIVATE for page in pages[reads:]))
            if access in WRITTEN:
                need(not any(page.full or page.leases for page in pages))
        self.hold(number, kind, owner, access, dict(tickets))

    def hold(self, number: int, kind: Kind, owner: int, access: Access | None, entries: dict[int, int]) -> None:
        self.holdings[number] = Holding(kind, owner, access, entries)
        for place in entries:
            self.pages[place].leases.add((number, kind))

    def close(self, number: int) -> None:
        holding = self.holdings[number]
        need(holding.kind is not Kind.TRANSFER and len(holding.open) > 0)
        self.drop(number, list(holding.open))

    def drop(self, number: int, places: list[int]) -> None:
        holding = self.holdings[number]
        for place in places:
            del holding.open[place]
            self.pages[place].leases.remove((number, holding.kind))
            self.pages[place].settle()

    def evidence(self, number: int, tickets: list[Ticket], event: Event) -> int:
        holding = self.holdings[number]
        need(holding.kind is Kind.TRANSFER)
        assert holding.access is not None
        known = [place for place, gen in tickets if holding.open.get(place) == gen]
        self.late += len(tickets) - len(known)
        if event not in QUIET[holding.access]:
            return 0
        for place in known:
            if event is Event.DONE and holding.access in WRITTEN and self.pages[place].state is State.PRIVATE:
                self.pages[place].full = True
        self.drop(number, known)
        return len(known)
