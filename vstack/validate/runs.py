"""Run goals under a setting and keep each answer as evidence; what is stored is not run again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from vstack.errors import VstackError
from vstack.files import sha256_bytes, sha256_file
from vstack.keep.evidence import EvidenceStore, evidence_key, machine, now
from vstack.project import PROJECT_FILE, Project
from vstack.results import Evidence, Numbers
from vstack.tla.actions import Action
from vstack.tla.cfg import format_cfg
from vstack.tlc.distributed import run_distributed
from vstack.tlc.job import Requirements, TlcJob
from vstack.tlc.outcome import TlcResult
from vstack.tlc.parameters import recover_parameters
from vstack.tlc.progress import Progress
from vstack.tlc.run import run_tlc
from vstack.tools.find import Tools
from vstack.validate.cells import Setting, cell_job, constants_of, describe, lacking, module_inputs
from vstack.verdicts import Strength, Verdict

# TLC prints coverage once a minute.
_COVERAGE_SECONDS = 90.0


@dataclass(frozen=True)
class Run:
    """One entry of a plan: goals under a setting.

    ``together`` asks one TLC process for all goals at once, which decides them
    all when none fails; ``required`` asks every action that the setting does
    not lack to fire before `holds` counts.
    """

    setting: Setting
    goals: tuple[str, ...]
    together: bool = False
    required: bool = False


@dataclass(frozen=True)
class Runner:
    """What all runs of one project share.

    With ``distributed`` the machines of the project's section of that name
    search the state space, after a short search here.
    """

    project: Project
    tools: Tools
    store: EvidenceStore
    actions: tuple[Action, ...]
    jobs: int = 2
    on_event: Callable[[str], None] = lambda text: None
    modules: dict[str, str] = field(default_factory=dict)
    distributed: bool = False

    def run(self, plan: Sequence[Run]) -> list[dict[str, Evidence]]:
        """Evidence by goal for each entry of ``plan``, in its order; entries run side by side."""
        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            futures = [pool.submit(self._entry, entry) for entry in plan]
            try:
                return [future.result() for future in futures]
            except BaseException:
                _cancel(futures)
                raise

    def key(self, entry: Run, goal: str) -> str:
        """The evidence key of one goal: independent of which other goals share its process."""
        return evidence_key(self._parts(entry, goal))

    def _parts(self, entry: Run, goal: str) -> dict[str, Any]:
        job = cell_job(self.project, entry.setting, [goal])
        return {
            "engine": "tlc",
            "jar": self.tools.jar_sha256,
            "java": [self.tools.java_version, sha256_file(Path(self.tools.java[0]))],
            "modules": self.modules or module_inputs(self.project),
            "root": self.project.model.module,
            "cfg": format_cfg(job.cfg, old_jar=False)[0],
            "options": {"workers": job.workers, "deadlock": job.check_deadlock, "fp": job.fingerprint},
            "requirements": asdict(self._requirements(entry)),
        }

    def _requirements(self, entry: Run) -> Requirements:
        if not entry.required:
            return Requirements()
        lacks = lacking(self.project, entry.setting)
        names = tuple(sorted({action.name for action in self.actions} - lacks))
        floor = self.project.file.floors.of(entry.setting.variant, entry.setting.environment)
        return Requirements(distinct_states=floor, actions=names)

    def _entry(self, entry: Run) -> dict[str, Evidence]:
        keys = {goal: self.key(entry, goal) for goal in entry.goals}
        found = {goal: record for goal, key in keys.items() if (record := self.store.get(key)) is not None}
        missing = [goal for goal in entry.goals if goal not in found]
        if entry.together and len(missing) > 1:
            result, job = self._tlc(entry, missing)
            if result.verdict is Verdict.HOLDS:
                found |= {goal: self._record(entry, goal, keys[goal], result, job, missing) for goal in missing}
                missing = []
        for goal in missing:
            result, job = self._tlc(entry, [goal])
            found[goal] = self._record(entry, goal, keys[goal], result, job, [goal])
        return {goal: found[goal] for goal in entry.goals}

    def _tlc(self, entry: Run, goals: Sequence[str]) -> tuple[TlcResult, TlcJob]:
        setting = entry.setting
        job = cell_job(self.project, setting, goals)
        label = f"{setting.variant} / {setting.environment}"
        label += f" without {', '.join(setting.removed)}" if setting.removed else ""
        self.on_event(f"{label}: checking {', '.join(goals)}")

        def progress(report: Progress) -> None:
            self.on_event(
                f"{label}: {report.distinct:,} states, {report.states_per_second:,.0f}/s, queue {report.queue:,}"
            )

        requirements = self._requirements(entry)
        if self.distributed and not any(self.project.file.goals[goal].kind == "temporal" for goal in goals):
            result = self._spread(job, requirements, progress)
        else:
            result = run_tlc(job, self.tools, requirements=requirements, on_progress=progress)
        if result.trace is not None:
            result = replace(result, trace=recover_parameters(result.trace, job, self.actions, self.tools))
        return result, job

    def _spread(self, job: TlcJob, requirements: Requirements, progress: Callable[[Progress], None]) -> TlcResult:
        """Search here for as long as coverage needs to show, then on the machines that the project names.

        Distributed TLC prints no coverage; but an action that fired in a part
        of the search fires in the whole of it.
        """
        machines = self.project.file.distributed
        if machines is None:
            raise VstackError(
                "The project names no machines for distributed TLC",
                where=str(self.project.root / PROJECT_FILE),
                todo="Add a section `distributed` with `hosts` or `local_workers`",
            )
        first = replace(job, budget=replace(job.budget, seconds=min(_COVERAGE_SECONDS, job.budget.seconds)))
        here = run_tlc(first, self.tools, requirements=requirements, on_progress=progress)
        fired = {name for name, count in here.fired.items() if count.generated}
        if here.verdict is not Verdict.UNDECIDED or not fired.issuperset(requirements.actions):
            return here
        whole = run_distributed(
            job, self.tools, machines, requirements=replace(requirements, actions=()), on_progress=progress
        )
        note = f"that the actions fire was seen in a search of {_COVERAGE_SECONDS:g} s on this machine"
        return replace(whole, fired=here.fired, warnings=(*whole.warnings, note))

    def _record(
        self, entry: Run, goal: str, key: str, result: TlcResult, job: TlcJob, ran_with: Iterable[str]
    ) -> Evidence:
        parts = self._parts(entry, goal)
        result = _about(result, self.project.file.goals[goal].formula)
        record = Evidence(
            key=key,
            engine="tlc",
            subject={**describe(entry.setting), "goal": goal},
            inputs={**parts["modules"], "cfg": sha256_bytes(parts["cfg"].encode())},
            tool=f"TLC {self.tools.tlc_version}, Java {self.tools.java_version}",
            tool_sha256=self.tools.jar_sha256,
            command=list(result.command),
            bounds=constants_of(self.project, entry.setting),
            verdict=result.verdict,
            reason=result.reason,
            violated=goal if result.verdict is Verdict.VIOLATED else None,
            strength=Strength.BOUNDED if result.verdict is Verdict.HOLDS else None,
            numbers=Numbers(
                distinct=result.distinct,
                generated=result.generated,
                queue=result.queue,
                depth=result.depth,
                seconds=round(result.seconds, 3),
            ),
            fired={name: (count.distinct, count.generated) for name, count in result.fired.items()},
            warnings=list(result.warnings),
            trace=result.trace.to_json() if result.trace is not None else None,
            detail={"ran with": sorted(ran_with), "output tail": result.output_tail if result.verdict is Verdict.ERROR else ""},
            machine=machine(),
            started=now(),
        )
        # What could not run, or ran out of budget, says nothing that is worth keeping: it is tried again.
        if record.verdict in (Verdict.HOLDS, Verdict.VIOLATED):
            self.store.put(record)
        return record


def _about(result: TlcResult, formula: str | None) -> TlcResult:
    """``result`` as an answer about ``formula``: a deadlock that TLC stopped at, say, decides no goal."""
    if result.verdict is not Verdict.VIOLATED or result.violated == formula:
        return result
    return replace(result, verdict=Verdict.UNDECIDED, reason=f"TLC stopped before it was decided: {result.reason}")


def _cancel(futures: Sequence[Future[Any]]) -> None:
    for future in futures:
        future.cancel()
