"""Approve a project as it stands: the next lock, signed, and who may sign."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.files import read_text
from vstack.guard.index import record
from vstack.project import Project
from vstack.specify.approval import sign, sign_for_demo
from vstack.specify.approvers import (
    APPROVERS_FILE,
    approver_line,
    parse_approvers,
    principals_of,
    put_demo_key,
    read_public_key,
    start_approvers,
)
from vstack.specify.check import check_approval, lock_changes
from vstack.specify.lock import DEMO_PRINCIPAL, Lock, next_lock, read_lock, write_lock
from vstack.specify.pins import Pins
from vstack.specify.sshkey import ThrowawayKey


def refuse_in_ci(environ: Mapping[str, str]) -> None:
    """An approval is a person's act; a CI job has no person.

    Raises:
        RefusedError: the variable `CI` says that this is a CI job.
    """
    if environ.get("CI", "").lower() not in ("", "0", "false"):
        raise RefusedError(
            "This is a CI job (the variable CI is set), and an approval is a person's act",
            todo="Approve on your own machine and commit vstack.lock",
        )


def approved_lock(project: Project) -> Lock | None:
    """The lock that stands with a valid approval, or None: what a person can trust as the state before."""
    try:
        lock = read_lock(project.lock_path)
    except RefusedError:
        return None
    if lock is None or check_approval(project, lock)[0] is None:
        return None
    return lock


def lock_to_sign(project: Project, pins: Pins) -> Lock:
    """The lock that an approval of ``pins`` signs: the one that stands if nothing changed, else the next.

    Raises:
        RefusedError: the lock file is damaged, so that no lock can follow it.
    """
    current = read_lock(project.lock_path)
    if current is not None and current.project == project.file.project and not lock_changes(project, current, pins):
        return current
    return next_lock(project.file.project, pins, current)


def approve(project: Project, lock: Lock, *, key: Path, principal: str | None) -> Lock:
    """Sign ``lock`` with ``key`` and write it; an approvers file is begun where there is none.

    ``principal`` is the name to sign as: by default the one under which the
    approvers file lists the key, or in a new file git's `user.email`.

    Raises:
        VstackError: the key is not an approver's, or can't sign.
    """
    path = project.root / APPROVERS_FILE
    key_type, public = read_public_key(key)
    if path.exists():
        listed = principals_of(parse_approvers(read_text(path), where=str(path)), public)
        if not listed:
            raise VstackError(
                f"The key {key} is not in the approvers file",
                where=str(path),
                todo=f"A code owner adds the line: {approver_line(principal or 'you@example.org', key_type, public)}",
            )
        name = principal or next((one for one in listed if not set(one) & set("*?!")), None)
        if name is None:
            raise VstackError(
                f"The key is listed for {', '.join(listed)}, not for a name",
                where=str(path),
                todo="Give yours with --as",
            )
    else:
        name = principal or _git_email(project.root)
        start_approvers(path, name, key_type, public)
    signed = sign(_without(lock, name), key=key, principal=name)
    write_lock(project.lock_path, signed)
    record(str(project.root))
    return signed


def approve_for_demo(project: Project, lock: Lock) -> Lock:
    """Sign ``lock`` with a throwaway key that is forgotten at once: labelled, and no person's approval.

    Raises:
        VstackError: a file can't be written.
    """
    key = ThrowawayKey()
    signed = sign_for_demo(_without(lock, DEMO_PRINCIPAL), key)
    put_demo_key(project.root / APPROVERS_FILE, key.key_type, key.public)
    write_lock(project.lock_path, signed)
    record(str(project.root))
    return signed


def _without(lock: Lock, principal: str) -> Lock:
    """A principal's new approval of the same lock takes the place of the earlier one."""
    kept = tuple(approval for approval in lock.approvals if approval.principal != principal)
    return lock.model_copy(update={"approvals": kept})


def _git_email(root: Path) -> str:
    try:
        ended = subprocess.run(["git", "config", "user.email"], cwd=root, capture_output=True, text=True, timeout=30)
    except FileNotFoundError:
        ended = None
    if ended is None or not ended.stdout.strip():
        raise VstackError(
            "No name to approve under is known", todo="Give one: `vstack spec approve --as you@example.org`"
        )
    return ended.stdout.strip()
