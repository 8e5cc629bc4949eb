"""`vstack scope`: the code that the models speak for, and what of it has no anchor."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from vstack.abstract.anchors import Marks
from vstack.abstract.changed import change_findings, changes
from vstack.abstract.diff import parse_range, read_diff
from vstack.abstract.guard_anchors import guard_anchors
from vstack.abstract.marks import read_marks
from vstack.abstract.repos import Repos, open_repos
from vstack.abstract.scope import ScopeRow, check_scope
from vstack.audit.catalog import rule_id
from vstack.context import Context
from vstack.errors import VstackError
from vstack.project import Project, load_project
from vstack.report.words import plural
from vstack.results import Finding


def run(folder: Path, *, repos: tuple[str, ...], fetch: bool, as_json: bool, diff: str | None = None) -> int:
    """List scope and coverage; the exit code (0 all accounted for, 1 something needs an omission, 3 not checked).

    With ``diff`` (`BASE..HEAD`) what that range of commits changes of it (1: a model is stale).
    """
    project = load_project(folder)
    marks, _ = read_marks(project, Context(project).spec)
    if diff is not None:
        return _diff(project, marks, open_repos(project, repos, fetch=fetch), diff, as_json=as_json)
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


def _diff(project: Project, marks: tuple[Marks, ...], repos: Repos, text: str, *, as_json: bool) -> int:
    base, head = parse_range(text)
    if not repos.local:
        todo = "Name the checkout with `--repo NAME=PATH`, or say `here: true` under `repos` if the code lies in this repository"
        raise VstackError("There is no checkout whose commits could be compared", where=text, todo=todo)
    diffs = {name: read_diff(repo, base, head) for name, repo in repos.local.items()}
    found = changes(project, marks, repos, diffs)
    findings = change_findings(found, diffs, refuse_stale=False)
    stale = sum(change.kind == "stale" for change in found)
    if as_json:
        data = {"changes": [asdict(change) for change in found], "findings": [one.model_dump() for one in findings]}
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
        return 1 if stale else 0
    for finding in findings:
        click.echo(f"{finding.where}: [{rule_id(finding.rule)} {finding.rule}] {finding.message}. {finding.todo}.")
    if not found:
        click.echo("Nothing that the model speaks for has changed.")
    else:
        click.echo(f"{plural(len(found), 'change')} of code that the model speaks for; {stale} left it stale.")
    return 1 if stale else 0


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
@click.option("--diff", metavar="BASE..HEAD", help="Show what these commits change of it: stale actions, code beside them.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(folder: Path, repos: tuple[str, ...], fetch: bool, diff: str | None, as_json: bool) -> int:
    """List the functions in scope with the lines that anchors cover, and those that need an omission.

    Exit code: 0 everything is anchored or omitted with a reason, 1 something
    is not, 3 the code could not be read here; with --diff, 1 says that the code
    under an action changed.

    \b
    Example: vstack scope -p examples/upstream/vllm-32255 --repo vllm=~/src/vllm
    Example: vstack scope --repo vllm=~/src/vllm --diff v0.11.0..v0.11.1
    """
    return run(folder, repos=repos, fetch=fetch, as_json=as_json, diff=diff)
