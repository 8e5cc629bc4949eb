"""`vstack validate`: matrix, guard removals, mutants and traces, whether or not the goals are approved yet."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from vstack.commands.console import progress, render, start_detached
from vstack.context import cores, open_project
from vstack.files import exclusive, write_atomic
from vstack.keep.check import Options, check_project
from vstack.keep.last import REPORT
from vstack.keep.outcome import EXIT
from vstack.terminal import terminal_width


def run(folder: Path, *, jobs: int | None, as_json: bool, quiet: bool) -> int:
    """Run the stage and print its tables; goals are taken as they stand, without a look at the lock.

    Raises:
        VstackError: the project, a module or a tool can't be read or run.
    """
    context = open_project(folder)
    name = context.project.file.project
    options = Options(jobs=jobs or cores(), stages=frozenset({"validate"}))
    with (
        exclusive(context.project.state / "run.lock", what=f"the project {name}"),
        progress(name, quiet=quiet) as on_event,
    ):
        report = check_project(context, options, on_event)
        write_atomic(context.project.state / REPORT, report.model_dump_json())
    if as_json:
        click.echo(report.model_dump_json(indent=1))
    else:
        click.echo(render(report, terminal_width()), nl=False)
        click.echo("The goals were taken as they stand; `vstack check` compares them with what was approved.")
    return EXIT[report.outcome]


@click.command("validate", short_help="Run the matrix, guard removals, mutants and traces of a project.")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--jobs", "-j", type=click.IntRange(1, 64), help="Engine runs side by side (default: one per core).")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
@click.option("--detach", is_flag=True, help="Go on in the background; ask with `vstack status`.")
def cli(folder: Path, jobs: int | None, as_json: bool, quiet: bool, detach: bool) -> int:
    """Validate a model before any proof counts: the buggy code must fail, the fix pass, each guard be needed.

    Goals need not be approved for this, so that a draft can be tried.

    \b
    Example: vstack validate examples/upstream/vllm-32255
    """
    if detach:
        return start_detached(folder, sys.argv[1:])
    return run(folder, jobs=jobs, as_json=as_json, quiet=quiet)
