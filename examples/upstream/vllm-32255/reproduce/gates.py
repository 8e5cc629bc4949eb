"""Gates: places where a thread of the engine stops until the driver lets it go on."""

from __future__ import annotations

import threading


class Parted(Exception):
    """The real code did something else than the step asked for."""


class Closing(BaseException):
    """Raised in a thread that waits at a gate when the run is over."""


class Gated:
    """One thread of the engine, which runs only between two gates.

    ``at`` is the gate where it stands (its name and what it is about), None
    while it runs, ``("ended", error)`` once it has returned or died of ``error``.
    """

    def __init__(self, name: str, run, seconds: float):
        self.at: tuple | None = None
        self._seconds, self._changed, self._go, self._closing = seconds, threading.Condition(), False, False
        self.thread = threading.Thread(target=self._run, args=(run,), name=name, daemon=True)

    def start(self) -> tuple:
        """Start the thread; the first gate it comes to."""
        self.thread.start()
        return self.wait()

    def _run(self, run) -> None:
        error = None
        try:
            run()
        except Closing:
            pass
        except Exception as caught:  # noqa: BLE001 - whatever ended the thread is told in `at`
            error = caught
        with self._changed:
            self.at = ("ended", error)
            self._changed.notify_all()

    def gate(self, *at) -> None:
        """Called by the thread itself: stop here."""
        assert threading.current_thread() is self.thread
        with self._changed:
            if self._closing:
                raise Closing
            self.at, self._go = at, False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._go or self._closing)
            if self._closing:
                raise Closing
            self.at = None

    def ours(self) -> bool:
        """Whether the calling thread is this one."""
        return threading.current_thread() is self.thread

    def wait(self) -> tuple:
        """Wait until the thread stands at a gate or has ended; where."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.at is not None, timeout=self._seconds):
                raise TimeoutError(f"the thread {self.thread.name} reached no gate within {self._seconds} s")
            return self.at

    def go(self) -> tuple:
        """Let the thread run to its next gate; where that is."""
        with self._changed:
            if self.at is None or self.at[0] == "ended":
                raise RuntimeError(f"the thread {self.thread.name} is not at a gate: {self.at}")
            self.at, self._go = None, True
            self._changed.notify_all()
        return self.wait()

    def close(self) -> None:
        """End the thread at the gate where it stands, or at its next one."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self.thread.join(timeout=self._seconds)
