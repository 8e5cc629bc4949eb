"""How fast the command line answers: `--help` against a bare interpreter, an unchanged `check` against `--help`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Row, median, seconds_of

TIMES = 15


def measure() -> list[Row]:
    """Both ratios, alternating, on the project that `vstack init` writes, checked once before."""
    vstack = shutil.which("vstack", path=str(Path(sys.executable).parent)) or "vstack"
    with tempfile.TemporaryDirectory(prefix="vstack-bench-") as scratch:
        folder = Path(scratch)
        for command in (["init"], ["spec", "approve", "--demo", "--yes"], ["check", "-q"]):
            seconds_of([vstack, *command], cwd=folder)
        bare, helped, checked = [], [], []
        for _ in range(TIMES):
            bare.append(seconds_of([sys.executable, "-c", "pass"], cwd=folder))
            helped.append(seconds_of([vstack, "--help"], cwd=folder))
            checked.append(seconds_of([vstack, "check", "-q"], cwd=folder))
    return [
        Row("vstack --help", median(helped), median(bare), "python3 -c pass", 5),
        Row("vstack check, nothing changed", median(checked), median(helped), "vstack --help", 4),
    ]
