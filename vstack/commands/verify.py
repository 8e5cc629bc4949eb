"""`vstack verify`: decide goals with TLC, Z3 and TLAPS, and say for each what came out."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import click

from vstack.commands.console import progress, start_detached
from vstack.context import Context, cores, open_project
from vstack.errors import VstackError
from vstack.files import exclusive
from vstack.keep.check import Options, make_runner
from vstack.keep.evidence import EvidenceStore
from vstack.project import PROJECT_FILE, Project
from vstack.report.words import verdict_word
from vstack.results import Evidence
from vstack.validate.cells import Setting
from vstack.validate.runs import Run
from vstack.verdicts import EXIT_CODES, Verdict, worst
from vstack.verify.apalache import open_engine, run_apalache
from vstack.verify.attested import write_transcript
from vstack.verify.tlaps_goal import run_theorem
from vstack.verify.tlaps_recorded import record_transcript
from vstack.verify.tlaps_task import Task, read_task
from vstack.verify.tlaps_tool import find_tlapm
from vstack.verify.z3_goal import run_z3_goal


def run(
    folder: Path,
    goals: tuple[str, ...],
    *,
    variant: str | None,
    environment: str | None,
    jobs: int | None,
    distributed: bool,
    as_json: bool,
    quiet: bool,
    record_tlaps: bool = False,
    record_apalache: bool = False,
) -> int:
    """Decide ``goals`` (all, if none is named) for one variant and environment, or for each of them.

    With ``record_tlaps`` what tlapm prints is kept in the file that each theorem goal names as its transcript.

    Raises:
        VstackError: a name is not declared, or the project or a tool can't be read or run.
    """
    context = open_project(folder)
    file = context.project.file
    _known(goals, file.goals, "goal")
    _known([variant] if variant else [], file.variants, "variant")
    _known([environment] if environment else [], file.environments, "environment")
    wanted = goals or tuple(file.goals)
    _recordable(context.project, wanted, tlaps=record_tlaps, apalache=record_apalache)
    with (
        exclusive(context.project.state / "run.lock", what=f"the project {file.project}"),
        progress(file.project, quiet=quiet) as on_event,
    ):
        options = Options(jobs=1 if distributed else jobs or cores(), distributed=distributed)
        records = _tlc(context, wanted, variant, environment, options, on_event)
        for name in wanted:
            if file.goals[name].kind == "z3":
                on_event(f"Z3 decides {name}")
                records += run_z3_goal(
                    context.project, name, seconds=file.budget.seconds, memory_mb=file.budget.heap_mb
                )
            if file.goals[name].kind == "theorem":
                on_event(f"TLAPS proves {name}")
                store = None if record_tlaps else EvidenceStore(context.project.state / "evidence")
                records.append(run_theorem(context.project, name, store=store, on_event=on_event))
        if record_tlaps:
            _record(context.project, wanted, on_event)
        records += _apalache(context, wanted, variant, environment, record_apalache, on_event)
    if as_json:
        click.echo(json.dumps([each.model_dump(mode="json") for each in records], indent=1))
    else:
        for each in records:
            click.echo(describe(each))
    return EXIT_CODES[worst([each.verdict for each in records])]


def _apalache(
    context: Context,
    wanted: tuple[str, ...],
    variant: str | None,
    environment: str | None,
    record: bool,
    on_event: Callable[[str], None],
) -> list[Evidence]:
    """What Apalache says; with ``record`` all of it is run again and kept in the transcript."""
    section = context.project.file.apalache
    if section is None:
        return []
    engine = open_engine(context.project)
    store = None if record else EvidenceStore(context.project.state / "evidence")
    cells = run_apalache(
        engine, context.spec, store, on_event, goals=wanted, variant=variant, environment=environment
    )
    if record and section.transcript is not None:
        write_transcript(context.project.root / section.transcript, engine.transcribed())
    return [cell.evidence for cell in cells]


def describe(record: Evidence) -> str:
    """One line on one decided goal."""
    subject = record.subject
    place = "/".join(str(subject[key]) for key in ("variant", "environment", "goal") if subject.get(key))
    numbers = f"{record.numbers.distinct:,} states, depth {record.numbers.depth}, " if record.engine == "tlc" else ""
    strength = f" ({record.strength})" if record.strength else ""
    plain = record.verdict in (Verdict.HOLDS, Verdict.VIOLATED) and record.engine != "tlaps"
    reason = "" if plain else f": {record.reason}"
    steps = f", counterexample of {len(record.trace['steps']) - 1} steps" if record.trace else ""
    return f"{place}: {verdict_word(record)}{strength}{reason} [{numbers}{record.numbers.seconds:.1f} s, {record.tool}]{steps}"


def _tlc(
    context: Context,
    wanted: tuple[str, ...],
    variant: str | None,
    environment: str | None,
    options: Options,
    on_event: Callable[[str], None],
) -> list[Evidence]:
    file = context.project.file
    goals = tuple(name for name in wanted if file.goals[name].is_searched)
    if not goals:
        return []
    variants = [variant] if variant else list(file.variants) or [None]
    environments = [environment] if environment else list(file.environments) or [None]
    plan = [Run(Setting(one, world), goals, together=True, required=True) for one in variants for world in environments]
    runner = make_runner(context, options, on_event)
    return [record for answer in runner.run(plan) for record in answer.values()]


def _record(project: Project, wanted: tuple[str, ...], on_event: Callable[[str], None]) -> None:
    """Write the transcripts of the theorem goals among ``wanted``, those with one file together."""
    tlapm = find_tlapm(project)
    if tlapm is None:
        raise VstackError(
            "tlapm is not installed here, so no run of it can be recorded", todo="Name it in VSTACK_TLAPM"
        )
    files: dict[str, list[Task]] = {}
    for name in wanted:
        goal = project.file.goals[name]
        if goal.kind == "theorem":
            if goal.proof.transcript is None:
                raise VstackError(
                    f"Goal {name} names no transcript",
                    where="vstack.yaml",
                    todo=f"Add `transcript: FILE` under `goals.{name}.proof`",
                )
            files.setdefault(goal.proof.transcript, []).append(read_task(project, name))
    for file, tasks in files.items():
        write_transcript(project.root / file, record_transcript(tuple(tasks), tlapm, on_event))


def _recordable(project: Project, wanted: tuple[str, ...], *, tlaps: bool, apalache: bool) -> None:
    """Refuse, before anything runs, to record where nothing would be.

    Raises:
        VstackError: none of the goals is of that engine, its tool is missing, or no file is named for what it prints.
    """
    file, nothing = project.file, "There is nothing to record"
    theorems = [name for name in wanted if file.goals[name].kind == "theorem"]
    if tlaps and not theorems:
        raise VstackError(
            f"{nothing}: no goal asked for is a theorem", where=PROJECT_FILE, todo="Leave out --record-tlaps"
        )
    for name in theorems if tlaps else ():
        if file.goals[name].proof.transcript is None:
            todo = f"Add `transcript: FILE` under `goals.{name}.proof`"
            raise VstackError(f"Goal {name} names no transcript", where=PROJECT_FILE, todo=todo)
    if tlaps and find_tlapm(project) is None:
        raise VstackError(
            "tlapm is not installed here, so no run of it can be recorded", todo="Name it in VSTACK_TLAPM"
        )
    if apalache and (file.apalache is None or not set(wanted) & file.apalache.goals.keys()):
        has = "the project has no section `apalache`" if file.apalache is None else "no goal asked for is of `apalache`"
        raise VstackError(f"{nothing}: {has}", where=PROJECT_FILE, todo="Leave out --record-apalache")
    if apalache and file.apalache is not None:
        why = "no file is named for it" if file.apalache.transcript is None else None
        why = "Apalache is not installed" if open_engine(project).tool is None else why
        if why:
            raise VstackError(
                f"{nothing}: {why}",
                where=PROJECT_FILE,
                todo="Install apalache-mc, and name the file in `apalache.transcript`",
            )


def _known(names: Collection[str], declared: Collection[str], what: str) -> None:
    for name in names:
        if name not in declared:
            near = difflib.get_close_matches(name, declared, n=1)
            known = f"did you mean `{near[0]}`" if near else f"there are: {', '.join(declared) or 'none'}"
            raise VstackError(f"No {what} is called `{name}`", where="vstack.yaml", todo=known.capitalize())


@click.command("verify", short_help="Decide the goals of a project with TLC, Z3 and TLAPS.")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--goal", "goals", multiple=True, help="Only this goal (may be given several times).")
@click.option("--variant", help="Only this variant.")
@click.option("--environment", help="Only this environment.")
@click.option("--jobs", "-j", type=click.IntRange(1, 64), help="Engine runs side by side (default: one per core).")
@click.option("--distributed", is_flag=True, help="Search on the machines that `distributed` in vstack.yaml names.")
@click.option("--record-tlaps", is_flag=True, help="Keep what tlapm prints in the transcripts that goals name.")
@click.option("--record-apalache", is_flag=True, help="Keep what Apalache prints in the transcript that `apalache` names.")
@click.option("--json", "as_json", is_flag=True, help="Print the evidence as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
@click.option("--detach", is_flag=True, help="Go on in the background; ask with `vstack status`.")
def cli(
    folder: Path,
    goals: tuple[str, ...],
    variant: str | None,
    environment: str | None,
    jobs: int | None,
    distributed: bool,
    record_tlaps: bool,
    record_apalache: bool,
    as_json: bool,
    quiet: bool,
    detach: bool,
) -> int:
    """Decide goals and say holds, violated, or undecided with the reason, for each variant and environment.

    \b
    Example: vstack verify examples/upstream/vllm-32255 --variant fix --goal Isolation
    """
    if detach:
        return start_detached(folder, sys.argv[1:])
    return run(
        folder,
        goals,
        variant=variant,
        environment=environment,
        jobs=jobs,
        distributed=distributed,
        as_json=as_json,
        quiet=quiet,
        record_tlaps=record_tlaps,
        record_apalache=record_apalache,
    )
