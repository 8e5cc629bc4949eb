"""Child processes that leave nothing behind: own process group, time budget, clean stop."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

GRACE_SECONDS = 5.0


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


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    seconds: float,
    on_line: Callable[[str], str | None] | None = None,
) -> Finished:
    """Run ``argv`` for at most ``seconds`` and return its output.

    ``on_line`` sees each line of standard output as it comes; a string it
    returns stops the child, and becomes ``Finished.stopped``. The child gets
    its own process group, which is ended on every way out, an exception
    (ctrl-C) included.

    Raises:
        FileNotFoundError: the program does not exist.
    """
    started = monotonic()
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
    lines: list[str] = []
    errors: list[str] = []
    reason: list[str] = []

    def drain() -> None:
        assert child.stderr is not None
        errors.extend(child.stderr)

    def expire() -> None:
        reason.append(f"out of time after {seconds:g} s")
        kill_group(child)

    reader = threading.Thread(target=drain, daemon=True)
    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    reader.start()
    timer.start()
    try:
        assert child.stdout is not None
        for line in child.stdout:
            lines.append(line)
            stop = on_line(line) if on_line else None
            if stop and not reason:
                reason.append(stop)
                kill_group(child)
        child.wait()
    finally:
        timer.cancel()
        kill_group(child) if child.poll() is None else None
        reader.join(timeout=GRACE_SECONDS)
    return Finished(
        child.returncode, "".join(lines), "".join(errors), monotonic() - started, reason[0] if reason else None
    )
