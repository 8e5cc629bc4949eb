"""`vstack spec diff`: what changed since the approval, and whether a changed goal is stronger or weaker."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

import click

from vstack.commands.console import progress
from vstack.errors import VstackError
from vstack.project import LOCK_FILE, Project, load_project
from vstack.reading import project_tools, read_spec
from vstack.specify.base import read_base
from vstack.specify.changes import ABSENT, Change
from vstack.specify.check import check_approval, lock_changes
from vstack.specify.compute import compute_pins
from vstack.specify.diff import Comparison, Witness, World, compare_goals
from vstack.specify.lock import Lock, parse_lock, read_lock
from vstack.specify.pins import Pins
from vstack.specify.telling import tell_change
from vstack.tlc.job import Budget
from vstack.validate.cells import Setting, cell_job


def run(folder: Path, *, base_ref: str | None, seconds: float | None, compare: bool, as_json: bool) -> int:
    """Show each change and compare changed goals with TLC.

    Returns the exit code: 0 nothing changed, 1 something did, 3 a comparison is undecided.

    Raises:
        VstackError: there is no lock to compare with, or the project can't be read.
    """
    project = load_project(folder)
    lock = _lock(project, base_ref)
    # A person decides by this: nothing that could have been put into the cache is believed.
    spec = read_spec(project, fresh=True)
    pins = compute_pins(project, spec)
    changes = lock_changes(project, lock, pins)
    approval, refused = (None, []) if base_ref is not None else check_approval(project, lock)
    comparisons: dict[str, Comparison] = {}
    if compare and spec is not None:
        with progress(project.file.project, quiet=as_json) as on_event:
            goals = _goals_to_compare(lock.pins, pins)
            found = compare_goals(
                goals,
                lock.pins,
                pins,
                spec=spec,
                worlds=_worlds(project, goals, seconds) if goals else [],
                tools=project_tools(project),
                on_world=lambda world: on_event(f"comparing {', '.join(goals)} in {world}"),
            )
            comparisons = {comparison.goal: comparison for comparison in found}
    if as_json:
        data = {
            "sequence": lock.sequence,
            "approval": approval.words if approval is not None else None,
            "refused": [finding.model_dump() for finding in refused],
            "changes": [{**asdict(change), "kind": change.kind} for change in changes],
            "comparisons": [asdict(comparison) for comparison in comparisons.values()],
        }
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
    else:
        if refused:
            click.echo(f"The lock itself does not count as approved: {refused[0].message}.")
        elif approval is not None:
            click.echo(f"Since sequence {lock.sequence}, approved: {approval.words}")
        click.echo("\n".join(_told(changes, comparisons)))
    if any(comparison.relation == "undecided" for comparison in comparisons.values()):
        return 3
    return 1 if changes else 0


def _lock(project: Project, base_ref: str | None) -> Lock:
    if base_ref is None:
        lock = read_lock(project.lock_path)
        if lock is None:
            raise VstackError(
                "Nothing is approved yet, so there is nothing to compare with",
                where=str(project.lock_path),
                todo="`vstack spec show` shows the goals as they stand",
            )
        return lock
    base = read_base(project.root, base_ref)
    if base.lock is None:
        raise VstackError(
            f"{base_ref} has no lock, so there is nothing to compare with", where=f"{base_ref}:{LOCK_FILE}"
        )
    return parse_lock(base.lock, where=f"{base_ref}:{LOCK_FILE}")


def _goals_to_compare(approved: Pins, now: Pins) -> list[str]:
    """Goals on both sides whose closure differs (other words alone need no engine)."""
    found = []
    for name, pin in now.goals.items():
        old = approved.goals.get(name)
        if old is None or not old.definitions or not pin.definitions:
            continue
        if approved.definitions[old.definitions[0]].digest != now.definitions[pin.definitions[0]].digest:
            found.append(name)
    return found


def _worlds(project: Project, goals: Iterable[str], seconds: float | None) -> list[World]:
    """Every variant in every environment, first those expected to violate a goal: they reach what others don't."""
    file = project.file
    variants: list[str | None] = [*file.variants] or [None]
    environments: list[str | None] = [*file.environments] or [None]
    settings = [Setting(variant, environment) for variant in variants for environment in environments]

    def is_kept(setting: Setting) -> bool:
        cells = file.matrix.get(setting.variant or "", {}).get(setting.environment or "", {})
        return all(cells.get(goal) != "violated" for goal in goals)

    worlds = []
    for setting in sorted(settings, key=is_kept):
        job = cell_job(project, setting, [])
        if seconds is not None:
            job = replace(job, budget=Budget(seconds, job.budget.heap_mb))
        worlds.append(World(f"{setting.variant or 'model'} / {setting.environment or 'default'}", job))
    return worlds


def _told(changes: Iterable[Change], comparisons: dict[str, Comparison]) -> list[str]:
    by_goal: dict[str, list[Change]] = {}
    rest: list[Change] = []
    for change in changes:
        if change.section == "goals":
            by_goal.setdefault(change.name.partition(".")[0], []).append(change)
        else:
            rest.append(change)
    lines: list[str] = []
    for goal, its in by_goal.items():
        lines += ["", f"GOAL {goal}"]
        for change in its:
            lines += [f"  {line}" for line in _text_change(change)]
        if goal in comparisons:
            lines += [f"  {line}" for line in _comparison(comparisons[goal])]
    if rest:
        lines += ["", "ELSEWHERE", *(f"  {line}" for change in rest for line in _text_change(change))]
    return lines or ["Nothing has changed."]


def _text_change(change: Change) -> list[str]:
    if ABSENT in (change.before, change.after) or change.definition is None:
        return tell_change(change)
    before, after = change.before.splitlines(), change.after.splitlines()
    shown = list(difflib.unified_diff(before, after, lineterm="", n=5))[3:]
    return [f"{change.where}: {change.words}", *(f"  {line[0]} {line[1:]}" for line in shown)]


_WORDS = {
    "weaker": "WEAKER than approved within the bounds: it accepts what that rejects, and never the other way",
    "stronger": "STRONGER than approved within the bounds: it rejects what that accepts, and never the other way",
    "neither": "NEITHER stronger nor weaker: each accepts something that the other rejects",
    "the same on every reachable state": "THE SAME on every state reached within the bounds",
    "undecided": "UNDECIDED whether stronger or weaker",
}


def _comparison(comparison: Comparison) -> list[str]:
    words = _WORDS[comparison.relation] + (f": {comparison.reason}" if comparison.reason else "")
    if comparison.distinct:
        worlds = ", ".join(comparison.worlds)
        words += f" ({comparison.distinct:,} distinct states in {len(comparison.worlds)} runs: {worlds})"
    return [words + ".", *(line for witness in comparison.witnesses for line in _witness(witness))]


def _witness(witness: Witness) -> list[str]:
    rejected_by = "the goal as approved" if witness.accepted_by == "now" else "the goal as it is now"
    accepted_by = "the goal as it is now" if witness.accepted_by == "now" else "the goal as approved"
    subject = "step" if len(witness.states) > 1 else "state"
    path = " -> ".join(witness.steps) or "the initial state"
    lines = [f"Accepted by {accepted_by}, rejected by {rejected_by}: the {subject} of {witness.world} after {path}"]
    for number, state in enumerate(witness.states):
        lines += ["  then" for _ in range(number)]
        lines += [f"  {name} = {value}" for name, value in state.items()]
    return lines


@click.command("diff", short_help="Show what changed since the approval, and whether it is stronger or weaker.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--base", "base_ref", metavar="REF", help="Compare with the lock on this branch instead of the one here.")
@click.option("--seconds", type=float, metavar="N", help="Budget of each TLC run (the project's, if not given).")
@click.option("--no-compare", "compare", flag_value=False, default=True, help="Show texts alone; run no TLC.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(folder: Path, base_ref: str | None, seconds: float | None, compare: bool, as_json: bool) -> int:
    """Show what changed since the approval: formula before and after, and which helper changed.

    For a changed goal TLC decides, on the states that every variant reaches
    within the bounds, whether it is stronger, weaker or neither, and shows a
    state that one accepts and the other rejects. What TLC can't decide is said
    to be undecided.
    Exit code: 0 nothing changed, 1 something did, 3 a comparison is undecided.

    \b
    Example: vstack spec diff -p examples/upstream/vllm-32255 --base origin/main
    """
    return run(folder, base_ref=base_ref, seconds=seconds, compare=compare, as_json=as_json)
