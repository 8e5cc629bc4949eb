"""A worker of the link as a process of its own, over real Mooncake and ZeroMQ, whose "KV" is a known pattern.

``python worker_process.py '<json options>'`` prints one JSON line when it listens, and one for each line on its
standard input: the state of its ledger and its outcomes so far.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from veriserve.exchange import Exchange
from veriserve.ledger import PdLedger
from veriserve.ledger_log import LedgerLog
from veriserve.link_decode import DecodeLink
from veriserve.link_prefill import PrefillLink
from veriserve.messages import Hello, Peer
from veriserve.mooncake import Extents, Mooncake
from veriserve.peers import Peers
from veriserve.trace import Trace
from veriserve.wire import Wire


def content(key: int, position: int, page_bytes: int) -> np.ndarray:
    """What belongs into the page at ``position`` of the prompt that begins with ``key``."""
    return np.random.default_rng([key, position]).integers(0, 256, page_bytes, dtype=np.uint8)


class Worker:
    """Pool, engine, ledger, wire and link of a prefill worker (`p`) or decode worker (`d`)."""

    def __init__(self, side: str, options: dict[str, Any]) -> None:
        self.side, self.page_bytes = side, options["page_bytes"]
        pages, incarnation = options.get("pages", 8), options.get("incarnation", 1)
        self.memory = np.zeros((pages, self.page_bytes), np.uint8)
        self.pool = Extents(self.memory.ctypes.data, self.page_bytes, pages)
        self.engine = Mooncake(self.pool)
        path = options.get("trace")
        self.trace = Trace(Path(path), side) if path else Trace.off()
        log = LedgerLog(side, self.trace.emit) if path else None
        self.ledger = PdLedger(pages, incarnation=incarnation, log=log)
        fit = [options.get("version", "1"), "m", 16, self.page_bytes, "page", "u8", "tcp"]
        hello = Hello(*fit, self.engine.session, self.pool.base, pages)
        self.peers = Peers(Peer(side, incarnation), hello)
        self.wire = Wire(self.peers, self.trace)
        self.mode = options.get("mode", "pull")
        slices = options.get("slice_bytes", 1 << 14)
        self.exchange = Exchange(self.make, self.wire, self.pool, slice_bytes=slices)
        self.outcomes: dict[int, str] = {}
        self.owners = 0

    def make(self, send, submit):
        if self.side == "p":
            return PrefillLink(self.ledger, send, submit, drain_s=1.0, trace=self.trace)
        return DecodeLink(self.ledger, self.mode, send, submit, drain_s=1.0, trace=self.trace)

    def holder(self, tickets, owner):
        return lambda overdue: (self.ledger.timeout if overdue else self.ledger.release)(tickets, owner)

    def step(self, wait_s: float = 0.002) -> None:
        now = time.monotonic()
        for outcome in self.exchange.step(now, wait_s):
            self.outcomes[outcome.room] = outcome.what
        jobs = getattr(self.exchange.link, "jobs", None)
        while jobs:
            job = jobs.popleft()
            self.owners += 1
            key, count = job.prompt
            tickets = self.ledger.alloc(count, self.owners)
            for position, page in enumerate(tickets.page):
                self.memory[page] = content(key, position, self.page_bytes)
            self.ledger.complete(tickets, self.owners)
            self.exchange.link.computed(job, tickets, self.owners, self.holder(tickets, self.owners), now)
        self.ledger.check_integrity()

    def report(self) -> dict[str, Any]:
        return {"counts": self.ledger.counts(), "outcomes": self.outcomes, "late": self.ledger.late_tickets}


def main() -> None:
    options = json.loads(sys.argv[1])
    worker = Worker("p", options)
    address = worker.wire.listen("tcp://127.0.0.1:*")
    print(json.dumps({"address": address}), flush=True)
    asked: list[str] = []
    threading.Thread(target=lambda: [asked.append(line) for line in sys.stdin], daemon=True).start()
    while True:
        worker.step()
        while asked:
            asked.pop()
            print(json.dumps(worker.report()), flush=True)


if __name__ == "__main__":
    main()
