"""`vstack report`: the HTML page of projects that were checked."""

from __future__ import annotations

from pathlib import Path

import click

from vstack.keep.last import last_report
from vstack.project import load_project
from vstack.report.page import write_page


def run(folders: tuple[Path, ...], output: Path) -> int:
    """Write one page over the last checks of ``folders``.

    Raises:
        VstackError: one was not checked yet, or the page can't be written.
    """
    write_page([last_report(load_project(folder)) for folder in folders], output)
    click.echo(f"The page is in {output}")
    return 0


@click.command("report", short_help="Write the HTML page of one or more checked projects.")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--output", "-o", type=click.Path(path_type=Path), default="report.html", help="Where to write the page.")
def cli(folders: tuple[Path, ...], output: Path) -> int:
    """Write one self-contained HTML page over the last checks of the projects in FOLDERS.

    \b
    Example: vstack report examples/upstream/vllm-32255 -o page.html
    """
    return run(folders or (Path("."),), output)
