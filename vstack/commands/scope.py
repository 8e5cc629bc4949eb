"""`vstack scope`: the code that the models speak for, and what of it has no anchor."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from vstack.abstract.guard_anchors import guard_anchors
from vstack.abstract.marks import read_marks
from vstack.abstract.repos import open_repos
from vstack.abstract.scope import ScopeRow, check_scope
from vstack.audit.catalog import rule_id
from vstack.context import Context
from vstack.project import load_project
from vstack.results import Finding


def run(folder: Path, *, repos: tuple[str, ...], fetch: bool, as_json: bool) -> int:
    """List scope and coverage; the exit code (0 all accounted for, 1 something needs an omission, 3 not checked)."""
    project = load_project(folder)
    marks, _ = read_marks(project, Context(project).spec)
    anchors = [anchor for each in marks for anchor in each.anchors]
    anchors += [anchor for each in guard_anchors(project).values() for anchor in each]
    rows, findings = check_scope(project, anchors, open_repos(project, repos, fetch=fetch))
    if as_json:
        data = {"scope": [asdict(row) for row in rows], "findings": [finding.model_dump() for finding in findings]}
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
    else:
        _show(rows, findings)
    if findings:
        return 1
    return 3 if not rows or any(not row.checked for row in rows) else 0


def _show(rows: tuple[ScopeRow, ...], findings: tuple[Finding, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not rows:
        console.print("Nothing is in scope: list the code that the model speaks for under `scope` in vstack.yaml.")
        return
    for repo, path in dict.fromkeys((row.repo, row.path) for row in rows):
        console.print(Text(f"{repo}:{path}", style="bold"), soft_wrap=True)
        table = Table("Function", "Lines", "Anchored", "Left out because", box=None, pad_edge=False)
        for row in (row for row in rows if (row.repo, row.path) == (repo, path)):
            lines = f"{row.first}-{row.last}@{row.commit[:8]}" if row.checked else f"@{row.commit[:8]}"
            covered = f"{row.covered} of {row.lines}" if row.checked else "not checked"
            style = "" if not row.open or row.omission else "red"
            why = (row.omission or "") if row.checked else row.note
            table.add_row(Text(row.function), Text(lines), Text(covered, style=style), Text(why))
        console.print(table)
    for finding in findings:
        console.print(Text(f"{finding.where}: [{rule_id(finding.rule)} {finding.rule}] {finding.message}. {finding.todo}."), soft_wrap=True)


@click.command("scope", short_help="List the code in scope and what of it has no anchor.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option(
    "--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git repository on this machine, bare or not."
)
@click.option(
    "--no-fetch", "fetch", flag_value=False, default=True, help="Ask no remote; what is not here is not checked."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(folder: Path, repos: tuple[str, ...], fetch: bool, as_json: bool) -> int:
    """List the functions in scope with the lines that anchors cover, and those that need an omission.

    Exit code: 0 everything is anchored or omitted with a reason, 1 something
    is not, 3 the code could not be read here.

    \b
    Example: vstack scope -p examples/upstream/vllm-32255 --repo vllm=~/src/vllm
    """
    return run(folder, repos=repos, fetch=fetch, as_json=as_json)
