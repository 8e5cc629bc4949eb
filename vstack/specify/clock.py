"""The latest time that signatures and commits prove: a clock that was set back makes nothing valid again."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from vstack.abstract.git_objects import run_git
from vstack.project import Project
from vstack.specify.base import Base
from vstack.specify.lock import Lock


def latest(project: Project, lock: Lock, base: Base | None) -> tuple[datetime, str]:
    """The latest time that the past proves, and what proves it: approvals, the newest commit, the target branch's."""
    times = [(datetime.min.replace(tzinfo=UTC), "nothing"), *approval_times(lock)]
    times += _commit(project, "HEAD", "the newest commit")
    if base is not None:
        times += _commit(project, base.commit, f"the tip of {base.ref}")
    return max(times, key=lambda found: found[0])


def approval_times(lock: Lock) -> list[tuple[datetime, str]]:
    """When the lock was approved, as its signatures say, and by whom."""
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
