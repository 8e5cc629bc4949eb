"""`vstack ci`: check projects against the lock, approvers and policy of the base branch."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import click

from vstack.audit.catalog import rule_id
from vstack.commands.console import progress, render
from vstack.context import cores, open_project
from vstack.errors import VstackError
from vstack.files import write_atomic
from vstack.forge.annotations import annotation_lines, commands_stopped
from vstack.forge.junit import junit
from vstack.forge.problems import Problem, problem_of, problems
from vstack.forge.sarif import sarif
from vstack.forge.summary import summary
from vstack.keep.bundle import Believed, BelievingStore, evidence_words, read_bundle, read_parts, write_bundle
from vstack.keep.check import Options, check_project
from vstack.keep.outcome import EXIT, finding_line
from vstack.keep.part import run_part
from vstack.keep.projects import folder_in_repository, head_commit, lost_projects, must_be_tip, tracked_projects
from vstack.project import PROJECT_FILE
from vstack.results import CaseReport, Finding
from vstack.shard import Shard, parse_shard
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
    """Evidence of other runs, in folders.

    ``signed`` holds bundles that the target branch's run signed, ``save`` is the
    new one that such a run writes to. ``shard`` makes this run one part of
    several, written to ``parts``; without it ``parts`` are joined.
    """

    signed: Path | None = None
    save: Path | None = None
    shard: Shard | None = None
    parts: Path | None = None


@dataclass(frozen=True)
class How:
    """What each project is checked against, and how: see the command's options."""

    base: str
    repos: tuple[str, ...] = ()
    fetch: bool = False
    jobs: int | None = None
    first_adoption: bool = False
    cache: Cache = Cache()


def run(folders: tuple[Path, ...], how: How, outputs: Outputs, *, as_json: bool, quiet: bool) -> int:
    """Check each project with everything recomputed: no evidence or cache of the working tree is believed.

    Of the cache of CI runs only what the target branch's own run signed is. A
    project that can't be read or run is told, and the others are checked.
    Returns the gravest of the exit codes.

    Raises:
        VstackError: the base can't be read, or an output can't be written.
    """
    # JSON has no line that could be a command, and must stay JSON.
    with nullcontext() if as_json or not _on_github() else commands_stopped(click.echo):
        codes, reports, lost = _all(folders, how, as_json=as_json, quiet=quiet)
    if how.cache.shard is None:
        _hand_over(reports, [problem_of(finding, root=Path.cwd()) for finding in lost], outputs)
    return min(codes, key=[2, 1, 3, 0].index)


def _all(
    folders: tuple[Path, ...], how: How, *, as_json: bool, quiet: bool
) -> tuple[list[int], list[CaseReport], list[Finding]]:
    """Every project, told as it is checked: exit codes, reports, and what is wrong besides."""
    lost = [] if folders else list(lost_projects(how.base))
    for finding in lost:
        click.echo(f"{rule_id(finding.rule)} {finding_line(finding)}. {finding.todo}.")
    codes = [1] if lost else []
    reports: list[CaseReport] = []
    for folder in folders or tracked_projects(allow_none=bool(lost)):
        try:
            code, report = _one(folder, how, quiet=quiet)
        except VstackError as error:
            click.echo(f"Error: {error.paragraph()}", err=True)
            codes.append(error.exit_code)
            lost.append(_unread(folder, error))
            continue
        codes.append(code)
        if report is not None:
            click.echo(report.model_dump_json(indent=1) if as_json else render(report, terminal_width()), nl=as_json)
            reports.append(report)
    return codes, reports, lost


def _one(folder: Path, how: How, *, quiet: bool) -> tuple[int, CaseReport | None]:
    """One project: its exit code and report; a shard has no report."""
    context = open_project(folder, fresh=True)
    root, name, cache = context.project.root, context.project.file.project, how.cache
    with tempfile.TemporaryDirectory(prefix="vstack-ci-") as scratch, progress(name, quiet=quiet) as on_event:
        tip = read_base(root, how.base)
        if cache.save:
            must_be_tip(root, tip)
        place, head = folder_in_repository(root), head_commit(root)
        believed = read_bundle(cache.signed, context.project, place, tip) if cache.signed else Believed()
        if cache.parts and cache.shard is None:
            believed = believed.joined(read_parts(cache.parts, context.project, place, head))
        store = BelievingStore(Path(scratch) / "evidence", believed.records)
        options = Options(
            repos=how.repos,
            fetch=how.fetch,
            jobs=how.jobs or cores(),
            base=tip,
            store=store,
            repos_cache=Path(scratch) / "repos",
            first_adoption=how.first_adoption,
        )
        if cache.shard is not None and cache.parts is not None:
            refused = run_part(context, options, cache.shard, on_event)
            if not refused:
                write_bundle(cache.parts, context.project, place, head, store, cache.shard)
            return _tell_part(name, cache.shard, len(store.used), refused), None
        report = check_project(context, options, on_event)
        report = report.model_copy(update={"evidence": evidence_words(believed, store)})
        if cache.save and store.used:
            write_bundle(cache.save, context.project, place, tip.commit, store)
    return EXIT[report.outcome], report


def _unread(folder: Path, error: VstackError) -> Finding:
    where = error.where or str(folder / PROJECT_FILE)
    return Finding(rule="could-not-check", where=where, message=f"{folder}: {error.what}", todo=error.todo or "")


def _tell_part(name: str, shard: Shard, records: int, refused: Sequence[Finding]) -> int:
    """Say what one part came to, which is never an outcome; the exit code."""
    for finding in refused:
        click.echo(f"{name}: {rule_id(finding.rule)} {finding_line(finding)}. {finding.todo}")
    if refused:
        return 1
    click.echo(f"{name}: shard {shard}: {records} records for the job that joins the parts. A part has no outcome.")
    return 0


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
        write_atomic(summary_file, before + summary(reports, root=root, lost=lost, used=len(before.encode())))
    if _on_github():
        for line in annotation_lines(found):
            click.echo(line)


def _step_summary() -> Path | None:
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(place) if place and _on_github() else None


def _on_github() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


@click.command("ci", short_help="Check a pull request against the base branch's lock.")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--base", required=True, metavar="REF", help="The target branch's tip, for example origin/main.")
@click.option("--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git checkout that anchors are checked in.")
@click.option("--fetch", is_flag=True, help="Fetch the commits of anchors from the remotes in vstack.yaml (shallow).")
@click.option("--jobs", "-j", type=click.IntRange(1, 64), help="Engine runs side by side (default: one per core).")
@click.option("--first-adoption", is_flag=True, help="Let projects pass that the target branch has no lock and no approvers of; the report says so.")
@click.option("--cache", "cache_folder", type=click.Path(path_type=Path), help="Believe the evidence in this folder that the target branch's run signed.")
@click.option("--trusted", "save", type=click.Path(path_type=Path), metavar="NEW-FOLDER", help="This is a run of the target branch itself: write its evidence there, to be signed.")
@click.option("--shard", metavar="K/N", help="Make only this part of the engine runs, for --join; it has no outcome of its own.")
@click.option("--parts", type=click.Path(path_type=Path), help="The folder that --shard writes its part to.")
@click.option("--join", type=click.Path(path_type=Path), help="Check with the parts in this folder, all N of them.")
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
    shard: str | None,
    parts: Path | None,
    join: Path | None,
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
    Example: vstack ci --base origin/main --shard 2/4 --parts parts
    """
    if save is not None and save.exists() and any(save.iterdir()):
        # Whoever signs signs all that lies there.
        raise VstackError("The folder for evidence is not empty", where=str(save), todo="Name one that does not exist yet")
    outputs = Outputs(sarif_file, junit_file, summary_file)
    cache = Cache(cache_folder, save, parse_shard(shard) if shard else None, parts or join)
    if (shard is None) != (parts is None) or (shard and (join or save or outputs != Outputs() or as_json)):
        todo = "Write `--shard K/N --parts FOLDER` in each job; reports and evidence come from the one with `--join FOLDER`"
        raise VstackError("A shard writes its part and nothing else", todo=todo)
    how = How(base, repos, fetch, jobs, first_adoption, cache)
    return run(folders, how, outputs, as_json=as_json, quiet=quiet)
