"""What the page ledger speaks of: states, kinds of leases, tickets, leases, and its errors. No torch here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veriserve.evidence import Access

Pages = NDArray[np.int64]
Mask = NDArray[np.bool_]
NOBODY = -1


class State(IntEnum):
    """What a page is. Each page is in exactly one state.

    DUP is a complete page whose content another request published first: its
    owner may read it until release; it is never published.
    """

    FREE = 0
    PRIVATE = 1
    SHARED = 2
    DRAINING = 3
    QUARANTINED = 4
    DUP = 5


class Kind(IntEnum):
    """Who may touch a page: a slice of a transfer, a kernel, a request that reads it from the cache, a host copy."""

    TRANSFER = 0
    KERNEL = 1
    CACHE = 2
    HOST = 3


class Tickets(NamedTuple):
    """Pages as they were given out: ``page[i]`` in generation ``gen[i]``. Both int64, of one length.

    A ticket is the whole identity of a page on the data path: it goes stale
    when the page is freed, and no later use of the page has the same one.
    """

    page: Pages
    gen: Pages

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, int]]) -> Tickets:
        """Tickets from ``(page, gen)`` pairs, as they come out of a message."""
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(table[:, 0].copy(), table[:, 1].copy())

    def take(self, which: Mask | Pages | slice) -> Tickets:
        """Some of them, by mask, index or slice."""
        return Tickets(self.page[which], self.gen[which])

    def pairs(self) -> list[tuple[int, int]]:
        """As ``(page, gen)`` pairs, to go into a message."""
        return list(zip(self.page.tolist(), self.gen.tolist(), strict=True))


def join(parts: Sequence[Tickets]) -> Tickets:
    """All of them in one, in order."""
    if not parts:
        return Tickets(np.empty(0, np.int64), np.empty(0, np.int64))
    return Tickets(np.concatenate([part.page for part in parts]), np.concatenate([part.gen for part in parts]))


@dataclass(eq=False)
class Lease:
    """Permission of ``owner`` to touch ``tickets`` until it is closed; ``open`` says which of them still are.

    ``access`` is how the pages take part in a transfer (kind TRANSFER alone).
    Made and changed by the ledger only.
    """

    number: int
    kind: Kind
    owner: int
    tickets: Tickets
    access: Access | None = None
    open: Mask = field(default_factory=lambda: np.empty(0, np.bool_))


class Published(NamedTuple):
    """Which tickets went into the cache, and the owner's reference to them (none if none did)."""

    mask: Mask
    lease: Lease | None


class LedgerError(Exception):
    """A transition whose precondition does not hold. Nothing was changed.

    Args:
        action: the transition that was asked for.
        why: what is wrong.
        ticket: the first ticket that it is wrong for.
        state: that page's state.
    """

    def __init__(
        self, action: str, why: str, *, ticket: tuple[int, int] | None = None, state: State | None = None
    ) -> None:
        self.action, self.why, self.ticket, self.state = action, why, ticket, state
        place = "" if ticket is None else f" of page {ticket[0]} generation {ticket[1]}"
        what = "" if state is None else f" ({state.name})"
        super().__init__(f"{action}{place}{what}: {why}")


class OutOfPages(LedgerError):
    """Fewer pages are free than were asked for."""

    def __init__(self, asked: int, free: int) -> None:
        self.asked, self.free = asked, free
        super().__init__("alloc", f"{asked} pages asked for, {free} free")
