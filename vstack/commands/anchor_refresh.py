"""`vstack anchor refresh`: new lines for anchors whose code has moved, and what became of code that changed."""

from __future__ import annotations

import json
from pathlib import Path

import click

from vstack.abstract.marks import read_marks
from vstack.abstract.refresh import Proposal, propose, write_proposals
from vstack.abstract.repos import open_repos
from vstack.context import Context
from vstack.project import load_project


def run(
    folder: Path,
    *,
    repos: tuple[str, ...],
    at: str | None,
    only_from: str | None,
    fetch: bool,
    write: bool,
    as_json: bool,
) -> int:
    """Show what to re-anchor, and with ``write`` do it; the exit code (0 nothing is left, 1 something is)."""
    project = load_project(folder)
    marks, _ = read_marks(project, Context(project).spec)
    sources = open_repos(project, repos, fetch=fetch)
    proposals = propose(project, marks, sources, revision=at, only_from=only_from)
    written = write_proposals(proposals) if write else 0
    if as_json:
        click.echo(
            json.dumps(
                {"proposals": [_data(each) for each in proposals], "written": written}, indent=1, ensure_ascii=False
            )
        )
    else:
        _show(proposals, written, write)
    unsettled = [each for each in proposals if each.new is None or not write]
    return 1 if unsettled else 0


def _data(proposal: Proposal) -> dict[str, object]:
    return {
        "for": proposal.owner,
        "where": proposal.anchor.where,
        "anchor": proposal.anchor.place,
        "new": proposal.new,
        "note": proposal.note,
        "diff": list(proposal.diff),
    }


def _show(proposals: tuple[Proposal, ...], written: int, write: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for each in proposals:
        console.print(Text(f"{each.anchor.where}: {each.owner}: {each.note}"))
        console.print(Text(f"  - {each.anchor.place}", style="red" if each.new else ""))
        if each.new:
            console.print(Text(f"  + {each.new}", style="green"))
        for line in each.diff:
            style = {"+": "green", "-": "red"}.get(line[:1], "")
            console.print(Text(f"      {line}", style=style))
    movable = sum(each.new is not None for each in proposals)
    if not proposals:
        console.print("Every anchor is as it should be: nothing to propose.")
    elif write:
        console.print(f"{written} anchors rewritten, {len(proposals) - movable} left for a person to read.")
    else:
        console.print(
            f"{movable} anchors can be rewritten (`--write`), {len(proposals) - movable} need a person to read code."
        )


@click.command("refresh", short_help="Propose new lines for anchors after the code has moved.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option(
    "--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git repository on this machine, bare or not."
)
@click.option("--at", metavar="REV", help="Carry anchors over to this revision.")
@click.option(
    "--from", "only_from", metavar="COMMIT", help="Only anchors recorded at this commit (or its first digits)."
)
@click.option("--no-fetch", "fetch", flag_value=False, default=True, help="Ask no remote.")
@click.option("--write", is_flag=True, help="Rewrite the anchors in the model and in vstack.yaml.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(
    folder: Path, repos: tuple[str, ...], at: str | None, only_from: str | None, fetch: bool, write: bool, as_json: bool
) -> int:
    """Propose new lines for anchors whose code has moved; show code that changed beside its nearest match.

    Without --at, anchors whose hash is not that of their lines are put right
    within their own commit. Changed code is never re-anchored: read it first.
    Exit code: 0 nothing to do or all written, 1 something is left.

    \b
    Example: vstack anchor refresh -p examples/upstream/vllm-32255 --repo vllm=~/src/vllm --at main
    """
    return run(folder, repos=repos, at=at, only_from=only_from, fetch=fetch, write=write, as_json=as_json)
