"""One process's events as JSON lines, in the order of its logical clock. Off by default; it never blocks its caller.

Each line holds `process`, `clock` and `event`, and where the event follows
from another one that is not simply before it here, `cause`: the clock of that
event in this process (a transfer's end names its start), or `[process, clock]`
of the message's sending in another. The ledger's events (`ledger_log.py`) go
the same way. Clocks are Lamport's: a receipt is later than the sending.
"""

from __future__ import annotations

import json
import queue
import threading
from pathlib import Path
from typing import Any, BinaryIO

from veriserve.messages import Envelope

_HELD = 65_536


class Trace:
    """Writes events to ``path`` from a thread of its own.

    What the thread can't keep up with, or a disk that is full, stops the trace
    and nothing else: a trace with a hole would be worth nothing, so it ends
    before the first event that is missing, and ``stopped`` says why.

    Args:
        held: events that may wait for the thread.
    """

    def __init__(self, path: Path | None, process: str, *, held: int = _HELD) -> None:
        self.process, self.clock = process, 0
        self.stopped: str | None = None if path else "off"
        self._queue: queue.Queue[dict[str, Any] | None] = queue.Queue(held)
        self._file: BinaryIO | None = None
        self._thread: threading.Thread | None = None
        if path is not None:
            self._file = path.open("wb", buffering=0)
            self._thread = threading.Thread(target=self._write, name="trace", daemon=True)
            self._thread.start()

    @classmethod
    def off(cls) -> Trace:
        """A trace that only keeps the clock."""
        return cls(None, "")

    @property
    def on(self) -> bool:
        """Whether events are written."""
        return self.stopped is None

    def note(self, event: str, **fields: Any) -> int:
        """Write an event; its clock."""
        self.emit({"event": event, **fields})
        return self.clock

    def emit(self, event: dict[str, Any]) -> None:
        """Write an event of the ledger's log."""
        self.clock += 1
        if self.stopped is not None:
            return
        try:
            self._queue.put_nowait({"process": self.process, "clock": self.clock, **event})
        except queue.Full:
            self.stopped = "its writer could not keep up"

    def sent(self, envelope: Envelope) -> None:
        """A message goes out; the envelope was made with ``clock + 1``."""
        source, kind = envelope.source, type(envelope.message).__name__
        self.note("message.sent", kind=kind, incarnation=source.incarnation, to=envelope.to)

    def received(self, envelope: Envelope) -> None:
        """A message came in."""
        self.clock = max(self.clock, envelope.clock)
        source = envelope.source
        cause = [source.name, envelope.clock]
        self.note("message.received", cause=cause, kind=type(envelope.message).__name__, incarnation=source.incarnation)

    def close(self) -> None:
        """Write what was noted so far, and end."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self.stopped = self.stopped or "closed"
        self._queue.put(None)
        thread.join()

    def _write(self) -> None:
        assert self._file is not None
        with self._file as file:
            while (event := self._queue.get()) is not None:
                try:
                    data = json.dumps(event, separators=(",", ":")).encode() + b"\n"
                    while data:
                        data = data[file.write(data) :]
                except OSError as error:
                    self.stopped = f"it could not be written: {error}"
                    break
            while event is not None:  # whoever closes must not wait for room in the queue
                event = self._queue.get()
