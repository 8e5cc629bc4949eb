"""`vstack reproduce`: drive a counterexample through the real code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from vstack.commands.console import progress, start_detached
from vstack.context import Context, open_project
from vstack.errors import VstackError
from vstack.files import exclusive
from vstack.project import PROJECT_FILE
from vstack.reproduce.checkout import check_checkout
from vstack.reproduce.drive import DrivenCellRuns, drive_cell, saved_cell
from vstack.reproduce.emit import emit_pytest
from vstack.reproduce.interpreter import find_interpreter, prepare
from vstack.reproduce.plan import (
    Wanted,
    find_schedule,
    recorded_schedule,
    reproduce_section,
    setting_of,
    wanted_cells,
)
from vstack.reproduce.record import record_trace
from vstack.reproduce.saved import save
from vstack.reproduce.schedule import Schedule


def run(
    folder: Path,
    *,
    variant: str | None,
    environment: str | None,
    goal: str | None,
    schedule: str | None,
    counterexample: Path | None,
    checkout: Path | None,
    python: Path | None,
    runs: int,
    keep: bool,
    record: tuple[str, ...],
    make_environment: bool,
    emit: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Do what the options ask for, in this order: make the environment, emit a test, drive cells, record traces.

    Raises:
        VstackError: a name is not declared, the checkout or interpreter does not serve, or there is nothing to do.
    """
    context = open_project(folder)
    project = context.project
    reproduce_section(project)
    if not (make_environment or variant or record):
        raise VstackError(
            "Nothing to drive: no --variant, no --record, no --prepare",
            where=str(project.root / PROJECT_FILE),
            todo=f"Name one of {', '.join(_driven_variants(context)) or 'the variants under `reproduce.cells`'} with --variant",
        )
    name = project.file.project
    with (
        exclusive(project.state / "run.lock", what=f"the project {name}"),
        progress(name, quiet=quiet) as on_event,
    ):
        if make_environment:
            click.echo(f"Interpreter: {prepare(project, on_event)}")
        cells = _cells(context, variant, environment, goal, schedule, counterexample, on_event)
        if emit is not None:
            _emit(context, cells, emit)
        if checkout is None:
            if record or (cells and emit is None and not make_environment):
                raise VstackError(
                    "No checkout of the code", todo="Name a clean checkout at the variant's commit with --checkout"
                )
            return 0
        interpreter = find_interpreter(project, python)
        driven = []
        if cells:
            check_checkout(project, cells[0][0].cell.variant, checkout)
            driven = [drive_cell(context, cell, found, checkout, interpreter, runs, on_event) for cell, found in cells]
            if keep:
                save(project, tuple(saved_cell(context, one) for one in driven if one.agree and one.could_run))
        logs = [record_trace(context, trace, checkout, interpreter, on_event) for trace in record]
    if as_json:
        click.echo(json.dumps({"cells": [_as_json(one) for one in driven], "logs": list(map(str, logs))}, indent=1))
    else:
        for one in driven:
            click.echo(describe(one))
        for log in logs:
            click.echo(f"recorded {log}; look at it with `vstack trace check`, and have the lock approved again")
    if not all(one.could_run for one in driven):
        return 2
    return 0 if all(one.as_expected for one in driven) else 1


def describe(driven: DrivenCellRuns) -> str:
    """What came out of one cell, as text."""
    first, wanted = driven.runs[0], driven.wanted
    count = f"{len(driven.runs)} run{'s' * (len(driven.runs) > 1)}, {first.seconds:.1f} s each"
    if not driven.agree:
        lines = [f"{wanted.name}: the runs disagree ({count})"]
        return "\n".join(lines + [f"  run {number}: {run.outcome}: {run.reason}" for number, run in enumerate(driven.runs, 1)])
    outcome: str = first.outcome
    if wanted.parts and first.parting is not None:
        outcome += f": it parts from the schedule of {wanted.cell.schedule}, as it must"
    lines = [f"{wanted.name}: {outcome} ({count})", f"  {first.reason}"]
    if first.outcome == "reproduced":
        lines.append(f"  compared after each step: {', '.join(first.variables)} ({first.compared} values)")
    if first.parting is not None:
        names = [*first.parting.observed, *(set(first.parting.differs) - set(first.parting.observed))]
        lines.append(f"  the two states after step {first.parting.step}, {first.parting.action}:")
        for name in names:
            model, real = first.parting.predicted.get(name), first.parting.observed.get(name)
            if name in first.parting.differs:
                lines.append(f"  * {name}: model {json.dumps(model)}, real code {json.dumps(real)}")
            else:
                lines.append(f"    {name}: {json.dumps(model)} in both")
    if first.stacks:
        lines += ["  stacks of its threads:", *("    " + line for line in first.stacks.splitlines())]
    return "\n".join(lines)


def _cells(
    context: Context,
    variant: str | None,
    environment: str | None,
    goal: str | None,
    schedule: str | None,
    counterexample: Path | None,
    on_event: Callable[[str], None],
) -> list[tuple[Wanted, Schedule]]:
    """What to drive: each cell with its schedule."""
    project = context.project
    if variant is None:
        return []
    if counterexample is not None:
        cell, found = recorded_schedule(context, counterexample)
        return [(Wanted(cell.model_copy(update={"variant": variant})), found)]
    cells = wanted_cells(project, variant, environment, goal, schedule)
    return [
        (one, find_schedule(context, setting_of(project, one, schedule=True), one.cell.goal, on_event)) for one in cells
    ]


def _emit(context: Context, cells: list[tuple[Wanted, Schedule]], target: Path) -> None:
    if len(cells) != 1:
        raise VstackError(
            f"A test is of one cell, and {len(cells)} fit", todo="Name --variant, --environment and --goal"
        )
    emit_pytest(context.project, *cells[0], target)
    click.echo(f"Wrote {target}: it stands by itself, and needs the code's own test environment only.")


def _driven_variants(context: Context) -> list[str]:
    return list(dict.fromkeys(cell.variant for cell in reproduce_section(context.project).cells))


def _as_json(driven: DrivenCellRuns) -> dict[str, Any]:
    return {
        "cell": driven.wanted.cell.model_dump(mode="json"),
        "agree": driven.agree,
        "as_expected": driven.as_expected,
        "events": driven.events,
        "steps": [step.words for step in driven.schedule.steps],
        "runs": [run.model_dump(mode="json") for run in driven.runs],
    }


_PATH = click.Path(path_type=Path)


@click.command("reproduce", short_help="Drive a counterexample through the real code.")
@click.argument("folder", type=_PATH, default=".")
@click.option("--variant", help="Which revision of the code to drive.")
@click.option("--environment", help="Only cells of this environment.")
@click.option("--goal", help="Only cells of this goal.")
@click.option("--schedule", metavar="VARIANT", help="Drive the counterexample of this variant: the code must part from it.")
@click.option("--counterexample", type=_PATH, metavar="FILE", help="Drive this one, as `vstack explain --json` printed it.")
@click.option("--checkout", type=_PATH, help="A clean checkout of the code at the variant's commit; nothing of it is kept.")
@click.option("--python", type=_PATH, help="The interpreter with the code's packages (default: the one --prepare made).")
@click.option("--prepare", "make_environment", is_flag=True, help="Make that interpreter, with pinned packages.")
@click.option("--runs", type=click.IntRange(1, 100), default=1, show_default=True, help="How often; all runs must agree.")
@click.option("--save", "keep", is_flag=True, help="Keep the outcomes in results.json beside the driver.")
@click.option("--record", metavar="TRACE", multiple=True, help="Record this trace of vstack.yaml.")
@click.option("--emit-pytest", "emit", type=_PATH, metavar="FILE", help="Write the schedule as a test for the code's own suite.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
@click.option("--detach", is_flag=True, help="Go on in the background; ask with `vstack status`.")
def cli(folder: Path, detach: bool, **options: Any) -> int:
    """Drive a counterexample through the real code, step by step, and compare after each step.

    Reproduced: after every step all that can be observed is as the model
    predicts, and at the end the violation shows in the real code. Otherwise the
    first step where they part is shown, with both states.

    Exit codes: 0 as expected; 1 not as expected, or the runs disagree; 2 could not run.

    \b
    Example: vstack reproduce examples/upstream/vllm-32255 --variant buggy --checkout ../vllm
    """
    if detach:
        return start_detached(folder, sys.argv[1:])
    return run(folder, **options)
