"""Gates: an engine thread stops before each step that the model names, until the driver lets it take that step."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Parted(Exception):
    """The real code did something else than the schedule says."""


@dataclass
class Turn:
    """What one thread does between two visits to its queue or socket; only that thread writes it."""

    stage: str = "idle"
    item: Any = None
    room: int | None = None
    marked: bool = False
    stopped: bool = False


@dataclass
class Gates:
    """Where each engine thread stands.

    A thread gets its role (`worker p1`, `control p1`, `manager`, `scheduler`)
    when it first comes by; threads without a role, and all threads while the
    gates are open, pass.
    """

    seconds: float = 10.0
    closed: bool = False
    begun: bool = False
    parked: dict[str, str] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.condition = threading.Condition()
        self._permits: set[str] = set()
        self._local = threading.local()
        self._threads: dict[str, threading.Thread] = {}
        self.broken: dict[str, BaseException] = {}

    def adopt(self, role: str) -> None:
        """Give the calling thread its role."""
        self._local.role = role
        self._threads[role] = threading.current_thread()
        self.turns.setdefault(role, Turn())

    def role(self) -> str | None:
        return getattr(self._local, "role", None)

    def turn(self, kind: str) -> Turn | None:
        """The turn of the calling thread, if its role is of ``kind``."""
        role = self.role()
        return self.turns[role] if role is not None and role.split()[0] == kind else None

    def stop(self, label: str) -> None:
        """Stop the calling thread before the step called ``label``."""
        role = self.role()
        if role is None:
            return
        with self.condition:
            if not self.closed:
                return
            self.parked[role] = label
            self.condition.notify_all()
            self.condition.wait_for(lambda: role in self._permits or not self.closed)
            self._permits.discard(role)
            self.parked.pop(role, None)

    def label(self, role: str) -> str | None:
        """Where ``role`` is parked."""
        with self.condition:
            return self.parked.get(role)

    def settle_down(self, roles: list[str]) -> None:
        """Wait until each of ``roles`` is parked."""
        self._await(lambda: all(role in self.parked for role in roles), ", ".join(roles))

    def died(self, error: BaseException) -> None:
        """The calling thread ends with ``error``."""
        with self.condition:
            self.broken[self.role() or "?"] = error
            self.condition.notify_all()

    def release(self, role: str, *at: str) -> str:
        """Let ``role`` go on from one of the stops ``at`` to its next stop, whose label is returned.

        Raises:
            Parted: the thread stands elsewhere, dies, or comes to no stop in time.
        """
        self.free_one(role, *at)
        return self.arrival(role)

    def free_one(self, role: str, *at: str) -> None:
        """As `release`, without waiting for the next stop."""
        with self.condition:
            if self.parked.get(role) not in at:
                raise Parted(f"{role} is at `{self.parked.get(role)}`, not at {' or '.join(at)}")
            del self.parked[role]
            self._permits.add(role)
            self.condition.notify_all()

    def arrival(self, role: str, early: Callable[[], bool] = lambda: False) -> str:
        """Wait until ``role`` is parked, or ``early`` is true (then the label is `""`)."""
        self._await(lambda: role in self.parked or early() or role in self.broken, role)
        if role in self.broken:
            raise Parted(f"{role} died: {self.broken[role]}")
        return self.parked.get(role, "")

    def open(self) -> None:
        """Let everything run freely from now on."""
        with self.condition:
            self.closed = False
            self.condition.notify_all()

    def close(self) -> None:
        """From now on threads stop at their gates."""
        with self.condition:
            self.closed = self.begun = True
            self.condition.notify_all()

    def await_begin(self) -> None:
        """Keep the calling thread until the gates are closed for the first time."""
        with self.condition:
            self.condition.wait_for(lambda: self.begun)

    def _await(self, ready: Callable[[], bool], who: str) -> None:
        with self.condition:
            if self.condition.wait_for(ready, timeout=self.seconds):
                return
        raise Parted(f"{who} came to no stop within {self.seconds:g} s; it stands at {self._stack(who)}")

    def _stack(self, role: str) -> str:
        thread = self._threads.get(role)
        frame = sys._current_frames().get(thread.ident or 0) if thread is not None else None
        if frame is None:
            return "no known thread"
        return " < ".join(f"{entry.name}:{entry.lineno}" for entry in reversed(traceback.extract_stack(frame)[-6:]))


class Actor:
    """A scheduler's thread: runs the calls that it is given, and may be parked in the middle of one."""

    def __init__(self, gates: Gates, role: str) -> None:
        self._gates = gates
        self.role = role
        self._calls: list[Callable[[], None] | None] = []
        self._error: BaseException | None = None
        self.busy = False
        self.thread = threading.Thread(target=self._run, name=role)
        self.thread.start()

    def _run(self) -> None:
        self._gates.adopt(self.role)
        while True:
            with self._gates.condition:
                self._gates.condition.wait_for(lambda: bool(self._calls))
                call = self._calls.pop(0)
            if call is None:
                return
            try:
                call()
            except BaseException as error:  # noqa: BLE001  (handed to the driver, which raises it)
                self._error = error
            with self._gates.condition:
                self.busy = False
                self._gates.condition.notify_all()

    def call(self, function: Callable[[], None]) -> None:
        """Run ``function`` until it ends or stops at a gate."""
        if self.busy:
            raise Parted(f"{self.role} is in the middle of something, at `{self._gates.label(self.role)}`")
        with self._gates.condition:
            self.busy = True
            self._calls.append(function)
            self._gates.condition.notify_all()
        self._wait()

    def resume(self, *at: str) -> None:
        """Let the call that is parked at one of ``at`` go on until it ends or stops again."""
        self._gates.free_one(self.role, *at)
        self._wait()

    def _wait(self) -> None:
        self._gates.arrival(self.role, early=lambda: not self.busy)
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def end(self) -> None:
        """End the thread; a call that is parked goes on freely first."""
        with self._gates.condition:
            self._calls.append(None)
            self._gates.condition.notify_all()
        self.thread.join(timeout=5)
