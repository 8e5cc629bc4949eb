"""`vstack spec show`: goals in words and formulas, with all they rest on."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import click

from vstack.errors import VstackError
from vstack.project import load_project
from vstack.reading import read_spec
from vstack.results import GoalRow
from vstack.specify.check import check_lock
from vstack.specify.compute import compute_pins
from vstack.specify.pins import Pins
from vstack.specify.telling import tell_findings, tell_goal, tell_settings, tell_world
from vstack.verify.z3_goal import z3_formulas


def run(folder: Path, *, goal: str | None, as_json: bool) -> int:
    """Show one goal, or all with every pinned setting; the exit code (0).

    Raises:
        VstackError: there is no such goal, or the project can't be read.
    """
    project = load_project(folder)
    if goal is not None and goal not in project.file.goals:
        near = difflib.get_close_matches(goal, project.file.goals, n=1)
        raise VstackError(
            f"There is no goal {goal}", where=str(project.root), todo=f"Did you mean {near[0]}?" if near else None
        )
    # A person decides by this: nothing that could have been put into the cache is believed.
    pins = compute_pins(project, read_spec(project, fresh=True))
    findings, rows = check_lock(project, pins)
    rows = tuple(row for row in rows if goal in (None, row.name))
    if as_json:
        click.echo(json.dumps(_data(pins, rows), indent=1, ensure_ascii=False))
        return 0
    for row in rows:
        click.echo("\n".join([*tell_goal(pins, row, z3_formulas(project, row.name)), ""]))
    click.echo("\n".join(tell_world(project, pins)))
    if goal is None:
        click.echo("\n".join(tell_settings(pins)))
    for line in tell_findings(finding for finding in findings if finding.rule != "unapproved-change"):
        click.echo(line)
    changed = sum(finding.rule == "unapproved-change" for finding in findings)
    if changed:
        click.echo(f"{changed} change(s) since the approval: `vstack spec diff` shows them.")
    return 0


def _data(pins: Pins, rows: tuple[GoalRow, ...]) -> dict[str, object]:
    return {"goals": [row.model_dump() for row in rows], "pins": pins.model_dump(mode="json")}


@click.command("show", short_help="Show goals with their formula, helpers, pin and approval.")
@click.argument("goal", required=False)
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(goal: str | None, folder: Path, as_json: bool) -> int:
    """Show goals in words and as formulas, with every helper definition, pin, approval, environment and bounds.

    \b
    Example: vstack spec show Isolation -p examples/upstream/vllm-32255
    """
    return run(folder, goal=goal, as_json=as_json)
