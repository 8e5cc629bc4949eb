"""Progress lines as TLC 2.15 prints them, and a real run long enough to print one."""

from tests.tlc.models import CFG, job
from vstack.tlc.job import Budget
from vstack.tlc.progress import Progress, parse_final, parse_progress
from vstack.tlc.run import run_tlc
from vstack.verdicts import Verdict


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


def test_a_run_reports_while_it_runs(tmp_path, tools):
    seen: list[Progress] = []
    work = job(tmp_path, CFG + "INIT Init\nNEXT Unending\n", budget=Budget(9, 256))
    result = run_tlc(work, tools, on_progress=seen.append)
    assert result.verdict is Verdict.UNDECIDED
    assert len(seen) > 3, "TLC says one line after 3 s; the clock goes on between"
    assert seen[-1].seconds > seen[0].seconds
    assert seen[-1].distinct > 0 < seen[-1].states_per_second
    assert result.distinct == seen[-1].distinct
