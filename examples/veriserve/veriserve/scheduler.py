"""Which tokens a step computes: decode first, then chunks of prompts; and who gives way when pages run out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from veriserve.config import EngineConfig
from veriserve.ledger_types import OutOfPages
from veriserve.request import Request
from veriserve.tables import PageTable, PageTables


@dataclass(frozen=True)
class Work:
    """The next ``length`` tokens of a request that have no KV yet, from ``start`` on."""

    request: Request
    start: int
    length: int

    @property
    def table(self) -> PageTable:
        """The request's pages; scheduled work has them."""
        assert self.request.table is not None
        return self.request.table

    @property
    def samples(self) -> bool:
        """Whether the step computes the request's last token, so that the next can be sampled."""
        return self.start + self.length == len(self.request.tokens)


class Scheduler:
    """Waiting and running requests, oldest first.

    To it prefill, chunked prefill, decode and the second start of a preempted request are one thing: some tokens of a
    running request have no KV yet, and a step computes as many as its budget allows.
    """

    def __init__(self, config: EngineConfig, tables: PageTables) -> None:
        self.config = config
        self.tables = tables
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []
        self.preemptions = 0

    def __iter__(self) -> Iterator[Request]:
        yield from self.running
        yield from self.waiting

    def add(self, request: Request) -> None:
        """Queue a request; one whose table holds landed KV goes on from there."""
        self.waiting.append(request)

    def remove(self, request: Request, overdue: bool = False) -> None:
        """Forget a request that is over; its pages go back unless it keeps them."""
        (self.running if request in self.running else self.waiting).remove(request)
        if request.table and not request.keep_pages:
            self._close(request, overdue)

    def schedule(self) -> list[Work]:
        """The next step's work, whose pages are all in their tables, single tokens first."""
        budget = self.config.max_step_tokens
        work: list[Work] = []
        before = len(self.running)
        # Decoding requests need one token each; what they leave of the budget goes to prompts, oldest first.
        for request in sorted(self.running, key=lambda each: len(each.tokens) - each.computed > 1):
            if request.table is None or budget == 0:
                continue  # preempted for one before it, or no budget left
            length = min(len(request.tokens) - request.computed, budget)
            if self._make_room(request, length):
                work.append(Work(request, request.computed, length))
                budget -= length
        crowded = len(self.running) < before
        work = [each for each in work if each.request.table is not None]
        while self.waiting and budget and not crowded and len(self.running) < self.config.max_batch:
            request = self.waiting[0]
            if not self._admit(request):
                break
            self.running.append(self.waiting.popleft())
            length = min(len(request.tokens) - request.computed, budget)
            work.append(Work(request, request.computed, length))
            budget -= length
        return sorted(work, key=lambda each: each.length > 1)

    def stuck(self) -> Request | None:
        """The request whose turn it is and which more pages than the pool has left would not hold."""
        usable = self.tables.usable
        return next((each for each in self.waiting if self.tables.pages_for(len(each.tokens)) > usable), None)

    def _admit(self, request: Request) -> bool:
        """Whether there are pages for all of a waiting request's tokens; if so it has them now."""
        fresh = request.table is None
        if fresh:
            request.table = self.tables.open(request.number, request.tokens)
        assert request.table is not None
        missing = self.tables.pages_for(len(request.tokens)) - request.table.size
        # A page for each that runs, so that the newcomer is not preempted at the next page's end.
        if missing + len(self.running) > self.tables.available:
            return self._let_wait(request, fresh)
        try:
            self.tables.grow(request.table, len(request.tokens))
        except OutOfPages:  # what seemed evictable is still read by a transfer
            return self._let_wait(request, fresh)
        if not request.output:
            request.cached = request.table.length
        return True

    def _let_wait(self, request: Request, fresh: bool) -> bool:
        if fresh and request.table is not None:
            self.tables.close(request.table)
            request.table = None
        return False

    def _make_room(self, request: Request, length: int) -> bool:
        """Give a running request pages for ``length`` more tokens, at the expense of the youngest if need be."""
        assert request.table is not None
        while True:
            try:
                self.tables.grow(request.table, request.computed + length)
                return True
            except OutOfPages:
                youngest = self.running[-1]
                self._preempt(youngest)
                if youngest is request:
                    return False

    def _preempt(self, request: Request) -> None:
        """Take a request's pages; it waits, first in line, and computes again what the cache does not keep."""
        self._close(request)
        request.preemptions += 1
        self.preemptions += 1
        self.running.remove(request)
        self.waiting.appendleft(request)

    def _close(self, request: Request, overdue: bool = False) -> None:
        assert request.table is not None
        self.tables.publish(request.table, request.tokens)
        self.tables.close(request.table, overdue)
        request.table = None
