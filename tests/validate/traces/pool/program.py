"""A real threaded program that records what it does: threads take pages from a pool and give them back."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path


class Pool:
    """Pages with owners, guarded by one lock; every change is an event under that lock.

    ``faulty`` makes a release forget to say so (a bug that a replay must see).
    """

    def __init__(self, pages: int, *, faulty: bool = False) -> None:
        self.owner = {page: "Nobody" for page in range(pages)}
        self.lock = threading.Lock()
        self.clock = 0
        self.events: list[dict[str, object]] = []
        self.last_event_of_page: dict[int, str] = {}
        self.faulty = faulty

    def record(self, event: str, thread: str, page: int | None = None) -> None:
        """Append one event with the clock, its causes and the owners after it; the lock is held."""
        self.clock += 1
        entry: dict[str, object] = {"id": f"e{self.clock}", "clock": self.clock, "event": event, "thread": thread}
        if page is not None:
            entry |= {"page": page, "after": self.owner[page], "owner": {str(p): o for p, o in self.owner.items()}}
            # A page passes from hand to hand: its earlier event happened before this one.
            entry["causes"] = [self.last_event_of_page[page]] if page in self.last_event_of_page else []
            self.last_event_of_page[page] = str(entry["id"])
        self.events.append(entry)

    def alloc(self, thread: str) -> int | None:
        """A page for ``thread``, or None when all are taken."""
        with self.lock:
            page = next((p for p, owner in self.owner.items() if owner == "Nobody"), None)
            if page is not None:
                self.owner[page] = thread
                self.record("alloc", thread, page)
            return page

    def release(self, thread: str, page: int) -> None:
        """Give ``page`` back."""
        with self.lock:
            self.owner[page] = "Nobody"
            if not (self.faulty and self.clock > 20):
                self.record("release", thread, page)


def run(rounds: int, *, faulty: bool = False) -> list[dict[str, object]]:
    """Two threads, each ``rounds`` times: take up to two pages, give them back."""
    pool = Pool(3, faulty=faulty)

    def work(name: str) -> None:
        chance = random.Random(name)
        with pool.lock:
            pool.record("start", name)
        for _ in range(rounds):
            pages = [page for page in (pool.alloc(name) for _ in range(chance.randint(1, 2))) if page is not None]
            for page in pages:
                pool.release(name, page)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return pool.events


def write(path: Path, events: list[dict[str, object]]) -> None:
    """The log in JSON lines."""
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
