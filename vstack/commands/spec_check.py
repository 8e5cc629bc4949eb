"""`vstack spec check`: the project against its approved lock."""

from __future__ import annotations

import json
from pathlib import Path

import click

from vstack.guard.index import record
from vstack.project import load_project
from vstack.reading import read_spec
from vstack.specify.base import read_base
from vstack.specify.check import check_lock
from vstack.specify.compute import compute_pins
from vstack.specify.telling import tell_findings


def run(folder: Path, *, base_ref: str | None, as_json: bool) -> int:
    """Compare pins with the lock; the exit code (0 as approved, 1 refused).

    Raises:
        VstackError: the project, a module or the base can't be read.
    """
    project = load_project(folder)
    base = read_base(project.root, base_ref) if base_ref is not None else None
    # With a base this is a gate, which must not believe what an agent could have put into the cache.
    pins = compute_pins(project, read_spec(project, fresh=base is not None))
    findings, goals = check_lock(project, pins, base=base)
    refused = [finding for finding in findings if finding.outcome != "note"]
    if base is None and not refused:
        record(str(project.root))
    if as_json:
        data = {
            "verdict": "refused" if refused else "as approved",
            "findings": [finding.model_dump() for finding in findings],
            "goals": [row.model_dump() for row in goals],
        }
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
        return 1 if refused else 0
    for row in goals:
        click.echo(f"{'approved' if row.approved else 'REFUSED '}  {row.name}  {row.digest[:12]}  {row.note}")
    for line in tell_findings(findings):
        click.echo(line)
    if refused:
        click.echo(f"Refused: {len(refused)} finding(s).")
        return 1
    click.echo("Everything is as it was approved. This says nothing about whether the goals hold.")
    return 0


@click.command("check", short_help="Compare the goals with the approved lock.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--base", "base_ref", metavar="REF", help="The target branch: its lock, approvers and policy count.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(folder: Path, base_ref: str | None, as_json: bool) -> int:
    """Compare goals, environment, assumptions, bounds, matrix and excuses with the approved lock.

    Each unapproved change is refused with its goal, definition and file:line.
    With --base the lock must come after that branch's lock, and its signature
    must prove a person's touch unless the policy there says otherwise.
    Exit code: 0 everything is as approved, 1 refused, 2 could not run.

    \b
    Example: vstack spec check -p examples/upstream/vllm-32255 --base origin/main
    """
    return run(folder, base_ref=base_ref, as_json=as_json)
