"""`vstack anchor check`: every anchor of a model against git."""

from __future__ import annotations

import json
from pathlib import Path

import click

from vstack.abstract.atomicity import check_atomicity
from vstack.abstract.check import AnchorReport, check_anchors, stale_actions
from vstack.abstract.marks import read_marks
from vstack.abstract.repos import open_repos
from vstack.abstract.revisions import parse_at
from vstack.audit.catalog import rule_id
from vstack.commands.console import progress
from vstack.context import Context
from vstack.project import load_project
from vstack.results import AtomicityRow, Finding

STATES = {"exact": "green", "moved": "yellow", "changed": "red", "missing": "red", "not checked": "magenta"}


def run(folder: Path, *, repos: tuple[str, ...], at: tuple[str, ...], fetch: bool, as_json: bool) -> int:
    """Check anchors and atomicity; the exit code (0 all stand, 1 refused or stale, 3 something was not checked)."""
    project = load_project(folder)
    spec = Context(project).spec
    marks, problems = read_marks(project, spec)
    sources = open_repos(project, repos, fetch=fetch)
    revisions = parse_at(at)
    with progress("anchor check", quiet=as_json) as tell:
        report = check_anchors(project, marks, sources, at=revisions, on_anchor=lambda place: tell(f"git: {place}"))
        atomicity = check_atomicity(project, marks, sources)
    findings = (*problems, *report.findings)
    stale = stale_actions(report) if revisions else ()
    unexcused = [row for row in atomicity if row.checked and not row.excuse]
    if as_json:
        click.echo(json.dumps(_data(report, findings, atomicity, stale), indent=1, ensure_ascii=False))
    else:
        _show(report, findings, atomicity, stale)
    if findings or unexcused or stale:
        return 1
    return 3 if report.count("not checked") or any(not row.checked for row in atomicity) or not report.rows else 0


def _data(
    report: AnchorReport, findings: tuple[Finding, ...], atomicity: tuple[AtomicityRow, ...], stale: tuple[str, ...]
) -> dict[str, object]:
    return {
        "anchors": [row.model_dump() for row in report.rows],
        "atomicity": [row.model_dump() for row in atomicity],
        "findings": [finding.model_dump() for finding in findings],
        "stale": list(stale),
    }


def _short(place: str) -> str:
    before, _, commit = place.rpartition("@")
    return f"{before}@{commit[:12]}"


def _show(
    report: AnchorReport, findings: tuple[Finding, ...], atomicity: tuple[AtomicityRow, ...], stale: tuple[str, ...]
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table("Action", "Process", "Anchors", box=None, pad_edge=False)
    for action in dict.fromkeys(row.action for row in report.rows):
        mine = [row for row in report.rows if row.action == action]
        states = Text(", ").join(
            Text(f"{count} {state}", style=style)
            for state, style in STATES.items()
            if (count := sum(row.state == state for row in mine))
        )
        table.add_row(Text(action), Text(", ".join(dict.fromkeys(row.process or "" for row in mine))), states)
    console.print(table)
    for row in report.rows:
        if row.state != "exact":
            extra = "; ".join(part for part in (f"now {_short(row.now)}" if row.now else "", row.note) if part)
            line = Text(f"{row.where}: {_short(row.anchor)} ").append(row.state, style=STATES[row.state])
            console.print(line.append(f": {extra}"), soft_wrap=True)
    counts = ", ".join(f"{report.count(state)} {state}" for state in STATES if report.count(state))
    console.print(Text(f"{len(report.rows)} anchors: {counts or 'none'}"))
    for found in atomicity:
        tail = f" (excused: {found.excuse})" if found.excuse else ""
        console.print(Text(f"{found.where}: action {found.action}: {found.finding}{tail}"), soft_wrap=True)
    for finding in findings:
        console.print(Text(f"{finding.where}: [{rule_id(finding.rule)} {finding.rule}] {finding.message}. {finding.todo}."), soft_wrap=True)
    if stale:
        console.print(
            Text(f"Stale: {', '.join(stale)}. Their code has changed; read it and mend the model."), soft_wrap=True
        )


@click.command("check", short_help="Check every anchor against git checkouts.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option(
    "--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git repository on this machine, bare or not."
)
@click.option("--at", multiple=True, metavar="[NAME=]REV", help="Also look where the lines are at this revision.")
@click.option(
    "--no-fetch", "fetch", flag_value=False, default=True, help="Ask no remote; what is not here is not checked."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(folder: Path, repos: tuple[str, ...], at: tuple[str, ...], fetch: bool, as_json: bool) -> int:
    """Check every anchor of a model against git, and that no action claims several steps of code as one.

    Exit code: 0 all anchors stand, 1 one is refused or its code has changed,
    3 some could not be checked here.

    \b
    Example: vstack anchor check -p examples/upstream/vllm-32255 --repo vllm=~/src/vllm --at main
    """
    return run(folder, repos=repos, at=at, fetch=fetch, as_json=as_json)
