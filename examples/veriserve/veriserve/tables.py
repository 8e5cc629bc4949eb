"""The page table of each request: which tickets hold its KV, which of them it owns, and which leases keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from veriserve.ledger import PdLedger
from veriserve.ledger_types import Kind, Lease, OutOfPages, State, Tickets, join
from veriserve.radix import Node, RadixCache

# Tokens that a table grows by at least, while pages are free: with pages of one token it would change in every step.
AHEAD = 16


@dataclass(eq=False)
class PageTable:
    """One request's pages, in the order of its tokens.

    ``length`` tokens have their KV in place. The first ``indexed`` pages were offered to the prefix cache or came
    from it; of those, ``owned`` says which stayed the request's own (DUP), as all later ones are (PRIVATE).
    """

    owner: int
    node: Node
    tickets: Tickets = field(default_factory=lambda: join([]))
    owned: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    indexed: int = 0
    length: int = 0
    kernel: Lease | None = None
    references: list[Lease] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Pages in the table."""
        return len(self.tickets.page)


class PageTables:
    """Gives requests their pages and takes them back: the only code that talks to both ledger and prefix cache.

    A page that others may share is under the table's CACHE lease while it is in the table. From the first step over
    it until ``close`` a page is under the table's KERNEL lease as well, so none is freed or evicted beneath a step;
    until then a transfer may be the one that fills it.
    """

    def __init__(self, ledger: PdLedger, page_size: int, prefix_cache: bool = True) -> None:
        self.ledger = ledger
        self.page_size = page_size
        self.cache = RadixCache(page_size)
        self.prefix_cache = prefix_cache

    @property
    def available(self) -> int:
        """Pages that ``grow`` could hand out: free ones, and cached ones of no request."""
        return self.ledger.free + self.cache.evictable

    @property
    def usable(self) -> int:
        """Pages that are not lost to quarantine."""
        return self.ledger.num_pages - self.ledger.counts()[State.QUARANTINED.name]

    def pages_for(self, tokens: int) -> int:
        """How many pages hold ``tokens`` tokens."""
        return -(-tokens // self.page_size)

    def open(self, owner: int, tokens: Sequence[int]) -> PageTable:
        """A table that begins with the longest cached prefix of ``tokens``.

        The last token is left out of the search: its hidden state must be computed to know what follows it.
        """
        table = PageTable(owner, self.cache.root)
        if self.prefix_cache:
            table.node, found = self.cache.match(np.asarray(tokens[:-1], dtype=np.int64))
            self.cache.lock(table.node)
            if pages := len(found.page):
                table.references.append(self.ledger.open(found, Kind.CACHE, owner))
                self._join(table, found, owned=False)
                table.indexed, table.length = pages, pages * self.page_size
        return table

    def grow(self, table: PageTable, length: int) -> None:
        """Add pages until ``table`` holds ``length`` tokens or more, evicting from the cache where too few are free.

        Raises:
            OutOfPages: there are not so many; the table is as it was.
        """
        missing = self.pages_for(length) - table.size
        if missing <= 0:
            return
        if missing > self.available:
            raise OutOfPages(missing, self.available)
        if (short := missing - self.ledger.free) > 0:
            self.evict(short)
        spare = min(AHEAD // self.page_size, self.ledger.free) - missing
        self._join(table, self.ledger.alloc(missing + max(0, spare), table.owner), owned=True)

    def evict(self, count: int) -> None:
        """Give up to ``count`` cached pages that nothing touches back to the ledger."""
        taken = self.cache.evict(count, lambda node: not self.ledger.leases[:, node.tickets.page].any())
        if len(taken.page):
            self.ledger.evict(taken)

    def publish(self, table: PageTable, tokens: Sequence[int]) -> None:
        """Offer every page of ``table`` that its ``length`` tokens fill to the prefix cache, complete as they are."""
        full = table.length // self.page_size
        if not self.prefix_cache or full <= table.indexed:
            return
        fresh = table.tickets.take(slice(table.indexed, full))
        computed = ~self.ledger.full[fresh.page]  # the others were complete when they landed
        if computed.any():
            self.ledger.complete(fresh.take(computed), table.owner)
        offered = np.asarray(tokens[: full * self.page_size], np.int64)
        node, known = self.cache.insert(offered, table.tickets.take(slice(full)))
        count = len(known.page)
        first = np.arange(table.indexed, full) >= count
        parent = known.take(slice(count - 1, count)) if count else None
        reference = self.ledger.publish(fresh, first, table.owner, parent).lease
        if reference is not None:
            table.references.append(reference)
        table.owned[table.indexed : full] = ~first
        self.cache.lock(node)
        self.cache.unlock(table.node)
        table.node, table.indexed = node, full

    def begin(self, tables: Sequence[PageTable]) -> None:
        """Before a step: pages that joined a table go under its KERNEL lease, and all that it will touch are checked.

        Raises:
            LedgerError: a page is no longer the one that its table's ticket names, or one that should hold KV is not
                complete.
        """
        for table in tables:
            leased = 0 if table.kernel is None else len(table.kernel.tickets.page)
            if leased == table.size:
                continue
            fresh = table.tickets.take(slice(leased, None))
            reads = max(0, self.pages_for(table.length) - leased)
            if table.kernel is None:
                table.kernel = self.ledger.open(fresh, Kind.KERNEL, table.owner, reads=reads)
            else:
                self.ledger.extend(table.kernel, fresh, reads)
        self.ledger.check_table(join([table.tickets for table in tables]))

    def close(self, table: PageTable, overdue: bool = False) -> None:
        """The request lets go of its pages: shared ones stay in the cache, its own are released.

        When it is ``overdue``, own pages that a transfer may still touch go into quarantine rather than drain.
        """
        if table.kernel is not None:
            self.ledger.close(table.kernel)
        if table.size:
            let_go = self.ledger.timeout if overdue else self.ledger.release
            let_go(table.tickets.take(table.owned), table.owner, table.references)
        self.cache.unlock(table.node)
        table.kernel, table.references = None, []
        table.tickets, table.owned, table.node = join([]), np.empty(0, bool), self.cache.root
        table.indexed = table.length = 0

    def check_integrity(self) -> str:
        """The arithmetic of ledger and cache, as text.

        Raises:
            LedgerError, AssertionError: it does not add up, or the two disagree.
        """
        told = self.ledger.check_integrity()
        shared = np.flatnonzero(self.ledger.state == State.SHARED)
        cached = np.sort(self.cache.tickets().page)
        assert np.array_equal(shared, cached), f"{len(shared)} pages are SHARED, {len(cached)} in the prefix cache"
        return f"{told}\n{self.cache.check_integrity()}"

    def _join(self, table: PageTable, tickets: Tickets, owned: bool) -> None:
        table.tickets = join([table.tickets, tickets])
        table.owned = np.append(table.owned, np.full(len(tickets.page), owned))
