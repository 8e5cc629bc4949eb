"""Mutants against the goals that one state or one step decides, in batches over parallel TLC processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from vstack.errors import VstackError
from vstack.project import Project
from vstack.tla.tree import Spec
from vstack.tlc.run import run_tlc
from vstack.tools.find import Tools
from vstack.validate.batch import CLEAN, FIRST, FORCED, BatchResult, Model, UnparsedError, run_batch
from vstack.validate.cells import Setting
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant
from vstack.validate.schemata import Run
from vstack.validate.single import single_job
from vstack.verdicts import Verdict

# A batch this large still explores its first levels in a second; a larger one loses more when a mutant breaks it.
BATCH_SIZE = 80
# A mutant that reaches this many times the model's own states is given up: undecided.
STATES_FACTOR = 10
STATES_LEAST = 5_000
# TLC counts with 32 bits.
_NO_LIMIT = 2_000_000_000


@dataclass(frozen=True)
class Controls:
    """The two runs that come first: the model itself, and the model with goals that must fail."""

    clean: bool
    distinct: int
    forced: bool
    reason: str

    @property
    def limit(self) -> int:
        """Distinct states after which a mutant is given up."""
        return max(STATES_LEAST, STATES_FACTOR * self.distinct)


def run_controls(model: Model, tools: Tools, *, seconds: float) -> Controls:
    """Check the model in the set-up of a batch, then the forced failure.

    Raises:
        VstackError: the model breaks a goal, or the forced failure is not seen.
    """
    goals = (*model.invariants, *model.steps)
    clean = run_batch(model, [Run(CLEAN, goals)], tools, limit=_NO_LIMIT, seconds=seconds)
    if not clean.search.complete:
        reason = f"the model itself was not checked to the end: {clean.search.reason}"
        return Controls(False, clean.search.distinct, False, reason)
    forced = run_batch(model, [Run(FORCED, goals, forced=True)], tools, limit=_NO_LIMIT, seconds=seconds)
    _check_controls(model, clean, forced)
    return Controls(True, clean.search.distinct, True, "")


def run_controls_alone(project: Project, spec: Spec, setting: Setting, goals: Sequence[str], tools: Tools) -> Controls:
    """The same two controls with a process for each, where runs can't share one.

    Raises:
        VstackError: the model breaks a goal, or the forced failure is not seen.
    """
    clean = run_tlc(single_job(project, spec, None, setting, goals), tools)
    if clean.verdict is Verdict.VIOLATED:
        raise _breaks(str(clean.violated), project.model_path)
    if clean.verdict is not Verdict.HOLDS:
        reason = f"the model itself was not checked to the end: {clean.reason}"
        return Controls(False, clean.distinct, False, reason)
    job = single_job(project, spec, None, setting, [])
    forced = run_tlc(replace(job, cfg=replace(job.cfg, invariants=(project.model.init,))), tools)
    if forced.verdict is not Verdict.VIOLATED or forced.trace is None or len(forced.trace.steps) < 2:
        raise _not_seen(project.model_path)
    return Controls(True, clean.distinct, True, "")


def kill(
    model: Model,
    mutants: Sequence[Mutant],
    tools: Tools,
    *,
    limit: int,
    seconds: float,
    jobs: int,
    confirm: Callable[[Mutant], Fate],
    on_fate: Callable[[Mutant, Fate], None],
) -> None:
    """Run ``mutants`` in batches, ``jobs`` at a time, and hand each one's fate to ``on_fate`` as soon as it is known.

    A mutant whose evaluation fails ends its batch: it is run alone by
    ``confirm``, and the rest of the batch goes on without it. A batch that
    doesn't parse goes on in halves, until the mutant at fault is by itself and
    is run alone too.

    Raises:
        VstackError: a control inside a batch does not come out.
    """

    def work(chunk: Sequence[Mutant]) -> None:
        left = list(chunk)
        while left:
            try:
                left = _one_batch(model, left, tools, limit, seconds, confirm, on_fate)
            except UnparsedError:
                if len(left) == 1:
                    on_fate(left[0], confirm(left[0]))
                    return
                middle = len(left) // 2
                work(left[:middle])
                left = left[middle:]

    side_by_side(work, chunked(mutants, jobs), jobs)


def chunked(mutants: Sequence[Mutant], jobs: int, size: int = BATCH_SIZE) -> list[Sequence[Mutant]]:
    """Batches of about equal size, ``size`` at most, at least ``jobs`` of them where there are that many mutants."""
    batches = max(min(jobs, len(mutants)), math.ceil(len(mutants) / size))
    return [mutants[at::batches] for at in range(batches)]


def side_by_side(work: Callable[[Sequence[Mutant]], None], chunks: Sequence[Sequence[Mutant]], jobs: int) -> None:
    """Call ``work`` with each chunk, ``jobs`` at a time; the first error cancels what has not started."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(work, chunk) for chunk in chunks]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def _one_batch(
    model: Model,
    mutants: Sequence[Mutant],
    tools: Tools,
    limit: int,
    seconds: float,
    confirm: Callable[[Mutant], Fate],
    on_fate: Callable[[Mutant, Fate], None],
) -> list[Mutant]:
    """Run one batch; the mutants that are still open because one broke it are given back."""
    goals = (*model.invariants, *model.steps)
    runs = [Run(FIRST + at, goals, mutant) for at, mutant in enumerate(mutants)]
    controls = [Run(CLEAN, goals), Run(FORCED, goals, forced=True)]
    result = run_batch(model, [*controls, *runs], tools, limit=limit, seconds=seconds)
    if result.search.complete:
        _check_controls(model, result, result)
    open_: list[Mutant] = []
    for run in runs:
        assert run.mutant is not None
        shown = result.of(run.number)
        if shown:
            goals_broken = tuple(dict.fromkeys(goal for item in shown for goal in item.goals))
            trace = shown[0].trace
            on_fate(run.mutant, Fate("killed", goals_broken, "", len(trace.steps), trace))
        elif run.number in result.given_up:
            on_fate(run.mutant, Fate("undecided", reason=f"more than {limit:,} distinct states: given up"))
        elif result.search.complete:
            on_fate(run.mutant, Fate("survived"))
        else:
            open_.append(run.mutant)
    if not open_:
        return []
    if not result.search.error:
        for mutant in open_:
            reason = f"the batch was not checked to the end: {result.search.reason}"
            on_fate(mutant, Fate("undecided", reason=reason, lasting=False))
        return []
    return _without_culprit(open_, runs, result, confirm, on_fate)


def _without_culprit(
    open_: list[Mutant],
    runs: Sequence[Run],
    result: BatchResult,
    confirm: Callable[[Mutant], Fate],
    on_fate: Callable[[Mutant, Fate], None],
) -> list[Mutant]:
    failed = next((run.mutant for run in runs if run.number == result.search.failed), None)
    if failed is None or failed not in open_:
        # TLC named no run: the model itself can't be evaluated in this set-up, or the state was not printed.
        if result.search.failed in (CLEAN, FORCED):
            raise VstackError(f"The model itself can't be evaluated: {result.search.reason}")
        failed = open_[0]
    on_fate(failed, confirm(failed))
    return [mutant for mutant in open_ if mutant is not failed]


def _check_controls(model: Model, clean: BatchResult, forced: BatchResult) -> None:
    broken = [goal for shown in clean.of(CLEAN) for goal in shown.goals]
    if broken:
        raise _breaks(", ".join(broken), model.job.module)
    if not forced.of(FORCED):
        raise _not_seen(model.job.module)


def _breaks(goals: str, module: Path) -> VstackError:
    return VstackError(
        f"The model that mutants are made from breaks {goals} itself",
        where=str(module),
        todo="Name a variant under `mutation` that keeps its goals, or state in the matrix which goals it breaks",
    )


def _not_seen(module: Path) -> VstackError:
    return VstackError(
        "The forced failure was not seen: no state but initial ones is reached, so no mutant could die",
        where=str(module),
        todo="Mend Init or Next; a model that takes no step says nothing",
    )
