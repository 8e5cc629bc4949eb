"""`vstack ci`: check projects against the lock, approvers and policy of the base branch."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from vstack.commands.console import progress, render
from vstack.context import cores, open_project
from vstack.errors import VstackError
from vstack.files import write_atomic
from vstack.forge.annotations import annotation_lines
from vstack.forge.junit import junit
from vstack.forge.problems import Problem, problem_of, problems
from vstack.forge.sarif import sarif
from vstack.forge.summary import summary
from vstack.keep.bundle import Believed, BelievingStore, evidence_words, read_bundle, write_bundle
from vstack.keep.check import Options, check_project
from vstack.keep.outcome import EXIT
from vstack.keep.projects import folder_in_repository, lost_projects, must_be_tip, tracked_projects
from vstack.results import CaseReport
from vstack.specify.base import read_base
from vstack.terminal import terminal_width


@dataclass(frozen=True)
class Outputs:
    """Files to write besides the report."""

    sarif: Path | None = None
    junit: Path | None = None
    summary: Path | None = None


@dataclass(frozen=True)
class Cache:
    """The folder with signed bundles of evidence, and the new one that a run of the target branch itself writes to."""

    folder: Path | None = None
    save: Path | None = None


def run(
    folders: tuple[Path, ...],
    *,
    base: str,
    repos: tuple[str, ...],
    fetch: bool,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    first_adoption: bool = False,
    cache: Cache = Cache(),
    outputs: Outputs = Outputs(),
) -> int:
    """Check each project with everything recomputed: no evidence or cache of the working tree is believed.

    Of the cache of CI runs only what the target branch's own run signed is.

    Returns the gravest of the exit codes.

    Raises:
        VstackError: the base can't be read, or a project or tool can't be read or run.
    """
    lost = [] if folders else [problem_of(finding, root=Path.cwd()) for finding in lost_projects(base)]
    for problem in lost:
        click.echo(f"{problem.rule} {problem.name}: {problem.message}")
    codes = [1] if lost else []
    reports: list[CaseReport] = []
    for folder in folders or tracked_projects(allow_none=bool(lost)):
        context = open_project(folder, fresh=True)
        name = context.project.file.project
        with tempfile.TemporaryDirectory(prefix="vstack-ci-") as scratch, progress(name, quiet=quiet) as on_event:
            tip = read_base(context.project.root, base)
            place = folder_in_repository(context.project.root)
            if cache.save:
                must_be_tip(context.project.root, tip)
            believed = read_bundle(cache.folder, context.project, place, tip) if cache.folder else Believed()
            store = BelievingStore(Path(scratch) / "evidence", believed.records)
            options = Options(
                repos=repos,
                fetch=fetch,
                jobs=jobs or cores(),
                base=tip,
                store=store,
                repos_cache=Path(scratch) / "repos",
                first_adoption=first_adoption,
            )
            report = check_project(context, options, on_event)
            report = report.model_copy(update={"evidence": evidence_words(believed, store)})
            if cache.save and store.used:
                write_bundle(cache.save, context.project, place, tip, store)
        click.echo(report.model_dump_json(indent=1) if as_json else render(report, terminal_width()), nl=as_json)
        reports.append(report)
        codes.append(EXIT[report.outcome])
    _hand_over(reports, lost, outputs)
    return min(codes, key=[2, 1, 3, 0].index)


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
        write_atomic(summary_file, before + summary(reports, root=root, lost=lost))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in annotation_lines(found):
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
@click.option("--first-adoption", is_flag=True, help="Let projects pass that the target branch has no lock and no approvers of; the report says so.")
@click.option("--cache", "cache_folder", type=click.Path(path_type=Path), help="Believe the evidence in this folder that the target branch's run signed.")
@click.option("--trusted", "save", type=click.Path(path_type=Path), metavar="NEW-FOLDER", help="This is a run of the target branch itself: write its evidence there, to be signed.")
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
    first_adoption: bool,
    cache_folder: Path | None,
    save: Path | None,
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
    if save is not None and save.exists() and any(save.iterdir()):
        # Whoever signs signs all that lies there.
        raise VstackError("The folder for evidence is not empty", where=str(save), todo="Name one that does not exist yet")
    outputs = Outputs(sarif_file, junit_file, summary_file)
    return run(
        folders,
        base=base,
        repos=repos,
        fetch=fetch,
        jobs=jobs,
        as_json=as_json,
        quiet=quiet,
        first_adoption=first_adoption,
        cache=Cache(cache_folder, save),
        outputs=outputs,
    )
