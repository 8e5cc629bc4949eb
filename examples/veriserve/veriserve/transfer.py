"""Moves pages to and from one peer, on a thread and an engine of its own, and says how each transfer ended.

Nothing here blocks its caller: ``submit`` puts a move into a queue, ``ended``
takes what is known by now. A peer that is frozen at first contact holds its
own thread and its own engine for a minute, and nobody else's.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from veriserve.evidence import Access, Event
from veriserve.mooncake import Extents, Mooncake, cut

MOST = 2048  # transfers under way that the engine takes
SLICE_BYTES = 256 * 1024
_IDLE_S = 0.0002


@dataclass(frozen=True)
class Move:
    """One page to move: ``local`` is read into or written from, ``remote`` is the peer's page."""

    number: int
    access: Access
    local: int
    remote: int


@dataclass(frozen=True)
class Ended:
    """How the move ``number`` ended: DONE, FAILED or GAVE_UP. It is said once, after all its slices have ended."""

    number: int
    event: Event


@dataclass(eq=False)
class _Moving:
    move: Move
    left: list[tuple[int, int]]
    under_way: int = 0
    events: set[Event] = field(default_factory=set)

    @property
    def event(self) -> Event:
        for worst in (Event.GAVE_UP, Event.FAILED):
            if worst in self.events:
                return worst
        return Event.DONE


class PeerTransfers:
    """The transfers between this worker's pool and the one of ``session``.

    A page moves in slices of at most ``slice_bytes``, each a transfer of a
    single task with an id of its own. Once a slice has failed, no further one
    of its page is started; the page's end is told when those under way have
    ended too.

    Args:
        engine: makes the engine, on the new thread.
        session, remote: the peer's address and pool.
        most: slices under way at once.
    """

    def __init__(
        self,
        engine: Callable[[], Mooncake],
        session: str,
        remote: Extents,
        *,
        slice_bytes: int = SLICE_BYTES,
        most: int = MOST,
    ) -> None:
        if not 1 <= most <= MOST:
            raise ValueError(f"{most} transfers under way: the engine takes 1 to {MOST}")
        self.session, self.remote, self.most = session, remote, most
        self.error: Exception | None = None
        self._make, self._slices = engine, cut(remote.page_bytes, slice_bytes)
        self._in: queue.SimpleQueue[Move | None] = queue.SimpleQueue()
        self._out: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"transfers {session}", daemon=True)
        self._thread.start()

    def submit(self, move: Move) -> None:
        """Queue a move."""
        self._in.put(move)

    def ended(self) -> list[Ended]:
        """The moves that have ended since the last call.

        Raises:
            Exception: the thread died of it; nothing more will be heard of what it had under way.
        """
        if self.error is not None:
            raise self.error
        return [self._out.get_nowait() for _ in range(self._out.qsize())]

    def close(self, wait_s: float = 0.0) -> bool:
        """Start nothing more, wait up to ``wait_s`` for what is under way; whether nothing is."""
        self._in.put(None)
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._loop(self._make())
        except Exception as error:  # noqa: BLE001 - it is raised again by whoever asks for what has ended
            self.error = error

    def _loop(self, engine: Mooncake) -> None:
        waiting: deque[_Moving] = deque()
        under_way: dict[int, _Moving] = {}
        closing = False
        while not (closing and not under_way):
            closing = self._take(waiting, block=not waiting and not under_way and not closing) or closing
            if closing:
                for moving in waiting:  # never started, or not further
                    moving.left.clear()
                    self._slice_ended(moving, Event.FAILED)
                waiting.clear()
            progress = self._start(engine, waiting, under_way)
            # One pass over all ids; an id leaves the table with its end, and is never asked for again.
            for number, moving in list(under_way.items()):
                if (event := engine.poll(number)) is not None:
                    del under_way[number]
                    moving.under_way -= 1
                    self._slice_ended(moving, event)
                    progress = True
            if not progress:
                time.sleep(_IDLE_S)

    def _take(self, waiting: deque[_Moving], block: bool) -> bool:
        """Move what was submitted to ``waiting``; whether it is time to close."""
        try:
            while True:
                move = self._in.get(block)
                if move is None:
                    return True
                waiting.append(_Moving(move, list(reversed(self._slices))))
                block = False
        except queue.Empty:
            return False

    def _start(self, engine: Mooncake, waiting: deque[_Moving], under_way: dict[int, _Moving]) -> bool:
        progress = False
        while waiting and len(under_way) < self.most:
            moving = waiting[0]
            if not moving.left:  # a slice of it has failed meanwhile
                waiting.popleft()
                continue
            offset, length = moving.left.pop()
            local = engine.pool.address(moving.move.local) + offset
            remote = self.remote.address(moving.move.remote) + offset
            number = engine.start(self.session, moving.move.access, local, remote, length)
            progress = True
            if number is not None:
                under_way[number] = moving
                moving.under_way += 1
            else:
                self._slice_ended(moving, Event.FAILED)
        return progress

    def _slice_ended(self, moving: _Moving, event: Event) -> None:
        moving.events.add(event)
        if event is not Event.DONE:
            moving.left.clear()
        if not moving.left and not moving.under_way:
            self._out.put(Ended(moving.move.number, moving.event))
