"""The prefill worker's side of its rooms: takes prompts from decode workers, and hands their pages over."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from veriserve.evidence import Access
from veriserve.ledger import PdLedger
from veriserve.ledger_types import Tickets
from veriserve.link import LetGo, Outcome, Send
from veriserve.link_expose import DRAIN_S, Exposer
from veriserve.link_move import Mover, Submit
from veriserve.messages import Abort, Failed, Message, Peer, Prefill, Ready, Report
from veriserve.trace import Trace
from veriserve.transfer import Ended

_REMEMBERED = 4096  # rooms that are over; a request for an older one would be computed in vain, and refused
_GRACE_S = 2.0  # beyond the decode worker's deadline, which it reports itself if it can


@dataclass(frozen=True)
class Job:
    """A prompt to compute. ``push`` says who moves its pages: this worker, or the one that asked."""

    peer: Peer
    room: int
    prompt: list[int]
    first: int
    deadline: float
    push: bool


class PrefillLink:
    """All rooms of a prefill worker, in both modes.

    ``jobs`` are prompts to compute; each ends with ``computed`` or ``failed``,
    or is in ``cancelled`` before.
    """

    def __init__(
        self, ledger: PdLedger, send: Send, submit: Submit, *, drain_s: float = DRAIN_S, trace: Trace | None = None
    ) -> None:
        self.send, self.dropped = send, 0
        self.exposer = Exposer(ledger, Access.READ_SOURCE, send, drain_s=drain_s)
        self.mover = Mover(ledger, Access.WRITE_SOURCE, send, submit, drain_s=drain_s, trace=trace)
        self.jobs: deque[Job] = deque()
        self.cancelled: list[Job] = []
        self._computing: dict[tuple[Peer, int], Job] = {}
        self._holds: dict[tuple[Peer, int], LetGo] = {}
        self._over: dict[tuple[Peer, int], str] = {}

    def receive(self, peer: Peer, message: Message, now: float) -> None:
        """A message of a decode worker."""
        match message:
            case Prefill():
                self._asked(peer, message, now)
            case Report():
                self.exposer.receive(peer, message, now)
            case Abort():
                self._aborted(peer, message, now)
            case _:
                self.dropped += 1

    def computed(
        self, job: Job, tickets: Tickets, owner: int, let_go: LetGo, now: float, checks: list[int] | None = None
    ) -> None:
        """The complete pages of a job's prompt, in positions from 0 on. The link lets go of them in time."""
        key = (job.peer, job.room)
        if self._computing.pop(key, None) is None:
            let_go(False)  # it was cancelled meanwhile
        elif job.push:
            self._holds[key] = let_go
            if not self.mover.ready(job.peer, job.room, 0, tickets, owner, checks):
                self._letter(key)(False)
        else:
            ready = Ready(job.room, 0, tickets.pairs(), checks or [])
            self.exposer.show(ready, job.room, job.peer, tickets, owner, let_go, job.deadline, now)

    def failed(self, job: Job, why: str, now: float) -> None:
        """The prompt can't be computed."""
        if self._computing.pop((job.peer, job.room), None) is None:
            return
        self.mover.fail(job.peer, job.room, why, now)
        self._end(job.peer, job.room, why)
        self.send(job.peer, Failed(job.room, why))

    def ended(self, end: Ended, now: float) -> None:
        """How a transfer that this worker started has ended."""
        self.mover.ended(end, now)

    def lost(self, peer: Peer, now: float) -> None:
        """This incarnation of a decode worker has ended."""
        self.mover.lost(peer, now)
        self.exposer.lost(peer, now)
        for job in [each for (whose, _), each in self._computing.items() if whose == peer]:
            self._cancel(job, "the decode worker has ended")

    def step(self, now: float) -> list[Outcome]:
        """Resend, end what is overdue; all outcomes since the last call."""
        self.mover.step(now)
        self.exposer.step(now)
        for job in [each for each in self._computing.values() if now >= each.deadline]:
            self._cancel(job, "the deadline has passed")
        outcomes = self.mover.outcomes + self.exposer.outcomes
        self.mover.outcomes, self.exposer.outcomes = [], []
        for outcome in outcomes:
            self._end(outcome.peer, outcome.room, outcome.why or outcome.what)
            if (computing := self._computing.get((outcome.peer, outcome.room))) is not None:
                self._cancel(computing, outcome.why)
        return outcomes

    def _asked(self, peer: Peer, message: Prefill, now: float) -> None:
        key = (peer, message.room)
        if message.tickets:
            if self.mover.is_new(peer, message.room, message.tickets):
                self.mover.join(message.room, peer, self._letter(key), now + message.seconds, now)
                self._take(Job(peer, message.room, message.prompt, message.first, now + message.seconds, True))
            self.mover.offered(peer, message.room, message.first, message.tickets)
        elif key in self._over:
            self.send(peer, Failed(message.room, self._over[key]))
        elif key not in self._computing and not self.exposer.again(peer, message.room, now):
            deadline = now + message.seconds + _GRACE_S
            self._take(Job(peer, message.room, message.prompt, message.first, deadline, False))

    def _take(self, job: Job) -> None:
        self._computing[job.peer, job.room] = job
        self.jobs.append(job)

    def _letter(self, key: tuple[Peer, int]) -> LetGo:
        """Lets go of a room's pages once they are computed; before there is nothing to let go of."""

        def let_go(overdue: bool) -> None:
            if (hold := self._holds.pop(key, None)) is not None:
                hold(overdue)

        return let_go

    def _aborted(self, peer: Peer, message: Abort, now: float) -> None:
        if message.tickets:
            self.mover.aborted(peer, message.room, message.tickets, now)
        else:
            self.exposer.abort(peer, message.room, now, "the decode worker ended it")
            self._end(peer, message.room, "aborted")
        if (job := self._computing.get((peer, message.room))) is not None:
            self._cancel(job, "aborted")

    def _cancel(self, job: Job, why: str) -> None:
        del self._computing[job.peer, job.room]
        if job in self.jobs:
            self.jobs.remove(job)
        else:
            self.cancelled.append(job)
        self._end(job.peer, job.room, why)

    def _end(self, peer: Peer, room: int, why: str) -> None:
        self._over[peer, room] = why
        while len(self._over) > _REMEMBERED:
            self._over.pop(next(iter(self._over)))
