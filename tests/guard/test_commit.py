"""The commit hook with real commits: what is staged counts, approvals are checked, and nothing else is in the way."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.guard.world import ROOT, git, vstack
from tests.specify.keys import make_key


@pytest.fixture
def hooked(project: Path) -> Path:
    """The project with the commit hook that `vstack init --git-hook` writes."""
    ended = vstack(project, "init", "--git-hook")
    assert ended.returncode == 0, ended.stderr
    return project


def commit(folder: Path, *, fails: bool = False) -> str:
    """What the hook says about a commit of everything that is staged."""
    return git(folder, "commit", "-q", "-m", "x", fails=fails).stderr


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def weaken(folder: Path) -> None:
    edit(folder / "goals" / "Goals.tla", "page = transfer", "TRUE")


def test_honest_commits_pass_in_silence(hooked: Path) -> None:
    edit(hooked / "README.md", "\n", "\nmore\n")
    (hooked / "traces").mkdir()
    (hooked / "traces" / "one.ndjson").write_text("{}\n")
    git(hooked, "add", "-A")
    assert commit(hooked) == ""
    # A pinned module whose meaning stays: a comment.
    edit(hooked / "goals" / "Goals.tla", "\\* Every request", "\\* Each and every request")
    git(hooked, "add", "-A")
    assert commit(hooked) == ""
    # An action of the model.
    edit(hooked / "model" / "Handover.tla", "====", "\\* the end\n====")
    git(hooked, "add", "-A")
    assert commit(hooked) == ""


def test_a_changed_goal_is_rejected_by_name_definition_and_line(hooked: Path) -> None:
    weaken(hooked)
    git(hooked, "add", "-A")
    said = commit(hooked, fails=True)
    line = next(
        n
        for n, text in enumerate((hooked / "goals" / "Goals.tla").read_text().splitlines(), 1)
        if text.startswith("Isolation ==")
    )
    assert f"goals/Goals.tla:{line}: " in said and "goal Isolation" in said and "spec approve" in said
    assert "/tmp/vstack-staged" not in said


def test_what_is_staged_counts_not_the_working_tree(hooked: Path) -> None:
    goals = hooked / "goals" / "Goals.tla"
    good = goals.read_text()
    weaken(hooked)
    bad = goals.read_text()
    git(hooked, "add", "-A")
    goals.write_text(good)
    assert "Isolation" in commit(hooked, fails=True)
    git(hooked, "add", "-A")
    goals.write_text(bad)
    (hooked / "README.md").write_text("x")
    git(hooked, "add", "README.md")
    assert commit(hooked) == ""
    # `git commit -a` and `git commit FILE` stage on their way, in an index of their own.
    assert "Isolation" in git(hooked, "commit", "-q", "-a", "-m", "x", fails=True).stderr
    assert "Isolation" in git(hooked, "commit", "-q", "-m", "x", "--", "goals/Goals.tla", fails=True).stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("vstack.yaml", "software_keys: false", "software_keys: true", "policy: software_keys"),
        ("model/Handover.tla", "Init ==\n", "Init ==\n  /\\ FALSE\n", "Init"),
        ("model/Goals.tla", "page = transfer", "TRUE", "goal Isolation"),
        ("vstack.lock", "sequence: 1", "sequence: 2", "its signature is over something else"),
        ("vstack.lock", "pins:\n", "<<<<<<< HEAD\npins:\n", "conflict markers"),
        ("vstack.lock", "\n", "\r\n", "CRLF"),
    ],
)
def test_other_unapproved_changes_are_rejected(hooked: Path, file: str, old: str, new: str, words: str) -> None:
    place = hooked / file
    if file == "model/Goals.tla":  # SANY reads it instead of the pinned one
        shutil.copy(hooked / "goals" / "Goals.tla", place)
    text = place.read_bytes().decode()
    if file == "model/Handover.tla":
        line = next(line for line in text.splitlines() if line.startswith("Init =="))
        old, new = f"{line}\n", f"{line} /\\ TRUE\n" if line != "Init ==" else new
    assert old in text
    place.write_bytes(text.replace(old, new, -1 if old == "\n" else 1).encode())
    git(hooked, "-c", "core.autocrlf=false", "add", "-A")
    assert words in commit(hooked, fails=True)


def test_an_approved_change_passes(hooked: Path) -> None:
    weaken(hooked)
    assert vstack(hooked, "spec", "approve", "--demo", "--yes").returncode == 0
    git(hooked, "add", "-A")
    assert commit(hooked) == ""


def test_the_lock_may_not_be_taken_away_nor_rolled_back(hooked: Path) -> None:
    first = (hooked / "vstack.lock").read_bytes()
    weaken(hooked)
    assert vstack(hooked, "spec", "approve", "--demo", "--yes").returncode == 0
    git(hooked, "add", "-A")
    commit(hooked)
    edit(hooked / "goals" / "Goals.tla", "=> TRUE", "=> page = transfer")
    (hooked / "vstack.lock").write_bytes(first)
    git(hooked, "add", "-A")
    assert "older or a rival lock" in commit(hooked, fails=True)
    git(hooked, "reset", "-q", "--hard")
    git(hooked, "rm", "-q", "vstack.lock")
    assert "taken away" in commit(hooked, fails=True)


def test_a_persons_approvers_are_those_of_the_commit_before(hooked: Path, tmp_path: Path) -> None:
    mine, other = make_key(tmp_path / "mine"), make_key(tmp_path / "other")
    approvers = hooked / "vstack.approvers"
    approvers.unlink()
    assert vstack(hooked, "spec", "approve", "--key", str(mine), "--as", "a@example.org", "--yes").returncode == 0
    git(hooked, "add", "-A")
    commit(hooked)
    # The agent makes itself an approver and signs.
    kept = approvers.read_text()
    weaken(hooked)
    approvers.unlink()
    assert vstack(hooked, "spec", "approve", "--key", str(other), "--as", "agent@example.org", "--yes").returncode == 0
    git(hooked, "add", "-A")
    said = commit(hooked, fails=True)
    assert "not in the approvers file" in said and "counts from the next commit on" in said
    # A removed approver's signature counts no more, once the removal is committed.
    git(hooked, "reset", "-q", "--hard")
    approvers.write_text(kept.replace("a@example.org", "# a@example.org"))
    git(hooked, "commit", "-q", "--no-verify", "-a", "-m", "removed")
    weaken(hooked)
    approvers.write_text(kept)
    assert vstack(hooked, "spec", "approve", "--key", str(mine), "--yes").returncode == 0
    git(hooked, "add", "-A")
    assert "not in the approvers file" in commit(hooked, fails=True)


def test_a_link_that_leads_out_of_the_repository_is_no_goal(hooked: Path, tmp_path: Path) -> None:
    goals = hooked / "goals" / "Goals.tla"
    shutil.move(goals, tmp_path / "Goals.tla")
    goals.symlink_to(tmp_path / "Goals.tla")
    git(hooked, "add", "-A")
    said = commit(hooked, fails=True)
    assert "leads out of the project" in said and "goals/Goals.tla" in said


def test_a_moved_project_keeps_its_history(hooked: Path) -> None:
    (hooked / "case").mkdir()
    for name in ("goals", "model", "vstack.yaml", "vstack.lock", "vstack.approvers"):
        git(hooked, "mv", name, "case/")
    assert commit(hooked) == ""
    for name in ("goals", "model", "vstack.yaml", "vstack.lock", "vstack.approvers"):
        git(hooked, "mv", f"case/{name}", ".")
    weaken(hooked)
    git(hooked, "add", "-A")
    assert "goal Isolation" in commit(hooked, fails=True)
    # A new place is no new beginning: a lock that starts again from the first is a rival of the old one.
    (hooked / "vstack.lock").unlink()
    assert vstack(hooked, "spec", "approve", "--demo", "--yes").returncode == 0
    git(hooked, "add", "-A")
    assert "older or a rival lock" in commit(hooked, fails=True)


def test_a_first_commit_and_a_project_without_a_lock(tmp_path: Path, approved: Path) -> None:
    folder = tmp_path / "fresh"
    shutil.copytree(approved, folder, ignore=shutil.ignore_patterns(".git"))
    git(folder, "init", "-q")
    assert vstack(folder, "init", "--git-hook").returncode == 0
    lock = (folder / "vstack.lock").read_bytes()
    (folder / "vstack.lock").unlink()
    git(folder, "add", "-A")
    assert commit(folder) == "", "nothing is approved, so nothing is pinned"
    (folder / "vstack.lock").write_bytes(lock)
    git(folder, "add", "-A")
    assert commit(folder) == ""
    shutil.rmtree(folder / ".git")
    git(folder, "init", "-q")
    assert vstack(folder, "init", "--git-hook").returncode == 0
    weaken(folder)
    git(folder, "add", "-A")
    assert "goal Isolation" in commit(folder, fails=True)


def test_several_projects_and_a_worktree(hooked: Path, tmp_path: Path) -> None:
    second = hooked / "cases" / "second"
    second.mkdir(parents=True)
    for name in ("goals", "model"):
        shutil.copytree(hooked / name, second / name)
    for name in ("vstack.yaml", "vstack.lock", "vstack.approvers"):
        shutil.copy(hooked / name, second / name)
    git(hooked, "add", "-A")
    assert commit(hooked) == ""
    tree = tmp_path / "tree"
    git(hooked, "worktree", "add", "-q", "-b", "work", str(tree))
    weaken(tree / "cases" / "second")
    git(tree, "add", "-A")
    assert "cases/second/goals/Goals.tla:" in commit(tree, fails=True)


def test_sany_runs_only_where_a_module_changes(hooked: Path) -> None:
    # With a Java that can't run, a commit that needs SANY can't be told (2); one that doesn't is not held up.
    edit(hooked / "README.md", "\n", "\nmore\n")
    git(hooked, "add", "-A")
    hook = (hooked / ".git" / "hooks" / "pre-commit").read_text()
    command = hook.splitlines()[-1].removeprefix("exec ")
    environment = {**os.environ, "VSTACK_JAVA": "/nowhere/java"}

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, shell=True, cwd=hooked, env=environment, capture_output=True, text=True, check=False
        )

    assert run().returncode == 0
    edit(hooked / "goals" / "Goals.tla", "\\* Every", "\\* Each")
    git(hooked, "add", "-A")
    ended = run()
    assert ended.returncode == 2 and "can't be checked" in ended.stderr and "Traceback" not in ended.stderr


def test_a_python_without_vstack_says_so(hooked: Path, tmp_path: Path) -> None:
    weaken(hooked)
    git(hooked, "add", "-A")
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    guard = ROOT / "vstack" / "guard" / "__main__.py"
    ended = subprocess.run(
        [bare / "bin" / "python", "-I", "-S", guard, "commit"], cwd=hooked, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2 and "is not installed" in ended.stderr


def test_another_hook_is_not_overwritten(project: Path) -> None:
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    ended = vstack(project, "init", "--git-hook")
    assert ended.returncode == 2 and "|| exit 1" in ended.stderr
    hook.unlink()
    assert vstack(project, "init", "--git-hook").returncode == 0
    assert vstack(project, "init", "--git-hook").returncode == 0, "installing it again is no error"


def test_a_range_of_commits_before_a_push(project: Path) -> None:
    before = git(project, "rev-parse", "HEAD").stdout.strip()
    (project / "README.md").write_text("x")
    git(project, "commit", "-q", "-a", "-m", "honest")
    middle = git(project, "rev-parse", "HEAD").stdout.strip()
    weaken(project)
    git(project, "commit", "-q", "-a", "-m", "weaker")
    weak = git(project, "rev-parse", "HEAD").stdout.strip()
    edit(project / "goals" / "Goals.tla", "=> TRUE", "=> page = transfer")
    git(project, "add", "-A")
    for base, to, expected in ((before, middle, 0), (before, weak, 1), ("0" * 40, weak, 1), ("0" * 40, middle, 0)):
        environment = {**os.environ, "PRE_COMMIT_FROM_REF": base, "PRE_COMMIT_TO_REF": to}
        ended = subprocess.run(
            [sys.executable, str(ROOT / "vstack" / "guard" / "__main__.py"), "commit"],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == expected, (base, to, ended.stderr)
        assert ("Isolation" in ended.stderr) == bool(expected)


@pytest.mark.skipif(
    importlib.util.find_spec("pre_commit") is None, reason="the `pre-commit` package is not installed here"
)
def test_under_pre_commit_itself(project: Path) -> None:
    # The hook as `.pre-commit-hooks.yaml` declares it, run by pre-commit with this interpreter instead of one of its own.
    (declared,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert declared["entry"] == "vstack-spec-guard"
    entry = f"{sys.executable} -c \"import sys; sys.path.insert(0, '{ROOT}'); from vstack.guard.commit import main; main()\""
    kept = ("id", "name", "always_run", "pass_filenames", "require_serial", "stages")
    hook = {**{key: declared[key] for key in kept}, "entry": entry, "language": "system"}
    (project / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [{"repo": "local", "hooks": [hook]}]}))
    git(project, "add", "-A")
    installed = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=project, capture_output=True, text=True, check=False
    )
    assert installed.returncode == 0, installed.stdout
    assert "Passed" in commit(project)
    weaken(project)
    git(project, "add", "-A")
    said = commit(project, fails=True)
    assert "goal Isolation" in said and "goals/Goals.tla:" in said
    # pre-commit puts what is not staged aside; the staged content is what counts there too.
    git(project, "reset", "-q")
    (project / "README.md").write_text("x")
    git(project, "add", "README.md")
    assert "Passed" in commit(project)
