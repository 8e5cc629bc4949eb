"""`vstack spec approve`: a person approves the project as it stands, with an SSH signature."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from vstack.errors import RefusedError, VstackError
from vstack.files import exclusive
from vstack.keep.last import last_report
from vstack.project import Project, load_project
from vstack.reading import read_spec
from vstack.specify.approval import Verified
from vstack.specify.approve import approve, approve_for_demo, approved_lock, lock_to_sign, refuse_in_ci
from vstack.specify.check import check_approval, check_lock, lock_changes
from vstack.specify.compute import compute_pins
from vstack.specify.lock import DEMO_LABEL, Lock
from vstack.specify.pins import Pins
from vstack.specify.plain_text import check_plain_text
from vstack.specify.telling import tell_change, tell_goal, tell_settings, tell_world
from vstack.verdicts import Verdict
from vstack.verify.z3_goal import z3_formulas


def run(
    folder: Path,
    *,
    key: Path | None,
    principal: str | None,
    demo: bool,
    yes: bool,
    as_json: bool,
    environ: Mapping[str, str] = os.environ,
    confirm: Callable[[str], bool] | None = None,
) -> int:
    """Show what would be approved, ask, sign and write the lock; the exit code (0 approved, 1 the person said no).

    Raises:
        RefusedError: a CI job, no terminal to ask on, a damaged lock, or text that shows otherwise than it is.
        VstackError: the project can't be read, or the key can't sign or is no approver's.
    """
    refuse_in_ci(environ)
    if demo == (key is not None):
        raise click.UsageError("Give either --key PATH or --demo.")
    project = load_project(folder)
    with exclusive(project.state / "spec.lock", what="this project's goals or lock"):
        spec = read_spec(project, fresh=True)
        deceiving = check_plain_text(project, spec)
        if deceiving:
            raise RefusedError(deceiving[0].message, where=deceiving[0].where, todo=deceiving[0].todo)
        pins = compute_pins(project, spec)
        lock = lock_to_sign(project, pins)
        if not as_json:
            click.echo("\n".join([*_shown(project, pins), *_measured(project)]))
        if not yes and not (confirm or _ask)(f"Approve this as sequence {lock.sequence} of {project.file.project}?"):
            click.echo("Not approved; nothing was written.", err=True)
            return 1
        signed = (
            approve_for_demo(project, lock)
            if key is None
            else approve(project, lock, key=key.expanduser(), principal=principal)
        )
    verified, refused = check_approval(project, signed)
    if verified is None:
        raise RefusedError(
            f"The approval was written but does not count: {refused[0].message}", where=str(project.lock_path)
        )
    _tell(signed, verified, as_json)
    return 0


def _tell(signed: Lock, verified: Verified, as_json: bool) -> None:
    if as_json:
        data = {
            "sequence": signed.sequence,
            "approver": verified.principal,
            "touch": verified.touch,
            "demo": verified.is_demo,
        }
        click.echo(json.dumps(data, indent=1))
        return
    click.echo(f"Sequence {signed.sequence} approved: {verified.words}. Commit vstack.lock and vstack.approvers.")
    if not verified.touch and not verified.is_demo:
        click.echo(
            "This key proves no touch: in CI it counts only where the target branch's policy allows software keys."
        )


def _shown(project: Project, pins: Pins) -> list[str]:
    """The changes since the lock that stands approved; everything where none does."""
    standing = approved_lock(project)
    if standing is None:
        _, rows = check_lock(project, pins)
        goals = [line for row in rows for line in (*tell_goal(pins, row, z3_formulas(project, row.name)), "")]
        return [*goals, *tell_world(project, pins), *tell_settings(pins), ""]
    changes = lock_changes(project, standing, pins)
    if not changes:
        return [f"Nothing has changed since sequence {standing.sequence}; this adds a signature to it."]
    lines = [line for change in changes for line in tell_change(change)]
    for goal in dict.fromkeys(change.name.partition(".")[0] for change in changes if change.section == "goals"):
        # A Z3 goal's change is one of hashes: what it states now is told in full.
        formulas = z3_formulas(project, goal) if goal in project.file.goals else {}
        lines += [f"{goal} now states", *(f"  {name}: {formula}" for name, formula in formulas.items())] if formulas else []
    return lines


def _measured(project: Project) -> list[str]:
    """How many states the last check's complete runs had, beside their floors: a model that lost some may have lost steps.

    Each run is told once, for all goals that it decided.
    """
    try:
        report = last_report(project)
    except VstackError:
        return []
    counts: dict[tuple[str, str], int] = {}
    for cell in report.cells:
        if cell.evidence.verdict is Verdict.HOLDS and cell.variant in project.file.variants:
            counts[cell.variant, cell.environment] = cell.evidence.numbers.distinct
    if not counts:
        return []
    lines = ["Distinct states of the complete runs of the last check, and their floors:"]
    for (variant, environment), distinct in counts.items():
        floor = project.file.floors.of(variant, environment)
        lines.append(f"  {variant} / {environment}: {distinct:,} states, floor {floor:,}")
    if any(distinct >= 2 * project.file.floors.of(*names) for names, distinct in counts.items()):
        lines.append("  A model that loses states may have lost steps of the code: `floors.states` holds a floor for each run.")
    return [*lines, ""]


def _ask(question: str) -> bool:
    if not sys.stdin.isatty():
        raise RefusedError(
            "An approval asks a person, and there is no terminal to ask on",
            todo="Run it in a terminal, or say --yes if a person has looked at it",
        )
    return click.confirm(question)


@click.command("approve", short_help="Approve the goals as they stand, with an SSH signature.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option(
    "--key", type=click.Path(path_type=Path), help="Your private SSH key, or the public key of one in the agent."
)
@click.option(
    "--as", "principal", metavar="NAME", help="Approve under this name (an e-mail address in vstack.approvers)."
)
@click.option("--demo", is_flag=True, help=f"Sign with a throwaway key instead ({DEMO_LABEL}).")
@click.option("--yes", is_flag=True, help="Don't ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(folder: Path, key: Path | None, principal: str | None, demo: bool, yes: bool, as_json: bool) -> int:
    """Approve goals, environment, assumptions, bounds, matrix and excuses as they stand.

    Shows what has changed since the last approval (everything, at the first),
    asks, signs with `ssh-keygen -Y sign` and writes vstack.lock. A security key
    (`ssh-keygen -t ed25519-sk`) proves that a person touched it. Refused in CI.

    \b
    Example: vstack spec approve --key ~/.ssh/id_ed25519_sk
    """
    return run(folder, key=key, principal=principal, demo=demo, yes=yes, as_json=as_json)
