"""`vstack status`: detached runs and what they have printed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from vstack.keep.detach import as_data, list_runs, read, stop
from vstack.project import load_project


def run(folder: Path, name: str | None, *, wait: float | None, stop_it: bool, as_json: bool) -> int:
    """Show all runs, or one with its output; with ``wait`` (seconds) until it has ended."""
    state = load_project(folder).state
    if name is None:
        runs = list_runs(state)
        if as_json:
            click.echo(json.dumps([as_data(run) for run in runs], indent=1))
        elif not runs:
            click.echo("No detached run in this project. Start one with `--detach`.")
        else:
            for found in runs:
                click.echo(f"{found.id}  {found.state:16}  {found.started}  vstack {' '.join(found.argv)}")
        return 0
    found = read(state / "runs" / name)
    if stop_it:
        stop(found)
    deadline = time.monotonic() + (wait or 0)
    while found.returncode is None and found.alive and time.monotonic() < deadline:
        time.sleep(0.2)
        found = read(found.folder)
    if as_json:
        click.echo(json.dumps({**as_data(found), "output": found.output}, indent=1))
    else:
        click.echo(f"{found.id}: {found.state}, started {found.started}, vstack {' '.join(found.argv)}")
        click.echo(found.output, nl=False)
    if found.returncode is None:
        return 3 if found.alive else 2
    return found.returncode


@click.command("status", short_help="Show detached runs and their output.")
@click.argument("name", required=False)
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--wait", type=float, help="Wait up to so many seconds for the run to end.")
@click.option("--stop", "stop_it", is_flag=True, help="Stop the run as ctrl-C would.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(name: str | None, folder: Path, wait: float | None, stop_it: bool, as_json: bool) -> int:
    """Show detached runs; with a NAME, that run's state and output.

    The exit code is the run's own once it has ended, 3 while it runs, 2 if it died.

    \b
    Example: vstack status 20260101-120000-1a2b --wait 60
    """
    return run(folder, name, wait=wait, stop_it=stop_it, as_json=as_json)
