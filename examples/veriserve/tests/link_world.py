"""Two ledgers and the two sides of their link, with a channel and a transport that a test drives step by step.

The links, the messages as bytes, and the ledgers are the product's. The
channel and the transport are a model: they only decide when a message or an
end of a transfer comes, and whether. So what is tested with it is the control
plane alone; the transport itself is tested in `test_transfer.py` and
`test_link_mooncake.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veriserve.evidence import Access, Event
from veriserve.ledger import PdLedger
from veriserve.ledger_types import State, Tickets
from veriserve.link import Outcome
from veriserve.link_decode import DecodeLink, Mode
from veriserve.link_prefill import Job, PrefillLink
from veriserve.messages import Envelope, Message, Peer, pack, unpack
from veriserve.transfer import Ended, Move

P, D = Peer("p", 3), Peer("d", 5)
PAGES = 6
DEADLINE_S = 20.0


@dataclass
class Transfer:
    """A move as the transport sees it: the content it carries, and what of it is not over yet."""

    side: str
    move: Move
    source: tuple[str, int]
    target: tuple[str, int]
    gens: tuple[int, int]
    writes: bool = True
    reads: bool = True
    carried: int = 0
    told: bool = False


@dataclass
class Channel:
    to_p: list[bytes] = field(default_factory=list)
    to_d: list[bytes] = field(default_factory=list)


class World:
    def __init__(self, mode: Mode) -> None:
        self.mode: Mode = mode
        self.now = 0.0
        self.net = Channel()
        self.transfers: list[Transfer] = []
        self.ledgers = {"p": PdLedger(PAGES, incarnation=3), "d": PdLedger(PAGES, incarnation=5)}
        self.memory = {side: np.zeros(PAGES, np.int64) for side in "pd"}
        self.decode = DecodeLink(self.ledgers["d"], mode, self.sender("d"), self.submitter("d"), drain_s=3.0)
        self.prefill = PrefillLink(self.ledgers["p"], self.sender("p"), self.submitter("p"), drain_s=3.0)
        self.rooms: dict[int, tuple[Tickets, int]] = {}
        self.outcomes: dict[str, dict[int, Outcome]] = {"p": {}, "d": {}}
        self.ended_d: list[int] = []
        self.owners = 0

    # ---- the links' surroundings ------------------------------------------------------------

    def sender(self, side: str):
        def send(peer: Peer, message: Message) -> None:
            me, queue = (P, self.net.to_d) if side == "p" else (D, self.net.to_p)
            queue.append(pack(Envelope(me, peer.incarnation, 0, message)))

        return send

    def submitter(self, side: str):
        other = "d" if side == "p" else "p"

        def submit(peer: Peer, move: Move) -> None:
            here, there = (side, move.local), (other, move.remote)
            source, target = (there, here) if move.access is Access.READ_TARGET else (here, there)
            gens = tuple(int(self.ledgers[s].gen[page]) for s, page in (source, target))
            self.transfers.append(Transfer(side, move, source, target, gens))

        return submit

    def holder(self, side: str, tickets: Tickets, owner: int):
        ledger = self.ledgers[side]

        def let_go(overdue: bool) -> None:
            (ledger.timeout if overdue else ledger.release)(tickets, owner)

        return let_go

    # ---- what can happen --------------------------------------------------------------------

    def start(self, pages: int) -> None:
        ledger = self.ledgers["d"]
        if ledger.free < pages:
            return
        self.owners += 1
        tickets = ledger.alloc(pages, self.owners)
        key = 1000 * self.owners
        prompt = [key]
        let_go = self.holder("d", tickets, self.owners)
        room = self.decode.start(P, prompt, 0, tickets, self.owners, let_go, self.now + DEADLINE_S, self.now)
        self.rooms[room] = (tickets, key)

    def compute(self, job: Job) -> None:
        """The next prompt at P: its pages are filled with what belongs there."""
        ledger, (wanted, _) = self.ledgers["p"], self.rooms[job.room]
        count = len(wanted.page)
        if ledger.free < count:
            self.prefill.failed(job, "no pages", self.now)
            return
        self.owners += 1
        tickets = ledger.alloc(count, self.owners)
        self.memory["p"][tickets.page] = job.prompt[0] + np.arange(count)
        ledger.complete(tickets, self.owners)
        self.prefill.computed(job, tickets, self.owners, self.holder("p", tickets, self.owners), self.now)

    def until_transfers(self, pages: int) -> None:
        """A room whose prompt is computed and whose transfers have been posted."""
        self.start(pages)
        self.deliver("p", self.net.to_p.pop(0))
        self.compute(self.prefill.jobs.popleft())
        if self.mode == "pull":
            self.deliver("d", self.net.to_d.pop(0))

    def deliver(self, side: str, data: bytes) -> None:
        envelope = unpack(data)
        if side == "p":
            self.prefill.receive(envelope.source, envelope.message, self.now)
        else:
            self.decode.receive(envelope.source, envelope.message, self.now)

    def land(self, transfer: Transfer) -> None:
        """The data arrives: it must still be the page that it was meant for, with nobody reading it."""
        (from_side, source), (to_side, target) = transfer.source, transfer.target
        ledger = self.ledgers[to_side]
        assert ledger.gen[target] == transfer.gens[1], "lands in another request's page"
        state = State(ledger.state[target])
        assert state in (State.PRIVATE, State.DRAINING, State.QUARANTINED) and not ledger.full[target], state
        content = self.memory[from_side][source] if transfer.reads else transfer.carried
        self.memory[to_side][target] = content
        transfer.reads = False
        transfer.writes = False

    def end(self, transfer: Transfer, event: Event) -> None:
        """The transport says how the transfer ended. A failed write, and a call that gave up, may land later."""
        read = transfer.move.access is Access.READ_TARGET
        if event is Event.DONE:
            self.land(transfer)
        elif event is Event.FAILED and read:
            self.memory[transfer.target[0]][transfer.target[1]] = -1
            transfer.writes = False
        elif event is Event.FAILED:
            transfer.carried = int(self.memory[transfer.source[0]][transfer.source[1]])
        transfer.told, transfer.reads = True, transfer.reads and event is Event.GAVE_UP
        if not transfer.writes:
            self.transfers.remove(transfer)
        link = self.prefill if transfer.side == "p" else self.decode
        link.ended(Ended(transfer.move.number, event), self.now)

    def step(self, seconds: float) -> None:
        self.now += seconds
        for side, link in (("p", self.prefill), ("d", self.decode)):
            for outcome in link.step(self.now):
                assert outcome.room not in self.outcomes[side], "a room ends once"
                self.outcomes[side][outcome.room] = outcome
                if side == "d" and outcome.what == "landed":
                    self.landed(outcome.room)
        self.prefill.cancelled.clear()

    def landed(self, room: int) -> None:
        """D has every page: it reads them, and lets go of them later."""
        tickets, key = self.rooms[room]
        expected = (key + np.arange(len(tickets.page))).tolist()
        assert self.ledgers["d"].full[tickets.page].all()
        assert self.memory["d"][tickets.page].tolist() == expected, "the wrong data"
        self.ended_d.append(room)

    def finish(self, room: int) -> None:
        tickets, _ = self.rooms[room]
        ledger = self.ledgers["d"]
        ledger.release(tickets, int(ledger.owner[tickets.page[0]]))
        self.ended_d.remove(room)

    def check(self) -> None:
        for ledger in self.ledgers.values():
            ledger.check_integrity()
        for transfer in self.transfers:
            side, page = transfer.target
            assert self.ledgers[side].gen[page] == transfer.gens[1]
            assert self.ledgers[side].state[page] != State.FREE, "a page is free that a transfer may write"
            side, page = transfer.source
            assert not transfer.reads or self.ledgers[side].gen[page] == transfer.gens[0], "a source is another's"
            assert not transfer.reads or self.ledgers[side].state[page] != State.FREE, "a source is free that is read"

    def settle(self, event: Event = Event.DONE) -> None:
        """No more faults: messages arrive, transfers end, time passes until nothing changes any more."""
        for _ in range(200):
            for side, queue in (("p", self.net.to_p), ("d", self.net.to_d)):
                while queue:
                    self.deliver(side, queue.pop(0))
            while self.prefill.jobs:
                self.compute(self.prefill.jobs.popleft())
            for transfer in [each for each in self.transfers if not each.told]:
                self.end(transfer, event)
            self.step(0.5)
            self.check()
        for room in list(self.ended_d):
            self.finish(room)
        self.check()
