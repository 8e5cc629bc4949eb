"""`vstack ci`: check projects against the lock, approvers and policy of the base branch."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from vstack.abstract.git_objects import run_git
from vstack.audit.catalog import rule_id
from vstack.commands.console import progress, render
from vstack.context import cores, open_project
from vstack.errors import VstackError
from vstack.files import write_atomic
from vstack.forge.annotations import annotations
from vstack.forge.junit import junit
from vstack.forge.problems import Problem, problems
from vstack.forge.sarif import sarif
from vstack.forge.summary import summary
from vstack.keep.check import Options, check_project
from vstack.keep.evidence import EvidenceStore
from vstack.keep.outcome import EXIT
from vstack.project import LOCK_FILE, PROJECT_FILE
from vstack.results import CaseReport
from vstack.specify.base import read_base
from vstack.terminal import terminal_width


@dataclass(frozen=True)
class Outputs:
    """Files to write besides the report."""

    sarif: Path | None = None
    junit: Path | None = None
    summary: Path | None = None


def run(
    folders: tuple[Path, ...],
    *,
    base: str,
    repos: tuple[str, ...],
    fetch: bool,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    outputs: Outputs = Outputs(),
) -> int:
    """Check each project with everything recomputed: no evidence or cache of the working tree is believed.

    Returns the gravest of the exit codes.

    Raises:
        VstackError: the base can't be read, or a project or tool can't be read or run.
    """
    gone = () if folders else _gone(base)
    lost = [_lost(place, base) for place in gone]
    for problem in lost:
        click.echo(f"{problem.rule} {problem.name}: {problem.message}")
    codes = [1] if gone else []
    reports: list[CaseReport] = []
    for folder in folders or _projects(allow_none=bool(gone)):
        context = open_project(folder, fresh=True)
        name = context.project.file.project
        with tempfile.TemporaryDirectory(prefix="vstack-ci-") as scratch, progress(name, quiet=quiet) as on_event:
            options = Options(
                repos=repos,
                fetch=fetch,
                jobs=jobs or cores(),
                base=read_base(context.project.root, base),
                store=EvidenceStore(Path(scratch)),
            )
            report = check_project(context, options, on_event)
        click.echo(report.model_dump_json(indent=1) if as_json else render(report, terminal_width()), nl=as_json)
        reports.append(report)
        codes.append(EXIT[report.outcome])
    _hand_over(reports, lost, outputs)
    return min(codes, key=[2, 1, 3, 0].index)


def _projects(*, allow_none: bool) -> tuple[Path, ...]:
    """The folders of all projects that git tracks below the current folder."""
    status, listed, _ = run_git(["ls-files", "-z", "--", f"*{PROJECT_FILE}"])
    names = [name for name in os.fsdecode(listed).split("\0") if Path(name).name == PROJECT_FILE]
    if status != 0 or not (names or allow_none):
        raise VstackError("git tracks no vstack.yaml here", where=os.getcwd(), todo="Name the projects' folders")
    return tuple(Path(name).parent for name in names)


def _gone(base: str) -> tuple[str, ...]:
    """Folders below this one where ``base`` has a project or a lock and this tree has no regular `vstack.yaml`.

    Leaving a project out must not be a way past its checks.
    """
    commit = read_base(Path.cwd(), base).commit
    status, listed, problem = run_git(["ls-tree", "-r", "-z", "--name-only", commit, "."])
    if status != 0:
        raise VstackError(f"The projects of {base} can't be listed: {problem}", where=os.getcwd())
    marks = {PROJECT_FILE, LOCK_FILE}
    held = {str(Path(name).parent) for name in os.fsdecode(listed).split("\0") if Path(name).name in marks}
    return tuple(sorted(place for place in held if not _is_project(Path(place))))


def _is_project(folder: Path) -> bool:
    """Whether ``folder`` holds a project of this very tree: no file or folder on the way is a link."""
    file = folder / PROJECT_FILE
    links = (file, *(parent for parent in file.parents if parent != Path(".")))
    status, _, _ = run_git(["ls-files", "--error-unmatch", "--", str(file)])
    return file.is_file() and not any(link.is_symlink() for link in links) and status == 0


def _lost(place: str, base: str) -> Problem:
    name = "project-gone"
    text = f"{base} holds a project in {place or '.'} that is not here: refused."
    text += " Restore it, or let a code owner remove it on the target branch."
    return Problem(rule_id(name), name, str(Path(place) / PROJECT_FILE), 1, text, "error")


def _hand_over(reports: Sequence[CaseReport], lost: Sequence[Problem], outputs: Outputs) -> None:
    """Write what the forge reads, and annotate the diff where GitHub runs us."""
    root = Path.cwd()
    found = [*lost, *(problem for report in reports for problem in problems(report, root=root))]
    if outputs.sarif is not None:
        write_atomic(outputs.sarif, sarif(found))
    if outputs.junit is not None:
        write_atomic(outputs.junit, junit(reports, root=root))
    summary_file = outputs.summary or _step_summary()
    if summary_file is not None:
        before = summary_file.read_text(encoding="utf-8") if summary_file.exists() else ""
        write_atomic(summary_file, before + summary(reports, root=root))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in annotations(found):
            click.echo(line)


def _step_summary() -> Path | None:
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(place) if place and os.environ.get("GITHUB_ACTIONS") == "true" else None


@click.command("ci", short_help="Check a pull request against the base branch's lock.")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--base", required=True, metavar="REF", help="The target branch's tip, for example origin/main.")
@click.option("--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git checkout that anchors are checked in.")
@click.option("--fetch", is_flag=True, help="Fetch the commits of anchors from the remotes in vstack.yaml (shallow).")
@click.option("--jobs", "-j", type=click.IntRange(1, 64), help="Engine runs side by side (default: one per core).")
@click.option("--sarif", "sarif_file", type=click.Path(path_type=Path), help="Write what is wrong as SARIF 2.1.0.")
@click.option("--junit", "junit_file", type=click.Path(path_type=Path), help="Write every cell as a JUnit test case.")
@click.option("--summary", "summary_file", type=click.Path(path_type=Path), help="Add a summary in Markdown to this file (in GitHub Actions: the step's).")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def cli(
    folders: tuple[Path, ...],
    base: str,
    repos: tuple[str, ...],
    fetch: bool,
    jobs: int | None,
    sarif_file: Path | None,
    junit_file: Path | None,
    summary_file: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Check the projects in FOLDERS (default: all that git tracks here) as a gate.

    The lock, approvers and policy of the base branch decide; nothing in
    `.vstack` is believed, every run is made anew.

    \b
    Example: vstack ci --base origin/main
    """
    outputs = Outputs(sarif_file, junit_file, summary_file)
    return run(
        folders, base=base, repos=repos, fetch=fetch, jobs=jobs, as_json=as_json, quiet=quiet, outputs=outputs
    )
