"""The end that opens its pages to a peer, and learns from the peer's reports what became of the transfers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veriserve.evidence import Access, Event
from veriserve.ledger import PdLedger
from veriserve.ledger_types import Kind, Lease, State, Tickets
from veriserve.link import REPORTED, LetGo, Outcome, Resend, Send
from veriserve.messages import Abort, Message, Peer, Report

DRAIN_S = 5.0


@dataclass(eq=False)
class Shown:
    """A room whose pages a peer may touch. ``message`` told it so, and is sent until all of them are reported on.

    Once it is ``over`` the request is gone, and an Abort takes the message's place.
    """

    room: int
    peer: Peer
    lease: Lease
    message: Message
    let_go: LetGo
    deadline: float
    resend: Resend
    checks: dict[int, int] = field(default_factory=dict)
    unfilled: bool = False
    over: bool = False
    drains_until: float | None = None
    silent: bool = False


class Exposer:
    """All rooms whose pages this worker has opened to peers.

    - Each page is under the room's TRANSFER lease until the peer reports what proves it quiet.
    - A page that is reported on without proof ends the room, which lets go by a timeout: the page is QUARANTINED.
    - An abort releases: pages under transfer drain, for ``drain_s``; then they are QUARANTINED too.
    - Quarantine ends with a report that proves, whenever it comes; until then the peer is asked again and again.
    """

    def __init__(self, ledger: PdLedger, access: Access, send: Send, *, drain_s: float = DRAIN_S) -> None:
        self.ledger, self.access, self.send, self.drain_s = ledger, access, send, drain_s
        self.rooms: dict[tuple[Peer, int], Shown] = {}
        self.outcomes: list[Outcome] = []
        self.dropped = 0

    def show(
        self,
        message: Message,
        room: int,
        peer: Peer,
        tickets: Tickets,
        owner: int,
        let_go: LetGo,
        deadline: float,
        now: float,
    ) -> None:
        """Open ``tickets`` to ``peer`` and send it ``message``, which names them.

        Raises:
            LedgerError: they can't be exposed: see ``PdLedger.open``.
            ValueError: the room is shown already.
        """
        if (peer, room) in self.rooms:
            raise ValueError(f"room {room} of {peer} is shown already")
        lease = self.ledger.open(tickets, Kind.TRANSFER, owner, self.access)
        self.rooms[peer, room] = Shown(room, peer, lease, message, let_go, deadline, Resend(now))
        self.step(now)

    def again(self, peer: Peer, room: int, now: float) -> bool:
        """Whether the room is shown; if so its message goes out again, soon: the peer has asked."""
        shown = self.rooms.get((peer, room))
        if shown is not None:
            shown.resend.at = min(shown.resend.at, now)
        return shown is not None

    def receive(self, peer: Peer, report: Report, now: float) -> None:
        """A peer's report. One of an unknown room or ticket, or that comes twice, is counted and dropped."""
        tickets = Tickets.of([pair for pair in report.tickets if pair[0] < self.ledger.num_pages])
        shown = self.rooms.get((peer, report.room))
        if (
            len(tickets.page) == 0
            or len(tickets.page) < len(report.tickets)
            or len(set(report.tickets)) < len(report.tickets)
        ):
            self.dropped += 1
            return
        if shown is None:
            self.ledger.late(tickets)
            return
        event = REPORTED[report.what]
        closed = self.ledger.evidence(shown.lease, tickets, event)
        open_now = shown.lease.tickets.take(shown.lease.open)
        unproven = len(set(open_now.pairs()) & set(report.tickets))
        if closed and event is not Event.DONE:
            shown.unfilled = True
        if closed and len(report.checks) == len(report.tickets):
            shown.checks.update(zip(tickets.page.tolist(), report.checks, strict=True))
        if len(open_now.page) == 0:
            self._settled(shown)
        elif not shown.over and (unproven or (shown.unfilled and self.access.written)):
            self._end(shown, Outcome(report.room, peer, "failed", f"the transfer {report.what}"), unproven > 0, now)

    def abort(self, peer: Peer, room: int, now: float, why: str = "aborted") -> None:
        """The request is over: nothing more is to be started, and pages that nothing touches are free at once."""
        shown = self.rooms.get((peer, room))
        if shown is not None and not shown.over:
            self._end(shown, Outcome(room, peer, "aborted", why), False, now)

    def fail(self, peer: Peer, room: int, why: str, now: float) -> None:
        """The peer can't do its part."""
        shown = self.rooms.get((peer, room))
        if shown is not None and not shown.over:
            self._end(shown, Outcome(room, peer, "failed", why), False, now)

    def lost(self, peer: Peer, now: float) -> None:
        """This incarnation of the peer has ended: no evidence is to be expected, though a late report still counts."""
        for shown in [each for (whose, _), each in self.rooms.items() if whose == peer]:
            shown.silent = True
            if not shown.over:
                self._end(shown, Outcome(shown.room, peer, "failed", "the other worker has ended"), True, now)

    def step(self, now: float) -> None:
        """What time alone brings about: messages sent again, deadlines, pages that drained for too long."""
        for shown in list(self.rooms.values()):
            if not shown.over and now >= shown.deadline:
                self._end(shown, Outcome(shown.room, shown.peer, "timeout", "no evidence by the deadline"), True, now)
            if shown.drains_until is not None and now >= shown.drains_until:
                shown.drains_until = None
                self._expire(shown)
            if not shown.silent and shown.resend.due(now):
                self.send(shown.peer, Abort(shown.room, self._open(shown).pairs()) if shown.over else shown.message)

    def _open(self, shown: Shown) -> Tickets:
        return shown.lease.tickets.take(shown.lease.open)

    def _settled(self, shown: Shown) -> None:
        """All leases of the room are closed."""
        del self.rooms[shown.peer, shown.room]
        if shown.over:
            return
        if not self.access.written:
            shown.let_go(False)
            self.outcomes.append(Outcome(shown.room, shown.peer, "through"))
        elif shown.unfilled:
            shown.let_go(False)
            self.outcomes.append(Outcome(shown.room, shown.peer, "failed", "a page was not written"))
        else:
            self.outcomes.append(Outcome(shown.room, shown.peer, "landed", checks=shown.checks))

    def _end(self, shown: Shown, outcome: Outcome, overdue: bool, now: float) -> None:
        shown.over = True
        shown.drains_until = None if overdue else now + self.drain_s
        shown.resend = Resend(now)
        shown.let_go(overdue)
        self.outcomes.append(outcome)

    def _expire(self, shown: Shown) -> None:
        tickets = self._open(shown)
        draining = (self.ledger.state[tickets.page] == State.DRAINING) & (self.ledger.gen[tickets.page] == tickets.gen)
        if np.any(draining):
            self.ledger.expire(tickets.take(draining))
