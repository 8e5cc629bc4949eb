"""A repository with an approved project, made once by vstack itself; each test works in a copy of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.guard.world import git, vstack


@pytest.fixture(scope="session")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose top is the project of `vstack init`, approved with a demo key and committed."""
    folder = tmp_path_factory.mktemp("approved") / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for command in (["init"], ["spec", "approve", "--demo", "--yes"]):
        ended = vstack(folder, *command)
        assert ended.returncode == 0, ended.stderr
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "start")
    return folder


@pytest.fixture
def project(approved: Path, tmp_path: Path) -> Path:
    """A copy of the repository."""
    copy = tmp_path / "project"
    shutil.copytree(approved, copy, symlinks=True)
    return copy
