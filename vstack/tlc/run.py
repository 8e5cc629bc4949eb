"""Check a job with TLC: the shortest counterexample, and no liveness counterexample that TLC itself contradicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from vstack.tlc.job import Budget, Requirements, TlcJob
from vstack.tlc.lasso import confirm
from vstack.tlc.outcome import TlcResult
from vstack.tlc.progress import Progress
from vstack.tlc.single import run_once
from vstack.tools.find import Tools
from vstack.verdicts import Verdict


def run_tlc(
    job: TlcJob,
    tools: Tools,
    *,
    requirements: Requirements | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> TlcResult:
    """Check ``job`` and say what came out; nothing is left running, and no file, on any way out.

    A run that can't be carried through (a module that doesn't parse, an
    expression that can't be evaluated) has the verdict ``error``; ``requirements``
    default to one distinct state. With several workers a safety violation is
    found again with one, so that the counterexample is the shortest; a liveness
    violation is checked on its own behaviour (``vstack.tlc.lasso``).

    Raises:
        VstackError: the job can't even be set up.
        KeyboardInterrupt: TLC was ended first.
    """
    needed = requirements or Requirements()
    result = run_once(job, tools, needed, on_progress)
    if result.verdict is not Verdict.VIOLATED or not result.trace:
        return result
    if result.kind == "temporal":
        return confirm(result, job, tools)
    if job.workers == 1:
        return result
    left = job.budget.seconds - result.seconds
    again = run_once(
        replace(job, workers=1, budget=Budget(max(left, 1.0), job.budget.heap_mb)), tools, needed, on_progress
    )
    if again.verdict is Verdict.VIOLATED:
        return replace(again, seconds=result.seconds + again.seconds)
    note = f"the counterexample is not known to be the shortest: with one worker, {again.reason}"
    return replace(result, warnings=(*result.warnings, note), seconds=result.seconds + again.seconds)
