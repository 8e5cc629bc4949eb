"""Child processes that leave nothing behind: own process group, time budget, clean stop."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

GRACE_SECONDS = 5.0
TICK_SECONDS = 0.5
INTERRUPTED = "interrupted"

_live: dict[subprocess.Popen[str], list[str]] = {}
# A signal handler may call stop_all while its own thread holds the lock.
_live_lock = threading.RLock()
_closing = threading.Event()


@dataclass(frozen=True)
class Finished:
    """A child that has ended: exit status (negative = signal), output, and why it was stopped, if it was."""

    returncode: int
    stdout: str
    stderr: str
    seconds: float
    stopped: str | None


def kill_group(child: subprocess.Popen[str]) -> None:
    """End the child's whole process group: TERM, a grace period, then KILL."""
    for number, patience in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        try:
            child.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        return


def stop_all(*, for_good: bool = False) -> None:
    """End every child that ``run`` has started and that still runs; each such ``run`` raises KeyboardInterrupt.

    For a main thread that was interrupted while worker threads wait for their
    children. With ``for_good`` no further child is started either, so that a
    pool's queued tasks end at once: for a process that is about to exit.
    """
    if for_good:
        _closing.set()
    with _live_lock:
        children = list(_live.items())
        for _, reason in children:
            reason.append(INTERRUPTED)
    for child, _ in children:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGTERM)
    for child, _ in children:
        kill_group(child)


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    seconds: float,
    on_line: Callable[[str], str | None] | None = None,
    on_tick: Callable[[], str | None] | None = None,
    keep_lines: int | None = None,
) -> Finished:
    """Run ``argv`` for at most ``seconds`` and return its output.

    ``on_line`` sees each line of standard output as it comes; ``on_tick`` is
    called about twice a second, from another thread, output or not. A string
    that either returns stops the child, and becomes ``Finished.stopped``.
    ``keep_lines`` bounds what is kept of each output stream to its last lines.
    The child gets its own process group, which is ended on every way out, an
    exception (ctrl-C) included.

    Raises:
        FileNotFoundError: the program does not exist.
        KeyboardInterrupt: ``stop_all`` ended the child, or no more are started.
    """
    started = monotonic()
    child: subprocess.Popen[str] | None = None
    lines: deque[str] = deque(maxlen=keep_lines)
    errors: deque[str] = deque(maxlen=keep_lines)
    failures: list[BaseException] = []
    ended = threading.Event()

    def drain() -> None:
        assert child is not None and child.stderr is not None
        errors.extend(child.stderr)

    def watch() -> None:
        while not ended.wait(max(0.0, min(TICK_SECONDS, started + seconds - monotonic()))):
            try:
                stop = on_tick() if on_tick else None
            except BaseException as error:  # Raised again in the thread that waits for the child.
                failures.append(error)
                stop = "the watcher failed"
            if monotonic() - started >= seconds:
                stop = stop or f"out of time after {seconds:g} s"
            if stop:
                assert child is not None
                reason.append(stop)
                kill_group(child)
                return

    reader = threading.Thread(target=drain, daemon=True)
    watcher = threading.Thread(target=watch, daemon=True)
    try:
        with _signals_later():
            child, reason = _start(argv, cwd, env)
        reader.start()
        watcher.start()
        assert child.stdout is not None
        for line in child.stdout:
            lines.append(line)
            stop = on_line(line) if on_line else None
            if stop and not reason:
                reason.append(stop)
                kill_group(child)
        child.wait()
    finally:
        ended.set()
        if child is not None:
            if child.poll() is None:
                kill_group(child)
            with _live_lock:
                _live.pop(child, None)
        if reader.ident is not None:
            reader.join(timeout=GRACE_SECONDS)
    if failures:
        raise failures[0]
    if INTERRUPTED in reason:
        raise KeyboardInterrupt
    return Finished(
        child.returncode, "".join(lines), "".join(errors), monotonic() - started, reason[0] if reason else None
    )


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Hold ctrl-C and termination back in the main thread, so that no child is born that nobody knows of."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        for number in before:
            signal.signal(number, lambda number, frame: caught.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    if caught:
        signal.raise_signal(caught[0])


def _start(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> tuple[subprocess.Popen[str], list[str]]:
    """The child, known to ``stop_all`` from its first moment, and where the reason for a stop is kept."""
    with _live_lock:
        if _closing.is_set():
            raise KeyboardInterrupt
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        reason: list[str] = []
        _live[child] = reason
    return child, reason
