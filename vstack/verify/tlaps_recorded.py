"""Recorded runs of tlapm for machines that have none: made, read back, and never more than attested."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.keep.evidence import now
from vstack.project import PROJECT_FILE, Project
from vstack.results import Evidence, Finding
from vstack.verdicts import Strength, Verdict
from vstack.verify.attested import ATTESTED, RecordedRun, Transcript, read_transcript, unfit
from vstack.verify.tlaps_evidence import empty_record, judged
from vstack.verify.tlaps_run import ModuleRun
from vstack.verify.tlaps_task import CONTROL, Task, read_task, run_all
from vstack.verify.tlaps_tool import Tlapm

_MISSING = "tlapm is not installed here"
_INSTALL = "install a release of TLAPS, or name its tlapm in VSTACK_TLAPM"
_AGAIN = "Record it again with `vstack verify --record-tlaps` where tlapm is installed"


def record_transcript(tasks: tuple[Task, ...], tlapm: Tlapm, on_event: Callable[[str], None]) -> Transcript:
    """Run tlapm for ``tasks`` and keep all that it printed, for machines that have none."""
    runs = []
    for task in tasks:
        for name, ran in run_all(task, tlapm, on_event).items():
            runs.append(
                RecordedRun(
                    name=f"{task.name}/{name}",
                    argv=ran.arguments,
                    inputs=task.inputs_of(name),
                    returncode=ran.returncode,
                    stderr=ran.output,
                    files={"stopped": ran.stopped} if ran.stopped else {},
                    seconds=ran.seconds,
                )
            )
    return Transcript(
        tool="tlapm", version=tlapm.version, tool_sha256=tlapm.sha256, machine=f"{platform.machine()}, {platform.system()}", made=now(), runs=tuple(runs)
    )  # fmt: skip


def recorded_finding(project: Project, name: str) -> Finding | None:
    """What is wrong with the recorded run that goal ``name`` names; None if nothing is, or if it names none."""
    try:
        task = read_task(project, name)
    except VstackError:
        return None  # the rules on the proof's modules say what is wrong
    if task.goal.proof.transcript is None:
        return None
    record = attested(project, task, now())
    if record.strength is Strength.ATTESTED:
        return None
    named = re.search(r"\[(tlaps-[a-z]+)\] ?", record.reason)
    return Finding(
        rule=named[1] if named else "tlaps-transcript",
        where=str(project.root / PROJECT_FILE),
        message=f"goal {name}: {record.reason.replace(named[0] if named else '', '')}",
        todo=_AGAIN,
        outcome="undecided" if record.verdict is Verdict.UNDECIDED else "refused",
    )


def attested(project: Project, task: Task, started: str) -> Evidence:
    """The record of a goal where tlapm is missing: attested by the run that it names, or undecided without one."""
    path = task.goal.proof.transcript
    if path is None:
        reason = f"{_MISSING}, and no recorded run is named under `proof.transcript`: {_INSTALL}"
        return empty_record(task.name, task, None, started, Verdict.UNDECIDED, reason)
    try:
        transcript = read_transcript(project.root / path)
        runs = _recorded(task, transcript, str(project.root / path))
    except VstackError as error:
        verdict = Verdict.REFUSED if isinstance(error, RefusedError) else Verdict.ERROR
        return empty_record(task.name, task, None, started, verdict, error.paragraph())
    empty = empty_record(task.name, task, None, started, Verdict.UNDECIDED, "")
    found = judged(task, runs, empty)
    if found.verdict is not Verdict.HOLDS:
        reason = f"{_MISSING}, and the recorded run in {path} proves nothing: {found.reason}"
        return found.model_copy(update={"reason": reason})
    reason = (
        f"attested, not proved here: {_MISSING}; {Path(path).name} holds a run of tlapm {transcript.version} on these very"
        f" texts ({transcript.made or 'no date'}): {found.reason}"
    )
    tool = f"tlapm {transcript.version} (recorded)"
    return found.model_copy(
        update={**ATTESTED, "reason": reason, "tool": tool, "tool_sha256": transcript.tool_sha256}
    )  # fmt: skip


def _recorded(task: Task, transcript: Transcript, where: str) -> dict[str, ModuleRun]:
    """The runs of a transcript, if they are all that this goal asks, on the present texts.

    Raises:
        RefusedError: it is another tool's, lacks a run, or is of other texts or another command line.
    """
    if transcript.tool != "tlapm":
        raise RefusedError(
            f"[tlaps-transcript] The transcript is of {transcript.tool}, not of tlapm", where=where, todo=_AGAIN
        )
    runs = {}
    for name in (*task.modules, CONTROL):
        named = [run for run in transcript.runs if run.name == f"{task.name}/{name}"]
        if len(named) != 1:
            raise RefusedError(
                f"[tlaps-transcript] The transcript has {len(named)} runs of {name} for goal {task.name}, and one is needed",
                where=where,
                todo=_AGAIN,
            )
        run = named[0]
        why = unfit(run, task.argv(name), task.inputs_of(name))
        if why:
            raise RefusedError(
                f"[tlaps-transcript] The recorded run of {name} is not of this proof: {why}", where=where, todo=_AGAIN
            )
        runs[name] = ModuleRun(name, run.argv, run.returncode, run.files.get("stopped", ""), run.seconds, run.stderr)
    return runs
