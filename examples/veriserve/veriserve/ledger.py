"""The page ledger: who may touch which KV page. Arrays, not objects per page; no torch import.

Every page is given out as a ticket ``(page, generation)``; every access to it
is a lease against that ticket. A page whose owner lets go comes back to the
free list once no lease is open, and a transfer's lease is closed by stop
evidence alone (`evidence.py`). The model of this class is `model/Ledger.tla`.

One thread owns a ledger: a worker's scheduler. Each method is one transition;
it checks its preconditions on all its tickets first and changes nothing if one
fails (LedgerError).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veriserve.evidence import Access, Event, proves_filled, proves_quiet
from veriserve.ledger_books import add_up
from veriserve.ledger_pages import LEGIBLE, READABLE, LedgerPages, what
from veriserve.ledger_types import (
    NOBODY,
    Kind,
    Lease,
    LedgerError,
    Mask,
    OutOfPages,
    Published,
    State,
    Tickets,
)


class PdLedger(LedgerPages):
    """The ledger of one worker's pool of ``num_pages`` pages.

    Args:
        num_pages: size of the pool.
        incarnation: a number above that of every earlier start of this worker
            (0 to 2^31 - 1). Generations begin at ``incarnation * 2^32``, so a
            ticket of an earlier incarnation is stale, never another page's.
        transport: whose table of stop evidence counts, `tcp` or `rdma`.
        generations: how many times a page may be given out before it is retired.
        log: where transitions are written; off by default.
    """

    # ---- pages -----------------------------------------------------------------------------

    @property
    def free(self) -> int:
        """How many pages can be given out."""
        return self._free

    def counts(self) -> dict[str, int]:
        """How many pages are in each state."""
        return {state.name: int((self.state == state).sum()) for state in State}

    def alloc(self, count: int, owner: int) -> Tickets:
        """Give ``count`` free pages to ``owner``: FREE to PRIVATE, all or none.

        Raises:
            OutOfPages: fewer are free.
        """
        if count < 1 or owner < 0:
            raise LedgerError("alloc", f"{count} pages for owner {owner}: both must be positive")
        if count > self._free:
            raise OutOfPages(count, self._free)
        pages = self._stack[self._free - count : self._free][::-1].copy()
        self._refuse("alloc", pages, self.state[pages] != State.FREE, "is in the free list and not free")
        self._free -= count
        self.state[pages] = State.PRIVATE
        self.gen[pages] += 1
        self.owner[pages] = owner
        tickets = Tickets(pages, self.gen[pages])
        self._note("alloc", tickets, owner)
        return tickets

    def complete(self, tickets: Tickets, owner: int) -> None:
        """Say that kernels have filled these pages of ``owner``, past their fence: nothing writes to them any more.

        Raises:
            LedgerError: a page is not PRIVATE and the owner's, is complete already, or a transfer is open on it.
        """
        pages = self._current("complete", tickets, 1 << State.PRIVATE)
        self._refuse("complete", pages, self.owner[pages] != owner, f"is not owned by {owner}")
        self._refuse("complete", pages, self.full[pages], "is complete already")
        self._refuse("complete", pages, self.leases[Kind.TRANSFER, pages] > 0, "is under transfer")
        self.full[pages] = True
        self._note("complete", tickets, owner)

    def publish(self, tickets: Tickets, first: Mask, owner: int, parent: Tickets | None = None) -> Published:
        """Put complete pages into the prefix cache: PRIVATE to SHARED where ``first``, else to DUP.

        The pages follow each other in one prefix. ``first`` is the cache's word
        on which of them it lacked; as a prefix is in it from its beginning on,
        these come last. The first of them follows ``parent``, the SHARED page
        before it in the cache (none: it begins the prefix). The owner keeps a
        reference to what was published.

        Raises:
            LedgerError: a page is not PRIVATE, complete and the owner's, a page that the cache lacked stands before
                one that it had, or the parent is not SHARED.
        """
        pages = self._current("publish", tickets, 1 << State.PRIVATE)
        self._refuse("publish", pages, self.owner[pages] != owner, f"is not owned by {owner}")
        self._refuse("publish", pages, ~self.full[pages], "is not complete")
        if len(first) != len(pages) or (first[:-1] & ~first[1:]).any():
            raise LedgerError("publish", "the pages that the cache lacked must be the last ones")
        if parent is not None:
            self._current("publish after", parent, 1 << State.SHARED)
        elif not first.all():
            raise LedgerError("publish", "a duplicate's page in the cache must be named")
        new = pages[first]
        self.state[pages] = np.where(first, State.SHARED, State.DUP)
        self.owner[new] = NOBODY
        self._parent[new] = np.concatenate([[NOBODY if parent is None else parent.page[-1]], new[:-1]])[: len(new)]
        above = self._parent[new]
        np.add.at(self._children, above[above != NOBODY], 1)
        lease = self._lease(Kind.CACHE, owner, tickets.take(first)) if len(new) else None
        self._note("publish", tickets, owner)
        return Published(first, lease)

    def evict(self, tickets: Tickets) -> None:
        """Take SHARED pages out of the cache: SHARED to FREE. Of one prefix, the last pages go first, or all at once.

        Raises:
            LedgerError: a page is referenced, leased, or a longer prefix goes through it.
        """
        pages = self._current("evict", tickets, 1 << State.SHARED)
        self._refuse("evict", pages, self._open_on(pages) > 0, "has an open lease")
        above = self._parent[pages]
        above = above[above != NOBODY]
        np.subtract.at(self._children, above, 1)
        if (longer := self._children[pages] > 0).any():
            np.add.at(self._children, above, 1)
            self._refuse("evict", pages, longer, "a longer prefix goes through it")
        self._parent[pages] = NOBODY
        self._free_up(pages)
        self._note("evict", tickets, None)

    def release(self, tickets: Tickets, owner: int, references: Sequence[Lease] = ()) -> None:
        """``owner`` lets go of its own pages: to FREE, or to DRAINING until the last open lease is closed.

        With ``references``, its CACHE leases, it lets go of shared pages in the
        same step; it may then have none of its own.

        Raises:
            LedgerError: a page is not PRIVATE or DUP, or not the owner's.
        """
        self._end("release", tickets, owner, references, State.DRAINING)

    def timeout(self, tickets: Tickets, owner: int, references: Sequence[Lease] = ()) -> None:
        """A release at the owner's deadline: pages that a transfer may still touch are QUARANTINED.

        Quarantine lasts until stop evidence arrives, if need be as long as the
        process.

        Raises:
            LedgerError: as for ``release``.
        """
        self._end("timeout", tickets, owner, references, State.QUARANTINED)

    def expire(self, tickets: Tickets) -> None:
        """The deadline of pages that drain under a transfer: DRAINING to QUARANTINED.

        Raises:
            LedgerError: a page does not drain, or no transfer is open on it.
        """
        pages = self._current("expire", tickets, 1 << State.DRAINING)
        self._refuse("expire", pages, self.leases[Kind.TRANSFER, pages] == 0, "is under no transfer")
        self.state[pages] = State.QUARANTINED
        self._note("expire", tickets, None)

    # ---- leases ----------------------------------------------------------------------------

    def open(
        self, tickets: Tickets, kind: Kind, owner: int, access: Access | None = None, reads: int | None = None
    ) -> Lease:
        """A lease on ``tickets``, for as long as something may touch these pages.

        - TRANSFER, with ``access``: what is written must be PRIVATE, the owner's, incomplete, and written by
          nothing else; what is read must be complete and readable.
        - KERNEL, HOST: the first ``reads`` pages (default all) must be complete and readable, the others
          PRIVATE and the owner's.
        - CACHE: the pages must be SHARED.

        Readable are the owner's own pages and SHARED ones.

        Raises:
            LedgerError: a page is not in such a state.
        """
        pages = self._current("open", tickets, READABLE)
        if (kind is Kind.TRANSFER) != (access is not None):
            raise LedgerError("open", "a transfer's lease, and no other, says how its pages take part")
        if kind is Kind.CACHE:
            self._refuse("open", pages, self.state[pages] != State.SHARED, "is not in the cache")
        else:
            reads = 0 if access is not None and access.written else len(pages) if reads is None else reads
            self._check_access("open", pages, owner, reads)
            if access is not None and access.written:
                self._refuse("open", pages, self.full[pages], "is complete already")
                self._refuse("open", pages, self._open_on(pages) > 0, "has an open lease")
        lease = self._lease(kind, owner, tickets, access)
        self._note(f"open.{what(lease)}", tickets, owner)
        return lease

    def extend(self, lease: Lease, tickets: Tickets, reads: int = 0) -> None:
        """Add pages to a kernel's or host copy's lease; of these the first ``reads`` must be complete."""
        if lease.kind not in (Kind.KERNEL, Kind.HOST) or lease.number not in self.open_leases:
            raise LedgerError("extend", f"lease {lease.number} ({lease.kind.name}) can't grow, or is closed")
        pages = self._current("extend", tickets, READABLE)
        self._check_access("extend", pages, lease.owner, reads)
        twice = np.isin(pages, lease.tickets.page)
        self._refuse("extend", pages, twice, "is in the lease already")
        lease.tickets = Tickets(
            np.concatenate([lease.tickets.page, tickets.page]), np.concatenate([lease.tickets.gen, tickets.gen])
        )
        lease.open = np.concatenate([lease.open, np.ones(len(pages), np.bool_)])
        self.leases[lease.kind, pages] += 1
        self._note(f"extend.{what(lease)}", tickets, lease.owner)

    def close(self, lease: Lease) -> None:
        """End a lease of a kernel (past its fence), host copy or cache reference; the last one frees a draining page.

        Raises:
            LedgerError: it is closed already, or it is a transfer's: that takes ``evidence``.
        """
        if lease.kind is Kind.TRANSFER:
            raise LedgerError("close", f"lease {lease.number} is a transfer's: only stop evidence closes it")
        if lease.number not in self.open_leases:
            raise LedgerError("close", f"lease {lease.number} ({lease.kind.name}) is closed already")
        self._close(lease, lease.open)
        self._note(f"close.{what(lease)}", lease.tickets, lease.owner)

    def evidence(self, lease: Lease, tickets: Tickets, event: Event) -> int:
        """What the transport, or the peer, said of the transfer under these tickets. Returns how many leases it closed.

        An event that proves nothing closes nothing. Proof closes the lease; the
        last one frees a page that drains or is in quarantine, and DONE makes a
        page complete that was written for its owner. Tickets that the lease
        does not hold open are late: counted and dropped.
        """
        if lease.kind is not Kind.TRANSFER or lease.access is None:
            raise LedgerError("evidence", f"lease {lease.number} is no transfer's")
        which = self._open_in(lease, tickets)
        pages = lease.tickets.page[which]
        self.late_tickets += len(tickets.page) - len(pages)
        if len(pages) == 0:
            self._note(f"late.{what(lease)}", tickets, lease.owner, told=event.name)
            return 0
        if not proves_quiet(self.transport, lease.access, event):
            self.unproven_tickets += len(pages)
            self._note(f"unproven.{what(lease)}", tickets, lease.owner, told=event.name)
            return 0
        if proves_filled(lease.access, event):
            self.full[pages[self.state[pages] == State.PRIVATE]] = True
        self._close(lease, which)
        self._note(f"evidence.{what(lease)}", tickets, lease.owner, told=event.name)
        return len(pages)

    def late(self, tickets: Tickets) -> None:
        """Count and drop a message about tickets whose lease is gone."""
        self.late_tickets += len(tickets.page)
        self._note("late", tickets, None)

    # ---- checks ----------------------------------------------------------------------------

    def check_table(self, tickets: Tickets) -> None:
        """At a step's boundary: the pages of a batch's tables are current, readable, and leased to a kernel.

        Whole-array operations; a page may stand in several tables.

        Raises:
            LedgerError: one is not.
        """
        pages = tickets.page
        good = self.gen[pages] == tickets.gen
        good &= LEGIBLE[self.state[pages]]
        good &= self.leases[Kind.KERNEL, pages] > 0
        if not good.all():
            self._current("step over", tickets, READABLE, repeated=True)
            self._refuse("step over", pages, ~good, "is leased to no kernel")

    def check_integrity(self) -> str:
        """The ledger's books, added up, as text.

        Raises:
            LedgerError: they don't agree; the text says where.
        """
        return add_up(self)
