"""Detached runs: a command that goes on after its caller has gone, and can be asked for later."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import write_atomic

RUNS = "runs"


@dataclass(frozen=True)
class DetachedRun:
    """One detached run: its id, command, process, start, and exit status once it has ended."""

    id: str
    argv: tuple[str, ...]
    pid: int
    started: str
    returncode: int | None
    alive: bool
    folder: Path

    @property
    def state(self) -> str:
        """`running`, `ended (exit N)`, or `died` when the process is gone and left no exit status."""
        if self.returncode is not None:
            return f"ended (exit {self.returncode})"
        return "running" if self.alive else "died"

    @property
    def output(self) -> str:
        """All that the run has printed so far."""
        try:
            return (self.folder / "output").read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""


def start(state: Path, argv: Sequence[str], *, cwd: Path) -> DetachedRun:
    """Start `vstack ARGV` in a session of its own and return at once.

    Raises:
        VstackError: the project's state folder can't be written.
    """
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(2)}"
    folder = state / RUNS / name
    write_atomic(folder / "argv.json", json.dumps(list(argv)))
    with (folder / "output").open("wb") as output:
        child = subprocess.Popen(
            # -P: a module in the folder at work must not be imported in ours' place.
            [sys.executable, "-P", "-m", "vstack.keep.detached", str(folder), *argv],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    record = {
        "argv": list(argv),
        "pid": child.pid,
        "born": _born(child.pid),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    write_atomic(folder / "run.json", json.dumps(record))
    return read(folder)


def read(folder: Path) -> DetachedRun:
    """The run recorded in ``folder``.

    Raises:
        VstackError: no run is recorded there, or its record doesn't read.
    """
    try:
        record = json.loads((folder / "run.json").read_text())
    except (OSError, ValueError):
        raise VstackError(
            "No detached run of that name", where=str(folder), todo="`vstack status` lists the runs of this project"
        ) from None
    try:
        returncode: int | None = int((folder / "exit").read_text())
    except (OSError, ValueError):
        returncode = None
    alive = record["born"] is not None and _born(record["pid"]) == record["born"]
    return DetachedRun(
        folder.name, tuple(record["argv"]), record["pid"], record["started"], returncode, alive, folder
    )


def list_runs(state: Path) -> list[DetachedRun]:
    """All detached runs of a project, newest first."""
    folders = sorted((path.parent for path in (state / RUNS).glob("*/run.json")), reverse=True)
    return [read(folder) for folder in folders]


def stop(run: DetachedRun) -> None:
    """Ask the run to stop as ctrl-C would, so that it cleans up its engines."""
    if run.alive:
        os.kill(run.pid, signal.SIGINT)


def as_data(run: DetachedRun) -> dict[str, object]:
    """The run as JSON data, without its output."""
    data = asdict(run)
    return {**data, "folder": str(run.folder), "argv": list(run.argv), "state": run.state}


def _born(pid: int) -> str | None:
    """Start time of a live process in clock ticks since boot: a reused pid has another."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None if not _exists(pid) else "unknown"
    return None if fields[0] == "Z" else fields[19]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
