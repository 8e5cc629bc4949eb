"""`vstack init`: a small complete project to start from."""

from __future__ import annotations

import json
from pathlib import Path

import click

from vstack.guard.git_hook import install_hook
from vstack.specify.scaffold import project_name, write_project


def run(folder: Path, *, name: str | None, as_json: bool, git_hook: bool = False) -> int:
    """Write the starting project into ``folder``, or install the commit hook of its repository; the exit code (0).

    Raises:
        VstackError: a project, or another hook, is there already, or the folder can't be written.
    """
    if git_hook:
        hook = install_hook(folder)
        click.echo(json.dumps({"written": [str(hook)]}, indent=1) if as_json else f"wrote {hook}")
        return 0
    written = write_project(folder, name or project_name(folder))
    if as_json:
        click.echo(json.dumps({"written": [str(path) for path in written]}, indent=1, ensure_ascii=False))
        return 0
    for path in written:
        click.echo(f"wrote {path}")
    click.echo(
        "Next: `vstack spec show` tells what it requires, `vstack spec approve` makes it count, `vstack check` runs it."
    )
    return 0


@click.command("init", short_help="Write a small complete project to start from.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--name", metavar="NAME", help="The project's name (the folder's, if not given).")
@click.option("--git-hook", is_flag=True, help="Only install the commit hook in the project's repository.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(folder: Path, name: str | None, git_hook: bool, as_json: bool) -> int:
    """Write a small complete project to start from.

    Goals in goals/, a model in model/, vstack.yaml with the expected matrix:
    a page that is handed over while data for its last owner is on its way.
    Nothing that is there already is overwritten. With --git-hook only the
    commit hook is installed, which rejects unapproved changes of pinned files.

    \b
    Example: vstack init -p my-project
    """
    return run(folder, name=name, git_hook=git_hook, as_json=as_json)
