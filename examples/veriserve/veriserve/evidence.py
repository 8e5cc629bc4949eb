"""Which answer of a transport proves that a page is quiet. An elapsed time never does.

The tables say what was measured with Mooncake's transfer engine (wheel
0.3.13.post1; sources kvcache-ai/Mooncake@3b5a594) by freezing and killing
peers, and nothing more:

- A completed write has been applied at its target. A failed one says that its
  source is no longer read; its target may still change: a frozen peer took in
  megabytes after the failure, once it was let go.
- A read of a single task that completed or failed no longer touches its local
  target. Its source, at the peer, is no longer read for it.
- A synchronous call that returns -1 because its time is up has stopped
  nothing, and on RDMA may even submit the transfer again.
- The status of a batch of several tasks is that of its first task; an error of
  a batch leaves its other tasks running.
- A target that unregisters its memory does not stop what is under way, and a
  target's engine that is destroyed stops it only after a while.
- With `MC_TCP_PROTO=1` a frozen peer's write was reported as completed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Access(Enum):
    """How a page takes part in a transfer."""

    READ_TARGET = "the local target of a read that this worker started"
    READ_SOURCE = "a page that the peer reads"
    WRITE_SOURCE = "the local source of a write that this worker started"
    WRITE_TARGET = "a page that the peer writes"

    @property
    def written(self) -> bool:
        """Whether the transfer changes the page."""
        return self in (Access.READ_TARGET, Access.WRITE_TARGET)


class Event(Enum):
    """What a worker may hear of a transfer, from its transport or from the peer that started it."""

    DONE = "its one task completed"
    FAILED = "its one task failed"
    REFUSED = "the peer never started it, and never will for this ticket"
    GAVE_UP = "a synchronous call returned -1 on wall clock"
    BATCH_DONE = "the first task of a batch of several completed"
    BATCH_FAILED = "a batch of several returned an error"
    UNREGISTERED = "the memory was unregistered"
    DESTROYED = "the peer's engine was destroyed"


_TCP = {
    Access.READ_TARGET: {Event.DONE, Event.FAILED},
    Access.READ_SOURCE: {Event.DONE, Event.FAILED, Event.REFUSED},
    Access.WRITE_SOURCE: {Event.DONE, Event.FAILED},
    Access.WRITE_TARGET: {Event.DONE, Event.REFUSED},
}
# No RDMA hardware was at hand: there only what holds of every transport counts.
_RDMA = {
    Access.READ_TARGET: {Event.DONE},
    Access.READ_SOURCE: {Event.DONE, Event.REFUSED},
    Access.WRITE_SOURCE: {Event.DONE},
    Access.WRITE_TARGET: {Event.DONE, Event.REFUSED},
}
TRANSPORTS: Mapping[str, Mapping[Access, set[Event]]] = {"tcp": _TCP, "rdma": _RDMA}


def proves_quiet(transport: str, access: Access, event: Event) -> bool:
    """Whether ``event`` proves that the transfer no longer touches a page that takes part in it by ``access``.

    Raises:
        KeyError: nothing is known of this transport.
    """
    return event in TRANSPORTS[transport][access]


def proves_filled(access: Access, event: Event) -> bool:
    """Whether ``event`` proves that the page now holds the data."""
    return access.written and event is Event.DONE


def false_evidence(environment: Mapping[str, str]) -> str | None:
    """Why the transport's answers can't be believed under these variables, or ``None``."""
    if environment.get("MC_TCP_PROTO", "0") not in ("", "0"):
        return "MC_TCP_PROTO is set: with it a write to a frozen peer is reported as completed"
    return None
