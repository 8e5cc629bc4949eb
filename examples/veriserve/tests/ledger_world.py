"""A random world around two real ledgers: requests, messages, transfers and kernels of a prefill and a decode worker.

It follows the protocol of the model and leaves every page's books to `PdLedger`.
What it writes is a trace of the ledgers' own events, and of the world's between
them, each with the state of both ledgers after it.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from veriserve.evidence import Access, Event
from veriserve.ledger import PdLedger
from veriserve.ledger_log import LedgerLog
from veriserve.ledger_types import NOBODY, Kind, Lease, State, Tickets, join

LENGTH = 2
SAID = {"done": Event.DONE, "failed": Event.FAILED, "gave up": Event.GAVE_UP, "refused": Event.REFUSED}


class Message(NamedTuple):
    kind: str
    room: int
    pos: int
    ticket: tuple[str, int]
    what: str


class Transfer(NamedTuple):
    room: int
    pos: int
    reads: bool
    writes: bool
    said: str
    src: tuple[str, int]
    dst: tuple[str, int]


@dataclass
class Room:
    """A request at one worker."""

    phase: str = "queue"
    own: dict[int, Tickets] = field(default_factory=dict)
    references: list[Lease] = field(default_factory=list)
    shared: dict[int, Tickets] = field(default_factory=dict)
    kernel: Lease | None = None
    exposed: Lease | None = None

    @property
    def held(self) -> dict[int, Tickets]:
        return {**self.shared, **self.own}


class World:
    """Every step is one that a worker or the world may take now; ``run`` takes steps at random until all is over."""

    def __init__(self, seed: int, *, pull: bool, rooms: int, pages: int, same: bool, faults: bool) -> None:
        self.random = random.Random(seed)
        self.pull, self.same, self.faults = pull, same, faults
        self.events: list[dict[str, Any]] = []
        self.ledgers = {side: PdLedger(pages, log=LedgerLog(side, self.emit)) for side in "PD"}
        self.rooms = {side: {room: Room() for room in range(1, rooms + 1)} for side in "PD"}
        self.cache: dict[str, dict[tuple[int, int], Tickets]] = {"P": {}, "D": {}}
        self.net: list[Message] = []
        self.twice: set[Message] = set()
        self.nic: list[Transfer] = []
        self.leases: dict[tuple[int, int, tuple[str, int]], Lease] = {}
        self.served: dict[str, int] = {}
        self.exposer, self.mover = ("P", "D") if pull else ("D", "P")
        self.about: dict[str, Any] = {}

    # ---- the log ---------------------------------------------------------------------------

    def emit(self, event: dict[str, Any]) -> None:
        kept = {name: event[name] for name in event if name not in ("pages", "gens", "after")}
        self.events.append({**kept, **self.about, "state": self.state()})

    def note(self, name: str, **fields: Any) -> None:
        self.emit({"event": name, **fields})

    def name(self, side: str, page: int) -> str:
        return f"{side}{page}"

    def named(self, side: str, tickets: Tickets) -> tuple[str, int]:
        ((page, gen),) = tickets.pairs()
        return self.name(side, page), gen

    def tickets(self, ticket: tuple[str, int]) -> Tickets:
        return Tickets.of([(int(ticket[0][1:]), ticket[1])])

    def state(self) -> dict[str, list[Any]]:
        """Of each page: state, generation, owner, completeness, open leases of transfers, kernels and the cache."""
        state = {}
        for side, ledger in self.ledgers.items():
            for page in range(ledger.num_pages):
                owner = int(ledger.owner[page])
                counts = ledger.leases[[Kind.TRANSFER, Kind.KERNEL, Kind.CACHE], page].tolist()
                books = [State(ledger.state[page]).name, int(ledger.gen[page]), "None" if owner == NOBODY else owner]
                state[self.name(side, page)] = [*books, bool(ledger.full[page]), *counts]
        return state

    def message(self, m: Message) -> dict[str, Any]:
        common = {"kind": m.kind, "room": m.room, "pos": m.pos, "ticket": list(m.ticket)}
        return common | ({"from": 0, "to": 0} if m.kind == "expose" else {"what": m.what})

    def transfer(self, t: Transfer) -> dict[str, Any]:
        return {**t._asdict(), "src": list(t.src), "dst": list(t.dst)}

    def key(self, room: int, pos: int) -> tuple[int, int]:
        return (1 if self.same else room, pos)

    # ---- steps that can be taken now --------------------------------------------------------

    def run(self, steps: int) -> list[dict[str, Any]]:
        for _ in range(steps):
            able = [*self.of_rooms(), *self.of_messages(), *self.of_transfers(), *self.of_pages()]
            if not able:
                break
            weights = [weight for weight, _ in able]
            self.about = {}
            self.random.choices(able, weights)[0][1]()
            for ledger in self.ledgers.values():
                ledger.check_integrity()
        return self.events

    def of_rooms(self) -> list[tuple[float, Callable[[], None]]]:
        able: list[tuple[float, Callable[[], None]]] = []
        for side, rooms in self.rooms.items():
            ledger = self.ledgers[side]
            # Few at once: rooms come in the order of their numbers.
            live = [number for number, room in rooms.items() if room.phase != "over" or room.kernel][:4]
            for number in live:
                room = rooms[number]
                held, missing = len(room.shared), LENGTH - len(room.held)
                if room.kernel:
                    able.append((2, lambda s=side, r=number: self.kernel_end(s, r)))
                if room.phase == "over":
                    continue
                able.append((0.02, lambda s=side, r=number: self.end(s, r, "release")))
                able.append((0.02, lambda s=side, r=number: self.end(s, r, "timeout")))
                if room.phase == "queue":
                    if held < LENGTH and self.key(number, held + 1) in self.cache[side]:
                        able.append((3, lambda s=side, r=number: self.hit(s, r)))
                    if ledger.free >= missing:
                        able.append((1, lambda s=side, r=number: self.alloc(s, r)))
                ready = room.phase == "fill" if side == "P" else room.phase in ("wait", "shown")
                if ready and (side == "P" or self.is_full(side, room)):
                    able.append((1, lambda s=side, r=number: self.kernel_begin(s, r)))
                if side == "P" and room.phase == "done":
                    able.append((2, lambda r=number: self.complete(r)))
                if side == self.exposer and room.phase == ("hold" if self.pull else "wait"):
                    able.append((1, lambda r=number: self.expose(r)))
                if self.through(side, number):
                    able.append((0.5, lambda s=side, r=number: self.end(s, r, "release")))
                private = [t for t in room.own.values() if ledger.state[t.page[0]] == State.PRIVATE]
                if private and len(private) == len(room.own) and not missing and self.is_full(side, room):
                    able.append((0.5, lambda s=side, r=number: self.publish(s, r)))
        return able

    def is_full(self, side: str, room: Room) -> bool:
        return len(room.held) == LENGTH and all(self.ledgers[side].full[t.page[0]] for t in room.held.values())

    def through(self, side: str, number: int) -> bool:
        room = self.rooms[side][number]
        if side == "D":
            return room.phase == "done"
        moving = any(t.room == number and t.said != "told" for t in self.nic)
        opened = room.exposed is not None and bool(room.exposed.open.any())
        if self.pull:
            return room.phase == "shown" and not opened and not room.kernel
        stuck = any(lease.owner == number and lease.open.any() for lease in self.leases.values())
        return room.phase in ("hold", "shown") and not moving and not stuck and bool(self.served) and not room.kernel

    def hit(self, side: str, number: int) -> None:
        room = self.rooms[side][number]
        pos = len(room.shared) + 1
        tickets = self.cache[side][self.key(number, pos)]
        self.about = {"page": self.name(side, int(tickets.page[0]))}
        room.references.append(self.ledgers[side].open(tickets, Kind.CACHE, number))
        room.shared[pos] = tickets

    def alloc(self, side: str, number: int) -> None:
        room, ledger = self.rooms[side][number], self.ledgers[side]
        missing = [pos for pos in range(1, LENGTH + 1) if pos not in room.shared]
        # The same pages that the ledger will give: the log says which position gets which.
        given = ledger._stack[ledger.free - len(missing) : ledger.free][::-1].tolist()
        layout = [[self.name(side, page), pos] for pos, page in zip(missing, given, strict=True)]
        self.about = {"layout": layout}
        if missing:
            tickets = ledger.alloc(len(missing), number)
            assert tickets.page.tolist() == given
            room.own = {pos: tickets.take(np.array([i])) for i, pos in enumerate(missing)}
        else:
            self.note("room.ready", worker=side, owner=number)
        room.phase = "fill" if side == "P" else "wait"

    def kernel_begin(self, side: str, number: int) -> None:
        room = self.rooms[side][number]
        pages = join([room.held[pos] for pos in range(1, LENGTH + 1)])
        reads = LENGTH if side == "D" else len(room.shared)
        room.kernel = self.ledgers[side].open(pages, Kind.KERNEL, number, reads=reads)
        room.phase = "run"

    def kernel_end(self, side: str, number: int) -> None:
        room = self.rooms[side][number]
        assert room.kernel is not None
        self.ledgers[side].close(room.kernel)
        room.kernel = None
        if room.phase == "run":
            room.phase = "done"

    def complete(self, number: int) -> None:
        room = self.rooms["P"][number]
        if room.own:
            self.ledgers["P"].complete(join(list(room.own.values())), number)
        else:
            self.note("room.complete", owner=number)
        room.phase = "hold"

    def publish(self, side: str, number: int) -> None:
        room, cache = self.rooms[side][number], self.cache[side]
        places = sorted(room.own)
        first = np.array([self.key(number, pos) not in cache for pos in places])
        before = places[0] + int((~first).sum()) - 1
        parent = cache[self.key(number, before)] if before else None
        tickets = join([room.own[pos] for pos in places])
        mask, lease = self.ledgers[side].publish(tickets, first, number, parent)
        for pos, is_new in zip(places, mask.tolist(), strict=True):
            if is_new:
                room.shared[pos] = cache[self.key(number, pos)] = room.own.pop(pos)
        if lease is not None:
            room.references.append(lease)

    def expose(self, number: int) -> None:
        room, side = self.rooms[self.exposer][number], self.exposer
        pages = room.held if self.pull else room.own
        if pages:
            access = Access.READ_SOURCE if self.pull else Access.WRITE_TARGET
            room.exposed = self.ledgers[side].open(join(list(pages.values())), Kind.TRANSFER, number, access)
        else:
            self.note("room.exposed", owner=number)
        for pos, tickets in pages.items():
            self.net.append(Message("expose", number, pos, self.named(side, tickets), ""))
        room.phase = "shown"

    def end(self, side: str, number: int, how: str) -> None:
        """Release or timeout: the request lets go of its pages and references."""
        room, ledger = self.rooms[side][number], self.ledgers[side]
        tickets = join(list(room.own.values()))
        if room.own or room.references:
            (ledger.release if how == "release" else ledger.timeout)(tickets, number, room.references)
        else:
            self.note(f"room.{how}", worker=side, owner=number)
        room.own, room.references, room.shared, room.phase = {}, [], {}, "over"

    # ---- messages --------------------------------------------------------------------------

    def of_messages(self) -> list[tuple[float, Callable[[], None]]]:
        able: list[tuple[float, Callable[[], None]]] = []
        for m in self.net:
            if self.faults:
                able.append((0.03, lambda m=m: self.lose(m)))
                if m not in self.twice:
                    able.append((0.05, lambda m=m: self.duplicate(m)))
            if m.kind == "report":
                able.append((1, lambda m=m: self.hear(m)))
            elif m.ticket[1] <= self.served.get(m.ticket[0], 0):
                able.append((1, lambda m=m: self.drop(m)))
            elif self.ready(m) is not None:
                able.append((1, lambda m=m: self.post(m)))
            elif not self.wanted(m):
                able.append((1, lambda m=m: self.refuse(m)))
        return able

    def take(self, m: Message) -> None:
        if m in self.twice:
            self.twice.discard(m)
        else:
            self.net.remove(m)

    def lose(self, m: Message) -> None:
        self.net.remove(m)
        self.twice.discard(m)
        self.note("message.lost", m=self.message(m))

    def duplicate(self, m: Message) -> None:
        self.twice.add(m)
        self.note("message.doubled", m=self.message(m))

    def ready(self, m: Message) -> Tickets | None:
        """The mover's page for this position, if it can be moved now."""
        room, ledger = self.rooms[self.mover][m.room], self.ledgers[self.mover]
        tickets = room.held.get(m.pos)
        if room.phase == "over" or tickets is None:
            return None
        page = tickets.page[0]
        if self.pull:
            fit = m.pos in room.own and not ledger.full[page] and ledger.leases[Kind.TRANSFER, page] == 0
        else:
            fit = bool(ledger.full[page])
        return tickets if fit else None

    def wanted(self, m: Message) -> bool:
        room, ledger = self.rooms[self.mover][m.room], self.ledgers[self.mover]
        tickets = room.held.get(m.pos)
        return room.phase == "queue" or (tickets is not None and not ledger.full[tickets.page[0]])

    def post(self, m: Message) -> None:
        tickets = self.ready(m)
        assert tickets is not None
        here = self.named(self.mover, tickets)
        self.about = {"m": self.message(m), "page": here[0]}
        access = Access.READ_TARGET if self.pull else Access.WRITE_SOURCE
        lease = self.ledgers[self.mover].open(tickets, Kind.TRANSFER, m.room, access)
        self.leases[m.room, m.pos, m.ticket] = lease
        src, dst = (m.ticket, here) if self.pull else (here, m.ticket)
        self.nic.append(Transfer(m.room, m.pos, True, True, "none", src, dst))
        self.served[m.ticket[0]] = m.ticket[1]
        self.take(m)

    def refuse(self, m: Message) -> None:
        self.take(m)
        self.net.append(Message("report", m.room, m.pos, m.ticket, "refused"))
        self.served[m.ticket[0]] = m.ticket[1]
        self.note("message.refused", m=self.message(m))

    def drop(self, m: Message) -> None:
        self.take(m)
        self.note("message.dropped", m=self.message(m))

    def hear(self, m: Message) -> None:
        self.take(m)
        lease = self.rooms[self.exposer][m.room].exposed
        assert lease is not None
        self.about = {"m": self.message(m)}
        self.ledgers[self.exposer].evidence(lease, self.tickets(m.ticket), SAID[m.what])

    # ---- transfers -------------------------------------------------------------------------

    def of_transfers(self) -> list[tuple[float, Callable[[], None]]]:
        able: list[tuple[float, Callable[[], None]]] = []
        for t in self.nic:
            if t.writes:
                able.append((0.5, lambda t=t: self.land(t)))
            if self.faults and t.reads and t.said == "none":
                able.append((0.06, lambda t=t: self.fail(t)))
                able.append((0.06, lambda t=t: self.give_up(t)))
                able.append((0.02, lambda t=t: self.lose_completion(t)))
            if t.said in ("done", "failed", "gave up"):
                able.append((1, lambda t=t: self.poll(t)))
        return able

    def there(self, t: Transfer) -> tuple[str, int]:
        """The exposer's ticket, by which a transfer is known."""
        return t.src if self.pull else t.dst

    def replace(self, t: Transfer, new: Transfer | None, name: str) -> None:
        self.nic.remove(t)
        if new is not None:
            self.nic.append(new)
        self.note(f"transfer.{name}", ticket=self.there(t), t=self.transfer(t))

    def land(self, t: Transfer) -> None:
        said = "done" if t.said == "none" else t.said
        left = t._replace(reads=False, writes=False, said=said) if said != "told" else None
        self.replace(t, left, "landed")

    def lose_completion(self, t: Transfer) -> None:
        self.replace(t, None, "unheard")

    def fail(self, t: Transfer) -> None:
        self.replace(t, t._replace(reads=False, writes=not self.pull, said="failed"), "failed")

    def give_up(self, t: Transfer) -> None:
        self.replace(t, t._replace(said="gave up"), "given up")

    def poll(self, t: Transfer) -> None:
        here, there = t.dst if self.pull else t.src, self.there(t)
        self.nic.remove(t)
        if t.reads or t.writes:
            self.nic.append(t._replace(said="told"))
        self.about = {"ticket": there, "t": self.transfer(t)}
        lease = self.leases[t.room, t.pos, there]
        self.ledgers[self.mover].evidence(lease, self.tickets(here), SAID[t.said])
        if t.said != "gave up":
            self.net.append(Message("report", t.room, t.pos, there, t.said))

    # ---- pages -----------------------------------------------------------------------------

    def of_pages(self) -> list[tuple[float, Callable[[], None]]]:
        able: list[tuple[float, Callable[[], None]]] = []
        for side, ledger in self.ledgers.items():
            for page in np.flatnonzero(ledger.state == State.DRAINING).tolist():
                if ledger.leases[Kind.TRANSFER, page]:
                    able.append((0.05, lambda s=side, p=page: self.expire(s, p)))
            for key, tickets in self.cache[side].items():
                idle = not ledger.leases[:, tickets.page[0]].any()
                if idle and (key[0], key[1] + 1) not in self.cache[side]:
                    able.append((0.1 if self.same else 0.5, lambda s=side, k=key: self.evict(s, k)))
        return able

    def expire(self, side: str, page: int) -> None:
        self.about = {"page": self.name(side, page)}
        self.ledgers[side].expire(Tickets.of([(page, int(self.ledgers[side].gen[page]))]))

    def evict(self, side: str, key: tuple[int, int]) -> None:
        tickets = self.cache[side].pop(key)
        self.about = {"page": self.name(side, int(tickets.page[0]))}
        self.ledgers[side].evict(tickets)


def main(folder: Path) -> None:
    """Write the traces that `vstack.yaml` replays."""
    for seed, (name, pull, same) in enumerate(
        [("pull", True, False), ("push", False, False), ("pull-shared", True, True), ("push-shared", False, True)], 1
    ):
        world = World(seed, pull=pull, rooms=40, pages=5, same=same, faults=True)
        events = world.run(2000)
        lines = "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
        (folder / f"ledger-{name}.jsonl").write_text(lines, encoding="utf-8")
        print(name, len(events), {side: ledger.counts() for side, ledger in world.ledgers.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
