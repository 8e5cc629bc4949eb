"""A waiver's date and the clock it is held to; the lock that it stands in."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from vstack.errors import VstackError
from vstack.project import Project, load_project
from vstack.specify.lock import Approval, Lock
from vstack.specify.pins import Pins
from vstack.specify.scaffold import write_project
from vstack.specify.waivers import check_waiver_dates

TODAY = datetime.now(UTC).date()


def project(
    root: Path, until: date, *, cell: str = "after, environment: aborts, goal: Isolation", steps: str = "[Free]"
) -> Project:
    write_project(root, "toy")
    file = root / "vstack.yaml"
    waiver = f"{{variant: {cell}, state: Isolation, steps: {steps}, reason: known, until: {until}}}"
    file.write_text(file.read_text() + f"waivers: [{waiver}]\n")
    return load_project(root)


def lock(approved: datetime | None = None) -> Lock:
    time = (approved or datetime.now(UTC)).isoformat()
    return Lock(project="toy", sequence=1, pins=Pins(), approvals=(Approval(principal="me", time=time, signature="x"),))


def rules(found: Project, approved: datetime | None = None) -> list[str]:
    return [finding.rule for finding in check_waiver_dates(found, lock(approved), None)]


def test_a_waiver_counts_until_its_day_is_over(tmp_path: Path) -> None:
    assert rules(project(tmp_path / "a", TODAY + timedelta(days=1))) == []
    assert rules(project(tmp_path / "b", TODAY)) == []
    assert rules(project(tmp_path / "c", TODAY - timedelta(days=1))) == ["waiver-date"]
    assert rules(project(tmp_path / "d", TODAY + timedelta(days=400))) == ["waiver-date"]


def test_a_clock_behind_an_approval_or_a_commit_is_seen(tmp_path: Path) -> None:
    found = project(tmp_path, TODAY + timedelta(days=20))
    assert rules(found, datetime.now(UTC) + timedelta(days=3)) == ["clock-behind"]
    assert rules(found, datetime.now(UTC) + timedelta(days=30)) == ["clock-behind", "waiver-date"]
    when = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    env = {**os.environ, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "later"]):
        subprocess.run(["git", *identity, *command], cwd=tmp_path, env=env, check=True)
    found_now = check_waiver_dates(found, lock(), None)
    assert [one.rule for one in found_now] == ["clock-behind", "waiver-date"]
    assert "the newest commit" in found_now[0].message


@pytest.mark.parametrize(
    ("cell", "steps", "says"),
    [
        ("before, environment: aborts, goal: Isolation", "[Free]", "not stated as `holds`"),
        ("after, environment: aborts, goal: Finality", "[Free]", "has no `steps`"),
        ("after, environment: aborts, goal: Isolation", "[]", "needs `steps`"),
    ],
)
def test_a_waiver_that_waives_nothing_is_an_error(tmp_path: Path, cell: str, steps: str, says: str) -> None:
    with pytest.raises(VstackError, match=says):
        project(tmp_path, TODAY, cell=cell, steps=steps)
