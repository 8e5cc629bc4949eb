"""Paired timing: rows of a table, each with both sides of a ratio and the ratio that is promised."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True)
class Row:
    """One claim: median seconds of ours and of what it is compared with, and the ratio promised.

    ``at_least`` turns the promise round: ours must be so many times faster.
    ``slack`` seconds are allowed on top, where a promise says "or 1 s, whichever is larger".
    """

    what: str
    ours: float
    other: float
    other_name: str
    promised: float
    at_least: bool = False
    slack: float = 0.0

    @property
    def ratio(self) -> float:
        """Ours over the other, or the other over ours where faster is promised."""
        return self.other / self.ours if self.at_least else self.ours / self.other

    @property
    def kept(self) -> bool:
        """Whether the promise is kept."""
        if self.at_least:
            return self.ratio >= self.promised
        return self.ratio <= self.promised or self.ours - self.other <= self.slack


def median(values: Sequence[float]) -> float:
    """The median, in the unit of ``values``."""
    return statistics.median(values)


def seconds_of(command: Sequence[str], *, cwd: Path, expect: int = 0, stdin: IO[str] | None = None) -> float:
    """Wall-clock seconds of one run of ``command``, which must end with the exit status ``expect``."""
    started = time.perf_counter()
    ended = subprocess.run(command, cwd=cwd, stdin=stdin, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if ended.returncode != expect:
        raise SystemExit(f"{' '.join(command)} ended with {ended.returncode}, not {expect}:\n{ended.stdout}{ended.stderr}")
    return seconds


def table(rows: Sequence[Row], machine: str, date: str) -> str:
    """The rows as a Markdown table, with the machine and date they were measured on."""
    lines = [
        f"Measured {date} on {machine}.",
        "",
        "| what | ours | against | ratio | promised | kept |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        promise = f">= {row.promised:g}x" if row.at_least else f"<= {row.promised:g}x"
        promise += f" or {row.slack:g} s" if row.slack else ""
        lines.append(
            f"| {row.what} | {_seconds(row.ours)} | {row.other_name}: {_seconds(row.other)} | {row.ratio:.2f}x | "
            f"{promise} | {'yes' if row.kept else 'NO'} |"
        )
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"
