"""Rule: a waiver counts until its date. The clock is held to what signatures and commits say of the time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.sections import Waiver
from vstack.specify.base import Base
from vstack.specify.clock import approval_times, latest
from vstack.specify.lock import Lock

# Clocks of two machines differ; a clock set back to before a waiver's end differs by more.
_TOLERANCE = timedelta(hours=24)
# A date further off than this from the approval is no date.
_LONGEST = timedelta(days=366)


def check_waiver_dates(project: Project, lock: Lock, base: Base | None) -> list[Finding]:
    """Waivers that have run out or run too long, and a clock that lags behind the approvals and commits."""
    if not project.file.waivers:
        return []
    clock, (known, source) = datetime.now(UTC), latest(project, lock, base)
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
    approved = max((time for time, _ in approval_times(lock)), default=clock).date()
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
