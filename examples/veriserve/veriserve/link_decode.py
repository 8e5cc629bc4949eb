"""The decode worker's side of its rooms: asks a prefill worker for a prompt's pages, and says when they are here."""

from __future__ import annotations

import itertools
from typing import Literal

from veriserve.evidence import Access
from veriserve.ledger import PdLedger
from veriserve.ledger_types import Tickets
from veriserve.link import LetGo, Outcome, Send
from veriserve.link_expose import DRAIN_S, Exposer
from veriserve.link_move import Mover, Submit
from veriserve.messages import Abort, Failed, Message, Peer, Prefill, Ready, Report
from veriserve.trace import Trace
from veriserve.transfer import Ended

Mode = Literal["pull", "push"]


class DecodeLink:
    """All rooms of a decode worker.

    - Pull (the default): the prefill worker says which pages are ready, and this worker reads them.
    - Push: this worker says where the pages go, and the prefill worker writes them.
    """

    def __init__(
        self,
        ledger: PdLedger,
        mode: Mode,
        send: Send,
        submit: Submit,
        *,
        drain_s: float = DRAIN_S,
        trace: Trace | None = None,
    ) -> None:
        self.send, self.dropped = send, 0
        self.mover = Mover(ledger, Access.READ_TARGET, send, submit, drain_s=drain_s, trace=trace)
        self.exposer = Exposer(ledger, Access.WRITE_TARGET, send, drain_s=drain_s)
        self.mode: Mode = mode
        self._numbers = itertools.count(1)
        self._peers: dict[int, Peer] = {}

    def start(
        self,
        peer: Peer,
        prompt: list[int],
        first: int,
        tickets: Tickets,
        owner: int,
        let_go: LetGo,
        deadline: float,
        now: float,
    ) -> int:
        """Ask ``peer`` to fill ``tickets``, pages of ``owner``, with the KV of ``prompt`` from page ``first`` on.

        Returns the room's number, by which ``outcomes`` will name it once. Until
        then the pages are the link's: it lets go of them unless they land.
        """
        room = next(self._numbers)
        self._peers[room] = peer
        if self.mode == "push":
            ask = Prefill(room, prompt, deadline - now, first, tickets.pairs())
            self.exposer.show(ask, room, peer, tickets, owner, let_go, deadline, now)
        else:
            ask = Prefill(room, prompt, deadline - now, first, [])
            self.mover.join(room, peer, let_go, deadline, now, ask)
            self.mover.ready(peer, room, first, tickets, owner)
        return room

    def receive(self, peer: Peer, message: Message, now: float) -> None:
        """A message of a prefill worker."""
        match message:
            case Ready() if self.mode == "pull":
                self.mover.offered(peer, message.room, message.first, message.tickets, message.checks)
            case Report() if self.mode == "push":
                self.exposer.receive(peer, message, now)
            case Abort() if self.mode == "pull":
                self.mover.aborted(peer, message.room, message.tickets, now)
            case Failed():
                self.mover.fail(peer, message.room, message.why, now)
                self.exposer.fail(peer, message.room, message.why, now)
            case _:
                self.dropped += 1

    def ended(self, end: Ended, now: float) -> None:
        """How a transfer that this worker started has ended."""
        self.mover.ended(end, now)

    def abort(self, room: int, now: float, why: str = "aborted") -> None:
        """The request is over. The prefill worker is told, once; if that is lost, it learns it from the refusals."""
        if (peer := self._peers.get(room)) is None:
            return
        if self.mode == "push":
            self.exposer.abort(peer, room, now, why)
        else:
            self.mover.abort(peer, room, now, why)
            self.send(peer, Abort(room, []))

    def lost(self, peer: Peer, now: float) -> None:
        """This incarnation of a prefill worker has ended."""
        self.mover.lost(peer, now)
        self.exposer.lost(peer, now)

    def step(self, now: float) -> list[Outcome]:
        """Resend, end what is overdue; all outcomes since the last call."""
        self.mover.step(now)
        self.exposer.step(now)
        outcomes = self.mover.outcomes + self.exposer.outcomes
        self.mover.outcomes, self.exposer.outcomes = [], []
        for outcome in outcomes:
            self._peers.pop(outcome.room, None)
        return outcomes
