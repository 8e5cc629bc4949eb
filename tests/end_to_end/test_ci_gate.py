"""What `vstack ci` does before it runs anything: first adoptions, tools and repositories that come with a pull request."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.test_ci import git
from tests.end_to_end.test_z3_project import SCRIPT, YAML

VSTACK = [sys.executable, "-m", "vstack"]
TOY = r"""---- MODULE Toy ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
\* @process p
\* @anchor code:a.py:1-1@{commit} sha256:{sha}
Go == x < 2 /\ x' = x + 1
Next == Go
Spec == Init /\ [][Next]_x
Small == x < 3
====
"""


def run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*VSTACK, *arguments], cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Target branch `main` without a project; on `work` one of Z3 goals, approved with a demo key."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "start")
    git(folder, "checkout", "-q", "-b", "work")
    (folder / "vstack.yaml").write_text(YAML)
    (folder / "fits.py").write_text(SCRIPT)
    assert run(folder, "spec", "approve", "--demo", "--yes").returncode == 0
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "adopt")
    return folder


def test_a_first_adoption_is_checked_and_said_and_only_the_target_branchs_workflow_lets_it_pass(
    repository: Path,
) -> None:
    summary = repository.parent / "summary.md"
    ended = run(repository, "ci", "--base", "main", "-q", "--json", "--summary", str(summary))
    report = json.loads(ended.stdout)
    assert ended.returncode == 1 and report["outcome"] == "refused"
    assert [one["verdict"] for one in report["z3"]] == ["holds"], "it is run all the same, so that a code owner sees"
    assert [one["rule"] for one in report["findings"]] == ["first-adoption"]
    assert "VS115 first-adoption" in summary.read_text() and "A code owner reads the goals" in summary.read_text()
    ended = run(
        repository,
        "ci",
        "--base",
        "main",
        "-q",
        "--first-adoption",
        "--sarif",
        "v.sarif",
        "--junit",
        "v.xml",
        GITHUB_ACTIONS="true",
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "outcome: HOLDS" in ended.stdout and "approval: not approved: Fits" in ended.stdout
    assert "::notice file=vstack.lock,line=1,title=VS115::" in ended.stdout and "::error" not in ended.stdout
    assert json.loads((repository / "v.sarif").read_text())["runs"][0]["results"][0]["level"] == "note"
    assert 'failures="0"' in (repository / "v.xml").read_text()
    # Once merged it is no first adoption any more.
    git(repository, "branch", "-f", "main")
    assert "first-adoption" not in run(repository, "ci", "--base", "main", "-q").stdout


def test_another_vstack_than_the_target_branch_asks_for_runs_nothing(repository: Path) -> None:
    (repository / "vstack.yaml").write_text(YAML + 'policy: {vstack: ">=99"}\n')
    git(repository, "commit", "-q", "-a", "-m", "policy")
    git(repository, "branch", "-f", "main")
    (repository / "vstack.yaml").write_text(YAML)
    git(repository, "commit", "-q", "-a", "-m", "no policy")
    ended = run(repository, "ci", "--base", "main", "-q", "--json")
    report = json.loads(ended.stdout)
    assert ended.returncode == 1 and [one["rule"] for one in report["findings"]] == ["other-vstack"]
    assert report["z3"] == [] and report["outcome"] == "refused"


def code(folder: Path, text: str) -> str:
    """A repository whose one file is `a.py`; its commit."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "code")
    argv = ["git", "rev-parse", "HEAD"]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_programs_that_come_with_a_pull_request_are_not_run(repository: Path) -> None:
    """A launcher named in `vstack.yaml`, and a bare repository whose configuration names programs."""
    mark = repository.parent / "ran"
    upstream = repository.parent / "upstream"
    commit = code(upstream, "x = 1\n")
    git(upstream, "config", "uploadpack.allowAnySHA1InWant", "true")
    sha = subprocess.run(
        ["sha256sum", "a.py"], cwd=upstream, capture_output=True, text=True, check=True
    ).stdout.split()[0]
    (repository / "Toy.tla").write_text(TOY.format(commit=commit, sha=sha))
    yaml = f"""version: 1
project: offsets
repos: {{code: {{url: "file://{upstream}"}}}}
model: {{module: Toy.tla}}
goals:
  Small: {{english: x stays small, formula: Small}}
"""
    (repository / "vstack.yaml").write_text(yaml)
    assert run(repository, "spec", "approve", "--demo", "--yes").returncode == 0
    cache = repository / ".vstack" / "repos" / "code.git"
    shutil.rmtree(repository / ".vstack", ignore_errors=True)
    git(repository, "init", "-q", "--bare", str(cache))
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    program.chmod(0o755)
    other = repository.parent / "other.git"
    git(repository, "init", "-q", "--bare", str(other))
    (cache / "objects" / "info" / "alternates").write_text(f"{other}/objects\n")
    git(cache, "config", "core.alternateRefsCommand", str(program))
    git(repository, "add", "-A", "-f")
    git(repository, "commit", "-q", "-m", "work")
    assert run(repository, "anchor", "check").returncode == 0 and mark.exists(), (
        "git runs it where that repository is believed"
    )
    mark.unlink()
    ended = run(repository, "ci", "--base", "main", "-q", "--json", "--fetch", "--first-adoption")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert json.loads(ended.stdout)["anchors"][0]["state"] == "exact"
    assert not mark.exists()
    shutil.copy(program, repository / "java.sh")
    (repository / "vstack.yaml").write_text(yaml + "tools: {java: java.sh}\n")
    git(repository, "add", "-A")
    ended = run(repository, "ci", "--base", "main", "-q", "--json", "--first-adoption")
    assert [one["rule"] for one in json.loads(ended.stdout)["findings"]] == ["tools-changed"]
    assert ended.returncode == 1 and not mark.exists()


def test_code_beside_the_model_that_changes_is_told_at_its_line_and_refused_where_the_policy_says_so(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "repository"
    commit = code(folder, "def go(x):\n    x += 1\n    return x\n")
    sha = hashlib.sha256(b"    x += 1\n").hexdigest()
    (folder / "Toy.tla").write_text(TOY.format(commit=commit, sha=sha).replace(":1-1@", ":2-2@"))
    yaml = """version: 1
project: beside
repos: {code: {here: true}}
model: {module: Toy.tla}
goals:
  Small: {english: x stays small, formula: Small}
policy: {software_keys: true, stale_anchors: refuse}
"""
    (folder / "vstack.yaml").write_text(yaml)
    assert run(folder, "spec", "approve", "--demo", "--yes").returncode == 0
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "model")
    git(folder, "checkout", "-q", "-b", "work")
    (folder / "a.py").write_text("def go(x):\n    x += 2\n    return x\n")
    git(folder, "commit", "-q", "-a", "-m", "work")
    ended = run(folder, "ci", "--base", "main", "-q", "--sarif", "v.sarif", GITHUB_ACTIONS="true")
    assert ended.returncode == 1 and "outcome: REFUSED" in ended.stdout
    assert (
        "::error file=a.py,line=2,title=VS219::anchor-stale: This changes the code that Go stands for" in ended.stdout
    )
    place = json.loads((folder / "v.sarif").read_text())["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 2}}
