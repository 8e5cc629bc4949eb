"""One mutant in a TLC run of its own: for temporal goals, for models that can't share a run, to confirm an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vstack.project import Project
from vstack.tla.tree import Spec
from vstack.tlc.job import TlcJob
from vstack.tlc.outcome import TlcResult
from vstack.tlc.run import run_tlc
from vstack.tools.find import Tools
from vstack.validate.cells import Setting, cell_job
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant
from vstack.verdicts import Verdict


def single_job(project: Project, spec: Spec, mutant: Mutant | None, setting: Setting, goals: Sequence[str]) -> TlcJob:
    """The job of one mutant (or of the model itself): its modules in place of the project's.

    A deadlock is no goal, so none is looked for.
    """
    job = replace(cell_job(project, setting, goals), coverage=False, check_deadlock=False)
    if mutant is None:
        return job
    texts = {module.name: module.text for module in spec.modules.values() if module.path is not None}
    return replace(job, extra_files={f"{name}.tla": text for name, text in mutant.apply(texts).items()})


def run_single(
    project: Project, spec: Spec, mutant: Mutant | None, setting: Setting, goals: Sequence[str], tools: Tools
) -> Fate:
    """Check the mutant against ``goals`` together; where TLC doesn't say which temporal goal failed, one by one."""
    result = run_tlc(single_job(project, spec, mutant, setting, goals), tools)
    named = any(project.file.goals[goal].formula == result.violated for goal in goals)
    if result.verdict is Verdict.VIOLATED and len(goals) > 1 and result.kind == "temporal" and not named:
        for goal in goals:
            fate = run_single(project, spec, mutant, setting, [goal], tools)
            if fate.status != "survived":
                return fate
        return Fate("undecided", reason="together the temporal goals fail, each alone does not")
    return _fate(project, result, goals)


def _fate(project: Project, result: TlcResult, goals: Sequence[str]) -> Fate:
    if result.verdict is Verdict.HOLDS:
        return Fate("survived", depth=result.depth)
    if result.verdict is Verdict.VIOLATED:
        names = [goal for goal in goals if project.file.goals[goal].formula == result.violated] or (
            list(goals) if len(goals) == 1 else []
        )
        if names:
            steps = len(result.trace.steps) if result.trace else 0
            return Fate("killed", (names[0],), "", steps, result.trace)
        return Fate("undecided", reason=f"a violation of no named goal: {result.reason}")
    if result.verdict is Verdict.ERROR:
        return Fate("broken", reason=result.reason)
    return Fate("undecided", reason=result.reason, lasting=False)
