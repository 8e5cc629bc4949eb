"""What commands share on the terminal: progress, the report as text, detached starts."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console

from vstack.keep.detach import start
from vstack.project import load_project
from vstack.report.table import print_report
from vstack.results import CaseReport

_EVERY_SECONDS = 5.0


@contextmanager
def progress(name: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function that shows what is being done on standard error.

    On a terminal one line is rewritten; elsewhere a line is printed when a
    stage begins and at most every five seconds.
    """
    started = time.monotonic()
    terminal = sys.stderr.isatty()
    last = [0.0]

    def show(text: str) -> None:
        stage = text[:1].isdigit() and text[1:2] == " "
        seconds = time.monotonic() - started
        line = f"[{name} {seconds:5.1f} s] {text}"
        if terminal and not stage:
            width = Console(file=sys.stderr).width
            sys.stderr.write("\r\x1b[2K" + line[: width - 1])
            sys.stderr.flush()
        elif stage or seconds - last[0] >= _EVERY_SECONDS:
            last[0] = seconds
            click.echo(("\r\x1b[2K" if terminal else "") + line, err=True)

    try:
        yield (lambda text: None) if quiet else show
    finally:
        if terminal and not quiet:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def render(report: CaseReport, width: int) -> str:
    """The report's tables as text, in colour on a terminal."""
    out = io.StringIO()
    print_report(report, Console(file=out, width=width, force_terminal=sys.stdout.isatty(), highlight=False))
    return out.getvalue()


def start_detached(folder: Path, arguments: Sequence[str]) -> int:
    """Start the same command in the background and say how to ask for it.

    Raises:
        VstackError: there is no project in ``folder``, or its state folder can't be written.
    """
    project = load_project(folder)
    run = start(project.state, [argument for argument in arguments if argument != "--detach"], cwd=Path.cwd())
    click.echo(f"{run.id} started. Ask for it with: vstack status {run.id} --project {folder}")
    return 0
