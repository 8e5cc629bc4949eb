"""Progress lines as TLC 2.15 prints them, and a real run long enough to print one."""

import pytest

from tests.tlc.models import CFG, job
from vstack.tlc.progress import Progress, parse_final, parse_progress
from vstack.tlc.run import run_tlc


def test_with_and_without_rates():
    rated = (
        "Progress(4) at 2026-11-30 19:42:20: 1,500 states generated (1,578 s/min), "
        "900 distinct states found (947 ds/min), 3 states left on queue."
    )
    assert parse_progress(rated, 2.0) == Progress(1500, 900, 3, 4, 1578 / 60, 2.0)
    bare = "Progress(5) at 2026-11-30 19:42:22: 37 states generated, 14 distinct states found, 0 states left on queue."
    assert parse_progress(bare, 2.0) == Progress(37, 14, 0, 5, 18.5, 2.0)
    assert parse_progress("something else", 2.0) is None


def test_the_final_count():
    assert parse_final("1,234 states generated, 56 distinct states found, 7 states left on queue.") == (1234, 56, 7)


class Enough(Exception):
    """Raised by a reader of progress that has seen enough."""


def test_a_run_reports_while_it_runs_and_its_reader_may_end_it(tmp_path, tools):
    seen: list[Progress] = []

    def reader(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 3:
            raise Enough

    with pytest.raises(Enough):
        run_tlc(job(tmp_path, CFG + "INIT Init\nNEXT Unending\n"), tools, on_progress=reader)
    assert seen[0].distinct > 0 < seen[0].states_per_second
    assert seen[2].seconds > seen[1].seconds > seen[0].seconds, "TLC says one line; the clock goes on"
