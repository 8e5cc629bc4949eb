"""`vstack explain`: a counterexample in plain words, and as a schedule for a unit test."""

from __future__ import annotations

from pathlib import Path

import click

from vstack.keep.last import cell_name, counterexamples, find_cell, last_report
from vstack.project import load_project
from vstack.report.story import explain, schedule


def run(folder: Path, cell: str | None, *, as_schedule: bool, as_json: bool) -> int:
    """Tell the counterexample called ``cell``, or list all there are.

    Raises:
        VstackError: the project was not checked yet, or there is no such counterexample.
    """
    project = load_project(folder)
    report = last_report(project)
    if cell is None:
        for found in counterexamples(report):
            steps = len((found.evidence.trace or {}).get("steps", ())) - 1
            click.echo(f"{cell_name(found)}  ({steps} steps)")
        if not counterexamples(report):
            click.echo("The last check found no counterexample.")
        return 0
    found = find_cell(report, cell, project.root)
    if as_json:
        click.echo(found.evidence.model_dump_json(indent=1))
    else:
        click.echo(schedule(found.evidence, report) if as_schedule else explain(found.evidence, report))
    return 0


@click.command("explain", short_help="Tell a counterexample in plain words, with the schedule for a unit test.")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--cell", metavar="VARIANT/ENVIRONMENT/GOAL[-GUARD]", help="Which counterexample; without it all are listed.")
@click.option("--schedule", "as_schedule", is_flag=True, help="Only the steps, with the code each stands for.")
@click.option("--json", "as_json", is_flag=True, help="Print the evidence as JSON.")
def cli(folder: Path, cell: str | None, as_schedule: bool, as_json: bool) -> int:
    """Tell a counterexample of the last check step by step: who did what, what changed, what it breaks.

    \b
    Example: vstack explain examples/upstream/vllm-32255 --cell buggy/faithful/Isolation
    """
    return run(folder, cell, as_schedule=as_schedule, as_json=as_json)
