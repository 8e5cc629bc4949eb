"""Goals checked by Apalache: bounded, or by an inductive invariant; where it is missing, a recorded run is attested at most."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.keep.evidence import EvidenceStore, evidence_key, machine, now
from vstack.project import Project
from vstack.results import Cell, Evidence, Numbers
from vstack.sections import Apalache as Section
from vstack.tla.behaviour import behaviour
from vstack.tla.tree import Spec
from vstack.validate.cells import Setting, constants_of, describe
from vstack.verdicts import Strength, Verdict
from vstack.verify.apalache_job import Job, Question, check_section, make_job
from vstack.verify.apalache_output import Outcome, read_output
from vstack.verify.apalache_tool import Apalache, find_apalache, start
from vstack.verify.attested import ATTESTED, RecordedRun, Transcript, read_transcript, unfit
from vstack.verify.itf import read_itf

_COUNTEREXAMPLE = "violation1.itf.json"
_MISSING = "Apalache is not installed: put `apalache-mc` on PATH, or name it in VSTACK_APALACHE or `tools.apalache`"


@dataclass
class Engine:
    """How runs are answered: by the tool, or by a transcript; what was run is kept in ``recorded``."""

    project: Project
    tool: Apalache | None
    transcript: Transcript | None
    recorded: list[RecordedRun] = field(default_factory=list)

    def transcribed(self) -> Transcript:
        """The runs made here, for where Apalache is missing; those whose evidence was at hand are not among them."""
        assert self.tool is not None
        versions = [read_output(run.stdout, run.returncode, {}).version for run in self.recorded]
        return Transcript(
            tool="apalache-mc",
            version=next((version for version in versions if version), ""),
            tool_sha256=self.tool.sha256,
            machine=machine(),
            made=now(),
            runs=tuple(self.recorded),
        )


@dataclass(frozen=True)
class Answer:
    """What came of one question: its outcome, the run behind it, and whether that is a record from elsewhere."""

    question: Question
    outcome: Outcome
    run: RecordedRun | None
    attested: bool = False


def open_engine(project: Project) -> Engine:
    """Apalache as this machine has it, or the project's transcript.

    Raises:
        VstackError: the tool that was named doesn't run, or the transcript doesn't read.
    """
    section = project.file.apalache
    tool = find_apalache(project)
    named = section.transcript if section is not None and tool is None else None
    return Engine(project, tool, read_transcript(project.root / named) if named else None)


def run_apalache(
    engine: Engine,
    spec: Spec,
    store: EvidenceStore | None,
    on_event: Callable[[str], None],
    *,
    goals: tuple[str, ...] = (),
    variant: str | None = None,
    environment: str | None = None,
) -> tuple[Cell, ...]:
    """Each cell of the matrix that asks a goal of the section `apalache`, of these goals, variant and environment if named.

    Without ``store`` everything is run again. A cell that is expected to be violated is searched too: a setting in which
    the known fault is not found says nothing where it finds none.

    Raises:
        VstackError: the section names what is not there, or a tool can't be run.
    """
    project = engine.project
    section = project.file.apalache
    if section is None:
        return ()
    check_section(project, spec)
    found = []
    for goal, entry in section.goals.items():
        if goals and goal not in goals:
            continue
        for setting, expected in _cells(project, goal):
            if variant not in (None, setting.variant) or environment not in (None, setting.environment):
                continue
            inductive = entry.mode == "inductive" and expected == "holds"
            place = "/".join(name for name in (setting.variant, setting.environment, goal) if name)
            on_event(f"Apalache: {place}")
            job = make_job(project, spec, section, goal, setting, inductive=inductive)
            evidence = _decide(engine, spec, store, section, goal, setting, job, place)
            found.append(
                Cell(
                    variant=setting.variant or "model",
                    environment=setting.environment or "default",
                    goal=goal,
                    expected="holds" if expected == "holds" else "violated",
                    evidence=evidence,
                )
            )
    return tuple(found)


def _cells(project: Project, goal: str) -> Iterator[tuple[Setting, str]]:
    if not project.file.matrix:
        yield Setting(None, None), "holds"
    for variant, row in project.file.matrix.items():
        for environment, cells in row.items():
            if goal in cells:
                yield Setting(variant, environment), cells[goal]


def _decide(
    engine: Engine,
    spec: Spec,
    store: EvidenceStore | None,
    section: Section,
    goal: str,
    setting: Setting,
    job: Job,
    place: str,
) -> Evidence:
    project = engine.project
    length = section.goals[goal].length or section.length
    bounds = constants_of(project, setting) | ({} if job.inductive else {"length": str(length)})
    subject = {**describe(setting), "goal": goal, "mode": "inductive" if job.inductive else "bounded"}
    commands = [list(question.argv(job.module)) for question in job.questions]
    identity = engine.tool.sha256 if engine.tool else ""
    key = evidence_key(
        {"engine": "apalache", "tool": identity, "subject": subject, "inputs": job.inputs, "commands": commands}
    )
    known = store.get(key) if engine.tool and store else None
    if known is not None:
        return known
    answers: list[Answer] = []
    for question in job.questions:
        answers.append(_ask(engine, job, question, f"{place} {question.name}"))
        if answers[-1].outcome.kind != question.wanted:
            break
    verdict, strength, reason = _verdict(answers, job, length)
    last = answers[-1]
    version = next((answer.outcome.version for answer in answers if answer.outcome.version), "")
    warnings: list[str] = []
    trace = None
    if last.run is not None and last.outcome.kind == "violated" and last.question.wanted == "clean":
        try:
            text = last.run.files.get(_COUNTEREXAMPLE, "")
            trace = read_itf(text, where=_COUNTEREXAMPLE, next_name=project.model.next).to_json()
        except VstackError as error:
            verdict, strength, reason = Verdict.UNDECIDED, None, f"a violation without a counterexample: {error.what}"
    if verdict is Verdict.VIOLATED and project.file.goals[goal].kind == "temporal" and _is_fair(project, spec):
        verdict, reason = (
            Verdict.UNDECIDED,
            "a counterexample that assumes no fairness, which Apalache does not know of",
        )
    if any(answer.attested for answer in answers) and verdict in (Verdict.HOLDS, Verdict.VIOLATED):
        told = f"{verdict} ({strength})" if strength else str(verdict)
        reason = f"attested, not recomputed: Apalache is not installed here, and a record says {told}, {reason}"
        verdict, strength = Verdict(ATTESTED["verdict"]), Strength(ATTESTED["strength"])
        warnings.append("nothing of this was run here")
    record = Evidence(
        key=key,
        engine="apalache",
        subject=subject,
        inputs=job.inputs,
        tool=f"Apalache {version}".strip(),
        tool_sha256=identity,
        command=commands[len(answers) - 1],
        bounds=bounds,
        verdict=verdict,
        reason=reason,
        violated=goal if verdict is Verdict.VIOLATED else None,
        strength=strength,
        numbers=Numbers(seconds=round(sum(answer.run.seconds for answer in answers if answer.run), 3)),
        warnings=warnings,
        trace=trace,
        detail={
            "runs": [
                {
                    "name": answer.question.name,
                    "argv": list(answer.question.argv(job.module)),
                    "wanted": answer.question.wanted,
                    "outcome": answer.outcome.kind,
                    "why": answer.outcome.reason,
                }
                for answer in answers
            ]
        },
        machine=machine(),
        started=now(),
    )
    if store is not None and verdict in (Verdict.HOLDS, Verdict.VIOLATED):
        store.put(record)
    return record


def _verdict(answers: list[Answer], job: Job, length: int) -> tuple[Verdict, Strength | None, str]:
    """What the answers come to; only the whole chain of wanted ones holds."""
    last = answers[-1]
    outcome, question = last.outcome, last.question
    if len(answers) == len(job.questions) and outcome.kind == question.wanted:
        if job.inductive:
            return (
                Verdict.HOLDS,
                Strength.INDUCTIVE,
                "Init implies the invariant, each step keeps it, it can be met, and it implies the goal",
            )
        return Verdict.HOLDS, Strength.BOUNDED, f"no violation in {length} steps from any initial state"
    if question.wanted == "violated" and outcome.kind in ("clean", "deadlock"):
        return Verdict.REFUSED, None, f"[apalache-empty] {question.says}"
    if outcome.kind == "refused":
        return Verdict.REFUSED, None, f"{question.name}: {outcome.reason}"
    if outcome.kind == "error":
        return Verdict.ERROR, None, f"{question.name}: {outcome.reason}"
    if outcome.kind in ("undecided", "deadlock"):
        return Verdict.UNDECIDED, None, f"{question.name}: {outcome.reason}"
    if question.name == "search":
        return Verdict.VIOLATED, None, outcome.reason
    return Verdict.UNDECIDED, None, f"the inductive argument does not go through: {question.says}"


def _ask(engine: Engine, job: Job, question: Question, name: str) -> Answer:
    argv = question.argv(job.module)
    if engine.tool is not None:
        try:
            run = _run(engine, engine.tool, job, argv, name)
        except RefusedError as error:
            return Answer(question, Outcome("refused", error.paragraph()), None)
        if isinstance(run, str):
            return Answer(question, Outcome("undecided", run), None)
        engine.recorded.append(run)
        return Answer(question, read_output(run.stdout, run.returncode, question.options), run)
    if engine.transcript is None:
        return Answer(question, Outcome("undecided", _MISSING), None)
    recorded = engine.transcript.run(name)
    why = "the transcript has no such run" if recorded is None else unfit(recorded, argv, job.inputs)
    if recorded is None or why:
        return Answer(question, Outcome("undecided", f"[apalache-record] {why}"), None, attested=True)
    outcome = read_output(recorded.stdout, recorded.returncode, question.options)
    return Answer(question, outcome, recorded, attested=True)


def _run(engine: Engine, tool: Apalache, job: Job, argv: tuple[str, ...], name: str) -> RecordedRun | str:
    """The run, or why it was stopped."""
    budget = engine.project.file.budget
    with tempfile.TemporaryDirectory(prefix="vstack-apalache-") as scratch:
        folder = Path(scratch)
        for file, text in job.files.items():
            (folder / file).write_text(text, encoding="utf-8")
        ended = start(tool, argv, folder, seconds=budget.seconds, heap_mb=budget.heap_mb)
        if ended.stopped:
            return ended.stopped
        found = folder / "run" / _COUNTEREXAMPLE
        files = {_COUNTEREXAMPLE: found.read_text(encoding="utf-8")} if found.is_file() else {}
    return RecordedRun(
        name=name,
        argv=argv,
        inputs=job.inputs,
        returncode=ended.returncode,
        stdout=ended.stdout,
        stderr=ended.stderr,
        files=files,
        seconds=round(ended.seconds, 3),
    )


def _is_fair(project: Project, spec: Spec) -> bool:
    return bool(behaviour(spec, project.model.spec).rest)
