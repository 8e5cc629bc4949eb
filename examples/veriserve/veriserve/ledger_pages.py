"""The ledger's arrays, and the checks and moves that its transitions are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veriserve.evidence import Access
from veriserve.ledger_books import after
from veriserve.ledger_log import LedgerLog
from veriserve.ledger_types import NOBODY, Kind, Lease, LedgerError, Mask, Pages, State, Tickets, join

GENERATIONS = 2**32  # of one incarnation of a worker
OWNED = (1 << State.PRIVATE) | (1 << State.DUP)
READABLE = OWNED | (1 << State.SHARED)
LEGIBLE = np.array([(READABLE >> state) & 1 == 1 for state in State])
_UNOWNED = (1 << State.DRAINING) | (1 << State.QUARANTINED)


def what(lease: Lease) -> str:
    """What a lease is called in events: its kind, or how its pages take part in a transfer."""
    return (lease.access or lease.kind).name.lower()


class LedgerPages:
    """Every page of one worker's pool: its state, generation, owner, completeness and open leases."""

    def __init__(
        self,
        num_pages: int,
        *,
        incarnation: int = 0,
        transport: str = "tcp",
        generations: int = GENERATIONS,
        log: LedgerLog | None = None,
    ) -> None:
        self.num_pages, self.transport, self.log = num_pages, transport, log
        self.state = np.full(num_pages, State.FREE, np.uint8)
        self.gen = np.full(num_pages, incarnation * GENERATIONS, np.int64)
        self.owner = np.full(num_pages, NOBODY, np.int64)
        self.full = np.zeros(num_pages, np.bool_)
        self.leases = np.zeros((len(Kind), num_pages), np.int32)
        self.open_leases: dict[int, Lease] = {}
        self.late_tickets = 0
        self.unproven_tickets = 0
        self.last_gen = incarnation * GENERATIONS + min(generations, GENERATIONS) - 1
        self._stack = np.arange(num_pages - 1, -1, -1, dtype=np.int64)
        self._free = num_pages
        self._numbers = 0
        self._parent = np.full(num_pages, NOBODY, np.int64)
        self._children = np.zeros(num_pages, np.int32)

    def _current(self, action: str, tickets: Tickets, states: int, repeated: bool = False) -> Pages:
        """The pages of ``tickets``, if all are current and in one of ``states`` (a bit each), and none comes twice."""
        pages = tickets.page
        if len(pages) == 0 or len(pages) != len(tickets.gen):
            raise LedgerError(action, f"{len(pages)} pages and {len(tickets.gen)} generations")
        if int(pages.min()) < 0 or int(pages.max()) >= self.num_pages:
            raise LedgerError(action, f"a page outside of 0..{self.num_pages - 1}")
        self._refuse(action, pages, self.gen[pages] != tickets.gen, "is a stale ticket", tickets.gen)
        self._refuse(action, pages, (states >> self.state[pages]) & 1 == 0, "is not allowed in this state")
        if not repeated and len(pages) > 1 and len(np.unique(pages)) != len(pages):
            raise LedgerError(action, "a page comes twice")
        return pages

    def _refuse(self, action: str, pages: Pages, bad: Mask, why: str, gens: Pages | None = None) -> None:
        if bad.any():
            i = int(np.argmax(bad))
            self._raise(action, int(pages[i]), why, None if gens is None else int(gens[i]))

    def _raise(self, action: str, page: int, why: str, gen: int | None = None) -> None:
        ticket = (page, int(self.gen[page]) if gen is None else gen)
        raise LedgerError(action, why, ticket=ticket, state=State(self.state[page]))

    def _check_access(self, action: str, pages: Pages, owner: int, reads: int) -> None:
        """Of ``pages`` the first ``reads`` are complete, the others PRIVATE; all are SHARED or ``owner``'s."""
        foreign = (self.owner[pages] != owner) & (self.state[pages] != State.SHARED)
        self._refuse(action, pages, foreign, f"is not owned by {owner}")
        self._refuse(action, pages[:reads], ~self.full[pages[:reads]], "is not complete")
        rest = pages[reads:]
        self._refuse(action, rest, self.state[rest] != State.PRIVATE, "is not the owner's to write")

    def _open_on(self, pages: Pages) -> Pages:
        """How many leases of all kinds are open on each page."""
        total: Pages = self.leases[:, pages].sum(axis=0, dtype=np.int64)
        return total

    def _open_in(self, lease: Lease, tickets: Tickets) -> Mask:
        """Which of the lease's open entries ``tickets`` name, page and generation."""
        named = dict(tickets.pairs())
        which = lease.open & np.isin(lease.tickets.page, tickets.page)
        for place in np.flatnonzero(which).tolist():
            which[place] = named[int(lease.tickets.page[place])] == lease.tickets.gen[place]
        return which

    def _lease(self, kind: Kind, owner: int, tickets: Tickets, access: Access | None = None) -> Lease:
        self._numbers += 1
        copy = Tickets(tickets.page.copy(), tickets.gen.copy())
        lease = Lease(self._numbers, kind, owner, copy, access, np.ones(len(copy.page), np.bool_))
        self.leases[kind, copy.page] += 1
        self.open_leases[lease.number] = lease
        return lease

    def _close(self, lease: Lease, which: Mask) -> None:
        """Close these entries; a page that drains or is in quarantine is free with its last lease."""
        pages = lease.tickets.page[which]
        self.leases[lease.kind, pages] -= 1
        lease.open = lease.open & ~which
        if not lease.open.any():
            self.open_leases.pop(lease.number, None)
        unowned = (_UNOWNED >> self.state[pages]) & 1 == 1
        self._free_up(pages[unowned & (self._open_on(pages) == 0)])

    def _end(
        self, action: str, tickets: Tickets, owner: int, references: Sequence[Lease], under_transfer: State
    ) -> None:
        """All checks first, then the owner's references and its pages."""
        for lease in references:
            if lease.kind is not Kind.CACHE or lease.owner != owner or lease.number not in self.open_leases:
                raise LedgerError(action, f"lease {lease.number} is no open reference of {owner}")
        if len(tickets.page) or not references:
            pages = self._current(action, tickets, OWNED)
            self._refuse(action, pages, self.owner[pages] != owner, f"is not owned by {owner}")
        for lease in references:
            self._close(lease, lease.open)
        self._let_go(tickets.page, under_transfer)
        self._note(action, join([tickets, *(lease.tickets for lease in references)]), owner)

    def _let_go(self, pages: Pages, under_transfer: State) -> None:
        """The owner is gone: FREE, DRAINING while a lease is open, ``under_transfer`` while a transfer's is."""
        busy = self._open_on(pages) > 0
        moving = self.leases[Kind.TRANSFER, pages] > 0
        self.owner[pages] = NOBODY
        self.state[pages] = np.where(moving, under_transfer, State.DRAINING)
        self._free_up(pages[~busy])

    def _free_up(self, pages: Pages) -> None:
        """To FREE, and onto the free list unless the page's generations are used up."""
        self.state[pages] = State.FREE
        self.owner[pages] = NOBODY
        self.full[pages] = False
        again = pages[self.gen[pages] < self.last_gen]
        self._stack[self._free : self._free + len(again)] = again
        self._free += len(again)

    def _note(self, transition: str, tickets: Tickets, owner: int | None, **more: str) -> None:
        if self.log is None:
            return
        self.log.write(transition, after(self, tickets, owner) | more)
