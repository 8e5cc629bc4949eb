"""`make bench`: run every benchmark, or those named, and print one table; exit 1 if a promise is not kept."""

from __future__ import annotations

import importlib
import sys

from benchmarks.timing import Row, table
from vstack.keep.evidence import machine, now

ALL = ("startup", "guard", "overhead", "traces", "mutation")


def main(names: list[str]) -> int:
    """Measure ``names`` (all by default) and print the table."""
    rows: list[Row] = []
    for name in names or ALL:
        print(f"measuring {name} ...", file=sys.stderr)
        rows += importlib.import_module(f"benchmarks.{name}").measure()
    print(table(rows, machine(), now()[:10]))
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
