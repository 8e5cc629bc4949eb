"""Rule: a waiver counts until its date. The clock is held to what signatures and commits say of the time."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from vstack.abstract.git_objects import run_git
from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.sections import Waiver
from vstack.specify.base import Base
from vstack.specify.lock import Lock

# Clocks of two machines differ; a clock set back to before a waiver's end differs by more.
_TOLERANCE = timedelta(hours=24)
# A date further off than this from the approval is no date.
_LONGEST = timedelta(days=366)


def check_waiver_dates(project: Project, lock: Lock, base: Base | None) -> list[Finding]:
    """Waivers that have run out or run too long, and a clock that lags behind the approvals and commits."""
    if not project.file.waivers:
        return []
    clock, (known, source) = datetime.now(UTC), _latest(project, lock, base)
    findings = []
    if known - clock > _TOLERANCE:
        findings.append(
            Finding(
                rule="clock-behind",
                where=str(project.root / PROJECT_FILE),
                message=f"The clock says {clock:%Y-%m-%d}, and {source} is of {known:%Y-%m-%d}: a waiver's end can't be told by it",
                todo="Set the clock right",
            )
        )
    today = max(clock, known).date()
    approved = max((time for time, _ in _approvals(lock)), default=clock).date()
    for waiver in project.file.waivers:
        if today > waiver.until:
            findings.append(_finding(project, waiver, f"ran out on {waiver.until}, today is {today}"))
        elif waiver.until - approved > _LONGEST:
            findings.append(
                _finding(project, waiver, f"is to last until {waiver.until}, more than a year from its approval")
            )
    return findings


def _finding(project: Project, waiver: Waiver, what: str) -> Finding:
    cell = f"{waiver.variant} / {waiver.environment} / {waiver.goal}"
    return Finding(
        rule="waiver-date",
        where=str(project.root / PROJECT_FILE),
        message=f"The waiver for {cell} {what}",
        todo="Mend what it waives, or have a nearer or later date approved",
    )


def _latest(project: Project, lock: Lock, base: Base | None) -> tuple[datetime, str]:
    """The latest time that the past proves, and what proves it: approvals, the newest commit, the target branch's."""
    times = [(datetime.min.replace(tzinfo=UTC), "nothing"), *_approvals(lock)]
    times += _commit(project, "HEAD", "the newest commit")
    if base is not None:
        times += _commit(project, base.commit, f"the tip of {base.ref}")
    return max(times, key=lambda found: found[0])


def _approvals(lock: Lock) -> list[tuple[datetime, str]]:
    found = []
    for approval in lock.approvals:
        try:
            time = datetime.fromisoformat(approval.time)
        except ValueError:
            continue
        found.append((time if time.tzinfo else time.replace(tzinfo=UTC), f"the approval by {approval.principal}"))
    return found


def _commit(project: Project, name: str, words: str) -> list[tuple[datetime, str]]:
    status, said, _ = run_git(["-C", str(project.root), "log", "-1", "--format=%ct", name, "--"])
    seconds = os.fsdecode(said).strip()
    return [(datetime.fromtimestamp(int(seconds), UTC), words)] if status == 0 and seconds.isdigit() else []
