"""The end that moves the pages: it starts the transfers, hears how they end, and reports that to the peer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from veriserve.evidence import Access, Event, proves_quiet
from veriserve.ledger import PdLedger
from veriserve.ledger_types import NOBODY, Kind, Lease, State, Tickets
from veriserve.link import LetGo, Outcome, Resend, Send
from veriserve.link_book import AnswerBook
from veriserve.link_expose import DRAIN_S
from veriserve.messages import Message, Pairs, Peer, Report
from veriserve.trace import Trace
from veriserve.transfer import Ended, Move

Submit = Callable[[Peer, Move], None]
Ticket = tuple[int, int]


@dataclass(eq=False)
class Moving:
    """A room whose pages this worker moves.

    ``local`` are its own pages by position, once it has them; ``offers`` the peer's tickets that wait for them;
    ``ask`` is sent until the first offer comes; ``checks`` are the sums of the pages, by position.
    """

    room: int
    peer: Peer
    let_go: LetGo
    deadline: float
    ask: Message | None
    resend: Resend
    owner: int = NOBODY
    local: dict[int, Ticket] | None = None
    offers: dict[int, Ticket] = field(default_factory=dict)
    ends: dict[int, Event] = field(default_factory=dict)
    checks: dict[int, int] = field(default_factory=dict)


@dataclass(eq=False)
class _Post:
    room: int
    peer: Peer
    position: int
    lease: Lease
    here: Ticket
    there: Ticket
    drains_until: float | None = None
    clock: int = 0

    def fields(self) -> dict[str, Any]:
        return {"room": self.room, "position": self.position, "here": list(self.here), "there": list(self.there)}


class Mover:
    """All rooms whose pages this worker moves, and every transfer of them that has not ended.

    - A transfer has a lease on its local page, from before it is submitted until stop evidence of the transport.
    - A ticket of the peer is answered once: by a transfer and the report of its end, or by a refusal. The same
      answer is given again to whoever asks again.
    - A room that ends lets go; what is under way drains, or is QUARANTINED where a deadline has passed.

    Args:
        access: READ_TARGET (pull) or WRITE_SOURCE (push).
        submit: hands a move to the peer's transfers.
    """

    def __init__(
        self,
        ledger: PdLedger,
        access: Access,
        send: Send,
        submit: Submit,
        *,
        drain_s: float = DRAIN_S,
        trace: Trace | None = None,
    ) -> None:
        self.ledger, self.access, self.send, self.submit, self.drain_s = ledger, access, send, submit, drain_s
        self.trace = trace or Trace.off()
        self.rooms: dict[tuple[Peer, int], Moving] = {}
        self.posts: dict[int, _Post] = {}
        self.book = AnswerBook()
        self.outcomes: list[Outcome] = []
        self._numbers = 0
        self._unproven: set[tuple[Peer, int]] = set()

    def join(
        self, room: int, peer: Peer, let_go: LetGo, deadline: float, now: float, ask: Message | None = None
    ) -> None:
        """Expect offers of ``peer`` for a room; ``ask`` is what makes the peer offer, sent until it does.

        Raises:
            ValueError: the room is known already.
        """
        if (peer, room) in self.rooms:
            raise ValueError(f"room {room} of {peer} is known already")
        self.rooms[peer, room] = Moving(room, peer, let_go, deadline, ask, Resend(now))
        self.step(now)

    def ready(
        self, peer: Peer, room: int, first: int, tickets: Tickets, owner: int, checks: list[int] | None = None
    ) -> bool:
        """This end's pages, in positions from ``first`` on: empty ones in pull mode, complete ones in push mode.

        ``False`` says that the room has ended meanwhile, so that its pages stay the caller's.
        """
        moving = self.rooms.get((peer, room))
        if moving is None:
            return False
        moving.owner = owner
        moving.local = dict(enumerate(tickets.pairs(), first))
        moving.checks.update(enumerate(checks or [], first))
        self._post(moving)
        return True

    def offered(self, peer: Peer, room: int, first: int, tickets: Pairs, checks: list[int] | None = None) -> None:
        """The peer's tickets for a room, in positions from ``first`` on; they may have come before."""
        moving = self.rooms.get((peer, room))
        fresh: dict[int, Ticket] = {}
        for position, ticket in enumerate(tickets, first):
            if not self.book.is_fresh(peer, room, ticket):
                self._repeat(peer, room, ticket)
            elif moving is None:
                self._answer(peer, room, ticket, "refused")
                self._forget(peer, room)
            else:
                fresh[position] = ticket
        if moving is not None and fresh:
            moving.ask = None
            moving.checks.update(enumerate(checks or [], first))
            for position, ticket in fresh.items():
                if moving.offers.setdefault(position, ticket) != ticket:
                    self._answer(peer, room, ticket, "refused")
            self._post(moving)

    def is_new(self, peer: Peer, room: int, tickets: Pairs) -> bool:
        """Whether none of the peer's tickets was answered for, and the room is not known."""
        return (peer, room) not in self.rooms and all(self.book.is_fresh(peer, room, each) for each in tickets)

    def ended(self, end: Ended, now: float) -> None:
        """How a transfer ended, from the transport: closes the lease if it proves the local page quiet, and reports."""
        post = self.posts.pop(end.number)
        told = end.event.name
        self.trace.note("transfer.ended", cause=post.clock, number=end.number, told=told, **post.fields())
        self.ledger.evidence(post.lease, Tickets.of([post.here]), end.event)
        proven = proves_quiet(self.ledger.transport, self.access, end.event)
        moving = self.rooms.get((post.peer, post.room))
        if not proven:
            self._unproven.add((post.peer, post.room))
        else:
            check = moving.checks.get(post.position) if moving else None
            what = "done" if end.event is Event.DONE else "failed"
            self._answer(post.peer, post.room, post.there, what, [] if check is None else [check])
        if moving is None:
            self._forget(post.peer, post.room)
            return
        moving.ends[post.position] = end.event
        if end.event is not Event.DONE:
            self._end(
                moving, Outcome(moving.room, moving.peer, "failed", f"a transfer {end.event.name}"), not proven, now
            )
        elif moving.local is not None and set(moving.local) == set(moving.ends):
            pull = self.access is Access.READ_TARGET
            self._leave(moving)
            if not pull:
                moving.let_go(False)
            sums = {moving.local[at][0]: check for at, check in moving.checks.items() if at in moving.local}
            self.outcomes.append(Outcome(moving.room, moving.peer, "landed" if pull else "through", checks=sums))

    def abort(self, peer: Peer, room: int, now: float, why: str = "aborted") -> None:
        """The request is over: start nothing more."""
        if (moving := self.rooms.get((peer, room))) is not None:
            self._end(moving, Outcome(room, peer, "aborted", why), False, now)

    def aborted(self, peer: Peer, room: int, tickets: Pairs, now: float) -> None:
        """The peer has ended the room and asks what became of ``tickets``; what was not started never will be."""
        self.abort(peer, room, now, "the other worker ended it")
        self.offered(peer, room, 0, tickets)

    def fail(self, peer: Peer, room: int, why: str, now: float) -> None:
        """The request can't be served."""
        if (moving := self.rooms.get((peer, room))) is not None:
            self._end(moving, Outcome(room, peer, "failed", why), False, now)

    def lost(self, peer: Peer, now: float) -> None:
        """This incarnation of the peer has ended; transfers under way are still heard of from the transport."""
        for moving in [each for (whose, _), each in self.rooms.items() if whose == peer]:
            self._end(moving, Outcome(moving.room, peer, "failed", "the other worker has ended"), False, now)
        self.book.lost(peer)

    def step(self, now: float) -> None:
        """What time alone brings about: the request for pages sent again, deadlines, pages that drained for too long."""
        for moving in list(self.rooms.values()):
            if now >= moving.deadline:
                self._end(moving, Outcome(moving.room, moving.peer, "timeout", "not there by the deadline"), True, now)
            elif moving.ask is not None and moving.resend.due(now):
                self.send(moving.peer, moving.ask)
        for post in self.posts.values():
            if post.drains_until is not None and now >= post.drains_until:
                post.drains_until = None
                page, gen = post.here
                if self.ledger.state[page] == State.DRAINING and self.ledger.gen[page] == gen:
                    self.ledger.expire(Tickets.of([post.here]))

    def _post(self, moving: Moving) -> None:
        """Start what both ends are ready for, and refuse what this end has no use for."""
        if moving.local is None:
            return
        for position, ticket in list(moving.offers.items()):
            if not self.book.is_fresh(moving.peer, moving.room, ticket):
                self.book.dropped += 1  # its page came in a newer generation while it waited
                del moving.offers[position]
            elif position not in moving.local:
                self._answer(moving.peer, moving.room, moving.offers.pop(position), "refused")
        positions = sorted(moving.offers)
        if not positions:
            return
        here = Tickets.of([moving.local[position] for position in positions])
        lease = self.ledger.open(here, Kind.TRANSFER, moving.owner, self.access)
        for position, local in zip(positions, here.pairs(), strict=True):
            remote = moving.offers.pop(position)
            self.book.start(moving.peer, moving.room, remote)
            self._numbers += 1
            self.posts[self._numbers] = _Post(moving.room, moving.peer, position, lease, local, remote)
            post = self.posts[self._numbers]
            post.clock = self.trace.note("transfer.posted", number=self._numbers, **post.fields())
            self.submit(moving.peer, Move(self._numbers, self.access, local[0], remote[0]))

    def _answer(self, peer: Peer, room: int, ticket: Ticket, what: str, checks: list[int] | None = None) -> None:
        report = Report(room, [ticket], what, checks or [])
        self.book.answer(peer, ticket, report)
        self.send(peer, report)

    def _repeat(self, peer: Peer, room: int, ticket: Ticket) -> None:
        if (report := self.book.answered(peer, room, ticket)) is not None:
            self.send(peer, report)
        else:
            self.book.dropped += 1  # under way, or of an older generation

    def _leave(self, moving: Moving) -> None:
        del self.rooms[moving.peer, moving.room]
        for ticket in moving.offers.values():
            self._answer(moving.peer, moving.room, ticket, "refused")
        self._forget(moving.peer, moving.room)

    def _forget(self, peer: Peer, room: int) -> None:
        """A read that was proved to have ended is quiet at both ends: a room of such is refused from now on, truly.

        Other answers are kept. A write that failed, or a transfer that nobody has heard of, must never be called
        refused later.
        """
        if self.access is not Access.READ_TARGET or (peer, room) in self._unproven:
            return
        if not any(each.room == room and each.peer == peer for each in self.posts.values()):
            self.book.forget(peer, room)

    def _end(self, moving: Moving, outcome: Outcome, overdue: bool, now: float) -> None:
        for post in self.posts.values():
            if post.room == moving.room and post.peer == moving.peer and not overdue:
                post.drains_until = now + self.drain_s
        self._leave(moving)
        moving.let_go(overdue)
        self.outcomes.append(outcome)
