"""Mutants against temporal goals: several in one TLC run to show that none dies, alone where one does."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from vstack.project import Project
from vstack.tla.tree import Spec
from vstack.tlc.job import Requirements, TlcJob
from vstack.tlc.single import run_once
from vstack.tools.find import Tools
from vstack.validate.batch import BRIEF_RUNS, FIRST, Model
from vstack.validate.cells import Setting, cell_job
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant
from vstack.validate.schemata import RUN, RUN_MODULE, Registers, Run, model_schemata, number_set
from vstack.validate.single import run_single
from vstack.verdicts import Verdict

LIVE_MODULE = "VsLive"


def settle(
    project: Project,
    spec: Spec,
    model: Model,
    setting: Setting,
    mutants: Sequence[Mutant],
    tools: Tools,
    on_fate: Callable[[Mutant, Fate], None],
) -> None:
    """Decide ``mutants`` against the temporal goals of ``model`` and hand each fate to ``on_fate``.

    All together are one specification: no behaviour ever changes its run, so if
    the whole keeps the goals, each mutant does. TLC ends at the first behaviour
    that breaks one; its run's mutant is then run alone, which shows the
    counterexample, and the rest go on in halves. A kill is always the mutant's
    own run.
    """
    if not mutants:
        return
    if len(mutants) == 1:
        on_fate(mutants[0], run_single(project, spec, mutants[0], setting, model.later, tools))
        return
    job = _job(project, model, setting, mutants)
    result = run_once(job, tools, Requirements(), None) if job is not None else None
    if result is not None and result.verdict is Verdict.HOLDS:
        for mutant in mutants:
            on_fate(mutant, Fate("survived", depth=result.depth))
        return
    left = list(mutants)
    if result is not None and result.verdict is Verdict.VIOLATED and result.trace is not None:
        number = result.trace.steps[0].state.get(RUN)
        if isinstance(number, int) and FIRST <= number < FIRST + len(mutants):
            left = [mutant for at, mutant in enumerate(mutants) if at != number - FIRST]
            settle(project, spec, model, setting, [mutants[number - FIRST]], tools, on_fate)
    middle = (len(left) + 1) // 2
    for half in (left[:middle], left[middle:]):
        settle(project, spec, model, setting, half, tools, on_fate)


def _job(project: Project, model: Model, setting: Setting, mutants: Sequence[Mutant]) -> TlcJob | None:
    """The job of all ``mutants`` together; None where actions can't keep the run themselves."""
    registers = Registers(f"vs-{secrets.token_hex(4)}", 1000, 0)
    runs = [Run(FIRST + at, (), mutant) for at, mutant in enumerate(mutants)]
    schemata = model_schemata(model.spec, model.actions, runs, registers)
    if not schemata.framed:
        return None
    text = "\n".join(
        [
            f"---- MODULE {LIVE_MODULE} ----",
            f"EXTENDS {model.spec.root.name}, {RUN_MODULE}",
            f"vs_all == {number_set([run.number for run in runs])}",
            "ASSUME \\A vs_r \\in vs_all : vs_set(vs_r, 0, FALSE)",
            f"vs_spec == {RUN} \\in vs_all /\\ {project.model.spec}",
            "====",
            "",
        ]
    )
    job = cell_job(project, setting, model.later)
    return replace(
        job,
        module=job.module.parent / f"{LIVE_MODULE}.tla",
        cfg=replace(job.cfg, specification="vs_spec"),
        check_deadlock=False,
        coverage=False,
        brief=job.brief and len(runs) <= BRIEF_RUNS,
        extra_files={**schemata.files, f"{LIVE_MODULE}.tla": text},
    )
