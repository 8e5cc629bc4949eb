"""The target branch's files, read from real git repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vstack.errors import VstackError
from vstack.specify.base import read_base


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    ended = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return ended.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "a répository"
    project = root / "sub folder"
    project.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (project / "vstack.lock").write_bytes(b"line\r\nline\n")
    (project / "vstack.approvers").write_text("# people\n")
    (project / "vstack.yaml").write_text("version: 1\npolicy: {software_keys: true}\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return project


def test_the_branch_counts_and_not_the_working_tree(repository: Path) -> None:
    (repository / "vstack.lock").write_text("forged")
    (repository / "vstack.approvers").unlink()
    (repository / "vstack.yaml").write_text("version: 1\n")
    base = read_base(repository, "main")
    assert base.lock == b"line\r\nline\n"
    assert (base.approvers, base.policy.software_keys) == ("# people\n", True)
    assert base.commit == git(repository, "rev-parse", "main")


def test_files_that_the_branch_lacks_are_none(repository: Path) -> None:
    git(repository, "rm", "-q", "vstack.lock", "vstack.approvers", "vstack.yaml")
    (repository / "other").write_text("x")
    git(repository, "add", "other")
    git(repository, "commit", "-q", "-m", "two")
    base = read_base(repository, "HEAD")
    assert (base.lock, base.approvers, base.policy.software_keys) == (None, None, False)
    assert read_base(repository, "HEAD~1").lock is not None


def test_an_unknown_ref_and_no_repository_are_told_in_words(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(VstackError, match="does not know `origin/main`.*git fetch origin main"):
        read_base(repository, "origin/main")
    with pytest.raises(VstackError, match="not the name"):
        read_base(repository, "--output=x")
    (tmp_path / "plain").mkdir()
    with pytest.raises(VstackError, match="not in a git repository"):
        read_base(tmp_path / "plain", "main")


def test_a_shallow_clone_is_named_as_such(repository: Path, tmp_path: Path) -> None:
    (repository / "more").write_text("x")
    git(repository, "add", "more")
    git(repository, "commit", "-q", "-m", "two")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository.parent}", "shallow")
    with pytest.raises(VstackError, match="shallow clone.*unshallow"):
        read_base(tmp_path / "shallow" / repository.name, "HEAD~1")


def test_a_replaced_object_does_not_stand_in_for_the_branch(repository: Path) -> None:
    good = git(repository, "rev-parse", "main:sub folder/vstack.lock")
    (repository / "forged").write_text("forged")
    forged = git(repository, "hash-object", "-w", "forged")
    git(repository, "replace", good, forged)
    assert git(repository, "cat-file", "blob", good) == "forged"
    assert read_base(repository, "main").lock == b"line\r\nline\n"


def test_a_tag_that_hides_a_branch_is_refused(repository: Path) -> None:
    git(repository, "tag", "main")
    with pytest.raises(VstackError, match="ambiguous: refs/heads/main, refs/tags/main"):
        read_base(repository, "main")
    assert read_base(repository, "refs/heads/main").lock is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"version: 1\nuntil: 2026-02-30\n", r"`2026-02-30` is no date.*main:vstack.yaml:2"),
        (b"version: [\n", r"not valid YAML.*main:vstack.yaml:2"),
        (b"title: \xff\n", r"byte 7 is not UTF-8 \(main:vstack.yaml\)"),
    ],
)
def test_what_the_branch_has_that_is_no_yaml_is_told_with_its_line(repository: Path, text: bytes, said: str) -> None:
    (repository / "vstack.yaml").write_bytes(text)
    git(repository, "commit", "-q", "-a", "-m", "two")
    with pytest.raises(VstackError, match=said):
        read_base(repository, "main")
