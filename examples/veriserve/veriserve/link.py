"""What the two ends of a request's pages have in common: whoever exposes pages, and whoever moves them.

In pull mode the prefill worker exposes its computed pages (READ_SOURCE) and
the decode worker moves them; in push mode the decode worker exposes its empty
ones (WRITE_TARGET) and the prefill worker moves. So there are two state
machines, `link_expose.py` and `link_move.py`, for four roles.

Both are driven by ``receive`` and ``step(now)`` alone and never block. They
hold the leases of transfers; the pages belong to the request, whose way to let
go of them (`LetGo`) they are given. When they may be let go of, and whether as
a release or as a timeout, is decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from veriserve.evidence import Event
from veriserve.messages import Message, Peer

Send = Callable[[Peer, Message], None]
LetGo = Callable[[bool], None]
"""Ends the request's hold on its pages: by a timeout of the ledger (``True``) or a release (``False``)."""

REPORTED = {"done": Event.DONE, "failed": Event.FAILED, "refused": Event.REFUSED}

FIRST_RESEND_S = 0.25
LAST_RESEND_S = 4.0


@dataclass(frozen=True)
class Outcome:
    """A room is over at this end, or its pages have landed; ``why`` is for the request's error.

    ``checks`` are the sums that landed pages have at the prefill worker, by page of this one, if they are taken.

    - `landed`: every page holds its data; they are the request's, and nothing moves any more.
    - `through`: all pages were handed over; the request has let go of them.
    - `failed`, `timeout`, `aborted`: the request has let go of its pages.
    """

    room: int
    peer: Peer
    what: Literal["landed", "through", "failed", "timeout", "aborted"]
    why: str = ""
    checks: dict[int, int] = field(default_factory=dict)


@dataclass
class Resend:
    """When a message whose answer has not come is sent again: at growing intervals."""

    at: float
    interval: float = FIRST_RESEND_S

    def due(self, now: float) -> bool:
        """Whether it is time; if so, the next time is set."""
        if now < self.at:
            return False
        self.at = now + self.interval
        self.interval = min(2 * self.interval, LAST_RESEND_S)
        return True
