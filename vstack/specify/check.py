"""Compare a project with its lock: who approved it, and what has changed since."""

from __future__ import annotations

from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.files import read_text
from vstack.project import LOCK_FILE, PROJECT_FILE, Project
from vstack.results import Finding, GoalRow
from vstack.specify.approval import Verified, verify
from vstack.specify.approvers import APPROVERS_FILE
from vstack.specify.base import Base
from vstack.specify.changes import Change, compare
from vstack.specify.clock import latest
from vstack.specify.lock import Lock, parse_lock, read_lock
from vstack.specify.pins import Pins
from vstack.specify.policy import read_policy
from vstack.specify.settings import Leaf, Lines
from vstack.specify.waivers import check_waiver_dates

# Refuses, but hides nothing: what was approved nowhere can still be run, so that a code owner sees what comes out.
FIRST = "first-adoption"
_APPROVE = "Look at it with `vstack spec diff`; a person approves with `vstack spec approve`"


def check_lock(
    project: Project, pins: Pins, *, base: Base | None = None, first_adoption: bool = False
) -> tuple[tuple[Finding, ...], tuple[GoalRow, ...]]:
    """What a lock check refuses, and a row for each goal.

    ``pins`` are the project's own, now. Without ``base`` this is the check of a
    working tree: its own approvers file counts, and a software key is enough.
    With ``base``, the target branch, that branch's approvers and policy count,
    the lock must be that branch's or come after it, and its signature must
    prove a touch unless the policy there says otherwise or the branch holds
    this very lock. Where that branch has neither lock nor approvers, the
    project's own are compared, and count for nobody's approval: that is refused
    (``FIRST``), unless the caller lets projects in with ``first_adoption``.

    Raises:
        VstackError: the policy or an approvers file doesn't parse.
    """
    read_policy(project.file.policy, where=str(project.root / PROJECT_FILE))
    try:
        lock = read_lock(project.lock_path)
    except RefusedError as error:
        return (_finding("lock-unreadable", error),), _rows(project, pins, None, None)
    if lock is None:
        finding = Finding(
            rule="no-lock",
            where=str(project.lock_path),
            message="Nothing is approved yet: the project has no vstack.lock",
            todo="A person looks at the goals with `vstack spec show` and approves with `vstack spec approve`",
        )
        return (finding,), _rows(project, pins, None, None)
    findings: list[Finding] = []
    if lock.project != project.file.project:
        findings.append(
            Finding(
                rule="lock-of-another-project",
                where=str(project.lock_path),
                message=f"The lock is for the project `{lock.project}`, this is `{project.file.project}`",
                todo="Restore the lock with git",
            )
        )
    older, problems = _older(base)
    findings += problems
    if base is not None and older is not None:
        findings += _succession(project, lock, older, base)
    if base is not None and base.lock is None:
        approval, refused = _first(project, lock, base, first_adoption)
    else:
        merged = older is not None and older.digest == lock.digest
        approval, refused = check_approval(project, lock, base, merged=merged)
    findings += refused
    findings += _idle_environment(project, pins)
    findings += [_unapproved(project, change) for change in lock_changes(project, lock, pins)]
    findings += check_waiver_dates(project, lock, base)
    return tuple(findings), _rows(project, pins, lock, approval)


def lock_changes(project: Project, lock: Lock, pins: Pins) -> tuple[Change, ...]:
    """What differs from ``lock`` now; places are relative to the project."""
    lines = Lines(read_text(project.root / PROJECT_FILE))

    def place(path: Leaf) -> str:
        # Some settings are read from elsewhere: the names and marks of the model's actions, and its own configuration.
        if path[0] in ("actions", "actions without code"):
            return f"{project.model.module}:1"
        if path[0] == "config" and project.model.config is not None:
            return f"{project.model.config}:1"
        return f"{PROJECT_FILE}:{lines.line(path)}"

    return compare(lock.pins, pins, place=place)


def _idle_environment(project: Project, pins: Pins) -> list[Finding]:
    """Environment actions that the next-state relation does not take: pinned, and yet without effect."""
    if "actions" not in pins.settings:
        return []
    idle = [name for name in project.file.environment_actions if name not in pins.settings["actions"].value]
    line = Lines(read_text(project.root / PROJECT_FILE)).line(("environment_actions",))
    return [
        Finding(
            rule="environment-not-taken",
            where=f"{project.root / PROJECT_FILE}:{line}",
            message=f"The environment action {name} is not an action of {project.model.next}",
            todo=f"Let {project.model.next} take it by its name, or strike it from `environment_actions`",
        )
        for name in idle
    ]


def _older(base: Base | None) -> tuple[Lock | None, list[Finding]]:
    """The target branch's lock."""
    if base is None or base.lock is None:
        return None, []
    try:
        return parse_lock(base.lock, where=f"{base.ref}:{LOCK_FILE}"), []
    except RefusedError as error:
        return None, [_finding("base-lock-unreadable", error)]


def _first(project: Project, lock: Lock, base: Base, let_in: bool) -> tuple[Verified | None, list[Finding]]:
    """The approval of the first lock: by the target branch's approvers, or by nobody whom that branch knows."""
    own = base.approvers is None
    approval, refused = check_approval(project, lock, None if own else base)
    if refused or approval is None:
        return None, refused
    what = f"First adoption: {base.ref} holds no lock of this project"
    if not own:
        what += f". This one (sequence {lock.sequence}) is approved by {approval.words}, whom {base.ref} lists"
        return approval, [Finding(rule="first-adoption", where=str(project.lock_path), message=what, outcome="note")]
    what += " and no approvers, so nothing of it is approved there. It is checked against its own lock and approvers"
    what += f" (signature: {approval.words}): whether its goals say what they should, nobody on {base.ref} has said"
    finding = Finding(
        rule="first-adoption",
        where=str(project.lock_path),
        message=what,
        todo="A code owner reads the goals with `vstack spec show`, and merges knowingly; a workflow of the target"
        " branch lets first adoptions pass with `vstack ci --first-adoption`",
        outcome="note" if let_in else "refused",
    )
    return None, [finding]


def _succession(project: Project, lock: Lock, older: Lock, base: Base) -> list[Finding]:
    if older.digest == lock.digest:
        return []
    where, todo = str(project.lock_path), f"Rebase onto {base.ref} and approve again on top of its lock"
    if lock.sequence <= older.sequence:
        what = f"The lock has sequence {lock.sequence}, {base.ref} is at {older.sequence}: an older or a rival lock"
        return [Finding(rule="lock-not-newer", where=where, message=what, todo=todo)]
    if not lock.follows(older):
        what = f"The lock does not come after the one on {base.ref} (its hash is not among the previous ones)"
        return [Finding(rule="lock-not-successor", where=where, message=what, todo=todo)]
    return []


def check_approval(
    project: Project, lock: Lock, base: Base | None = None, *, merged: bool = False
) -> tuple[Verified | None, list[Finding]]:
    """The approval of ``lock`` that counts most, or the findings why none counts.

    ``merged`` says that the target branch holds this very lock: then a code
    owner has approved it there.
    """
    if base is None:
        path = project.root / APPROVERS_FILE
        where, approvers = str(path), read_text(path) if path.exists() else None
    else:
        where, approvers = f"{base.ref}:{APPROVERS_FILE}", base.approvers
    if approvers is None:
        missing = Finding(
            rule="no-approvers",
            where=where,
            message="No approvers file says whose approval counts",
            todo="Add vstack.approvers with a line `you@example.org ssh-ed25519 AAAA...` for each approver"
            + ("" if base is None else f", and let a code owner merge it to {base.ref}"),
        )
        return None, [missing]
    if not lock.approvals:
        unsigned = Finding(
            rule="no-approval", where=str(project.lock_path), message="No one has approved the lock", todo=_APPROVE
        )
        return None, [unsigned]
    proven = latest(project, lock, base)[0] if "valid-before" in approvers.lower() else None
    valid: list[Verified] = []
    refused: list[Finding] = []
    for approval in lock.approvals:
        try:
            valid.append(verify(lock, approval, approvers, where=where, proven=proven))
        except RefusedError as error:
            refused.append(_finding("approval-not-valid", error))
    if not valid:
        return None, refused
    best = max(valid, key=lambda one: (not one.is_demo, one.touch, one.verified))
    if base is None or merged or base.policy.software_keys or any(one.touch for one in valid):
        return best, []
    untouched = Finding(
        rule="no-touch",
        where=str(project.lock_path),
        message=f"The approval by {best.principal} does not prove a person's touch ({best.key_type})",
        todo="Approve with a security key (`ssh-keygen -t ed25519-sk`), or let a code owner merge the lock",
    )
    return None, [untouched]


def _unapproved(project: Project, change: Change) -> Finding:
    return Finding(
        rule="unapproved-change",
        where=str(project.root / change.where) if change.where else str(project.lock_path),
        message=f"Not approved: {change.words}",
        todo=_APPROVE,
    )


def _finding(rule: str, error: VstackError) -> Finding:
    return Finding(rule=rule, where=error.where or "", message=error.what, todo=error.todo or "")


def _rows(project: Project, pins: Pins, lock: Lock | None, approval: Verified | None) -> tuple[GoalRow, ...]:
    rows = []
    for name, goal in project.file.goals.items():
        pin = pins.goals[name]
        approved_pin = lock.pins.goals.get(name) if lock is not None else None
        same = approved_pin is not None and approved_pin.digest == pin.digest
        counts = same and approval is not None
        if counts:
            note = approval.words if approval else ""
        elif approved_pin is None:
            note = "not approved"
        else:
            note = "changed since it was approved" if not same else "its approval does not count"
        rows.append(
            GoalRow(
                name=name,
                family=goal.family,
                kind=goal.kind,
                english=goal.english,
                sources=tuple(goal.sources),
                formula=formula_text(pins, name),
                digest=pin.digest,
                where=goal_place(project.root, pins, name),
                approved=counts,
                approver=approval.principal if counts and approval else None,
                demo=bool(counts and approval and approval.is_demo),
                touch=bool(counts and approval and approval.touch),
                note=note,
                excuse=goal.excuse,
            )
        )
    return tuple(rows)


def formula_text(pins: Pins, goal: str) -> str:
    """The goal's own definition as source text (for a Z3 goal: the name of its script)."""
    pin = pins.goals[goal]
    return pins.definitions[pin.definitions[0]].text if pin.definitions else str(pin.value.get("script", ""))


def goal_place(root: Path, pins: Pins, goal: str) -> str:
    """``file:line`` of the goal's own definition."""
    pin = pins.goals[goal]
    return str(root / (pins.definitions[pin.definitions[0]].place if pin.definitions else pin.value.get("script", "")))
