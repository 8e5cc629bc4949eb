"""What ``run_tlc`` adds to raw TLC: the same jar, model, options and machine, in pairs that alternate."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.timing import Row, median, seconds_of, table
from vstack.keep.evidence import machine, now
from vstack.tla.cfg import Assignment, Cfg
from vstack.tlc.job import Budget, TlcJob
from vstack.tlc.run import run_tlc
from vstack.tlc.single import command_line
from vstack.tlc.workspace import workspace
from vstack.tools.find import Tools, find_tools
from vstack.verdicts import Verdict

MODEL = r"""---- MODULE Grid ----
EXTENDS Naturals
CONSTANT N
VARIABLES x, y, z
Init == x = 0 /\ y = 0 /\ z = 0
Next ==
  \/ x < N /\ x' = x + 1 /\ UNCHANGED <<y, z>>
  \/ y < N /\ y' = y + 1 /\ UNCHANGED <<x, z>>
  \/ z < N /\ z' = z + 1 /\ UNCHANGED <<x, y>>
Inside == x + y + z <= 3 * N
====
"""


def measure(sides: tuple[int, ...] = (1, 59), pairs: int = 4) -> list[Row]:
    """One row per size, of ``(side + 1) ** 3`` states; every second pair starts with ``run_tlc``."""
    tools = find_tools()
    with tempfile.TemporaryDirectory(prefix="vstack-overhead-") as name:
        module = Path(name) / "Grid.tla"
        module.write_text(MODEL, encoding="utf-8")
        return [_row(module, side, pairs, tools) for side in sides]


def _row(module: Path, side: int, pairs: int, tools: Tools) -> Row:
    states = (side + 1) ** 3
    cfg = Cfg(constants=(Assignment("N", str(side)),), init="Init", next="Next", invariants=("Inside",))
    job = TlcJob(module, (), cfg, Budget(600, 1024))
    raw: list[float] = []
    driven: list[float] = []
    for pair in range(pairs):
        for turn in (_raw, _driven) if pair % 2 == 0 else (_driven, _raw):
            (raw if turn is _raw else driven).append(turn(job, tools, states))
    return Row(
        f"run_tlc, {states:,} states, {pairs} pairs", median(driven), median(raw), "raw TLC", promised=1.05, slack=1.0
    )


def _raw(job: TlcJob, tools: Tools, _states: int) -> float:
    """Seconds of TLC alone, in a folder that is ready, its output only collected."""
    with workspace(job, tools) as place:
        return seconds_of(command_line(job, tools, place), cwd=place.folder)


def _driven(job: TlcJob, tools: Tools, states: int) -> float:
    started = perf_counter()
    result = run_tlc(job, tools)
    seconds = perf_counter() - started
    if result.verdict is not Verdict.HOLDS or result.distinct != states:
        raise SystemExit(f"run_tlc did not search {states:,} states: {result.reason}")
    return seconds


if __name__ == "__main__":
    rows = measure()
    print(table(rows, machine(), now()[:10]))
    sys.exit(0 if all(row.kept for row in rows) else 1)
