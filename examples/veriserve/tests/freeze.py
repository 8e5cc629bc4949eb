"""Stops a process, and waits until it has stopped: with SIGSTOP alone its other threads may run on for a while."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def freeze(pid: int) -> None:
    """Stop all threads of ``pid``, for SIGCONT to let them go."""
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + 30
    while not all(
        stat.read_text().rpartition(")")[2].split()[0] == "T" for stat in Path(f"/proc/{pid}/task").glob("*/stat")
    ):
        assert time.monotonic() < deadline, f"process {pid} does not stop"
        time.sleep(0.001)
