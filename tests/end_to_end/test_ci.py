"""`vstack ci` against a base branch in a real repository: its lock decides, and no cache is believed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

VSTACK = [sys.executable, "-m", "vstack"]


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    ended = run(folder, "git", *identity, *arguments)
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose main holds an approved project that accepts software keys."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q", "-b", "main")
    assert run(folder, *VSTACK, "init").returncode == 0
    text = (folder / "vstack.yaml").read_text()
    (folder / "vstack.yaml").write_text(text.replace("software_keys: false", "software_keys: true"))
    assert run(folder, *VSTACK, "spec", "approve", "--demo", "--yes").returncode == 0
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "start")
    git(folder, "branch", "target")
    return folder


@pytest.fixture
def clone(repository: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "clone"
    shutil.copytree(repository, copy)
    return copy


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_what_the_base_approved_passes_and_forged_evidence_is_not_believed(clone: Path) -> None:
    # A guard is taken out, and the evidence of the good model is put where the broken one's would be looked for.
    assert run(clone, *VSTACK, "check", "-q").returncode == 0
    good = {path: path.read_bytes() for path in (clone / ".vstack" / "evidence").glob("*/*.json")}
    ended = run(clone, *VSTACK, "ci", "--base", "target", "-q")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "AS EXPECTED" in ended.stdout
    edit(clone / "model" / "Handover.tla", "  /\\ GuardWait => transfer # r\n", "")
    assert run(clone, *VSTACK, "check", "-q").returncode == 1
    for path in (clone / ".vstack" / "evidence").glob("*/*.json"):
        if path not in good:
            record = json.loads(path.read_text())
            if record["verdict"] == "violated" and record["subject"]["variant"] == "after" and not record["subject"]["removed"]:
                path.write_text(json.dumps({**record, "verdict": "holds", "trace": None, "violated": None}))
    shutil.rmtree(clone / ".vstack" / "checks")
    edit(clone / "vstack.yaml", "title: A page", "title: '::error::all is well' # A page")
    outputs = ("--sarif", "v.sarif", "--junit", "v.xml")
    actions = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(clone / "summary.md")}
    ended = subprocess.run(
        [*VSTACK, "ci", "--base", "target", "-q", *outputs], cwd=clone, env={**os.environ, **actions}, capture_output=True, text=True
    )
    assert ended.returncode == 1
    assert "outcome: NOT AS EXPECTED" in ended.stdout and "::error file=vstack.yaml,line=1,title=VS601::" in ended.stdout
    # The title is text of the pull request: where it stands, GitHub obeys no command but one that can't be foreseen.
    (word,) = re.findall(r"^::stop-commands::([0-9a-f]{32})$", ended.stdout, re.MULTILINE)
    told, annotated = ended.stdout.split(f"\n::{word}::\n")
    assert told.startswith("::stop-commands::") and "::error::all is well" in told
    assert annotated.startswith("::") and "::error::all is well" not in annotated
    results = json.loads((clone / "v.sarif").read_text())["runs"][0]["results"]
    assert any("after / aborts / Isolation: violated, expected holds" in one["message"]["text"] for one in results)
    assert 'name="after/aborts/Isolation"' in (clone / "v.xml").read_text()
    assert "not as expected" in (clone / "summary.md").read_text()


def test_a_weaker_goal_is_refused_even_when_signed_by_a_key_of_its_own(clone: Path) -> None:
    edit(clone / "goals" / "Goals.tla", "page = transfer", "TRUE")
    shutil.rmtree(clone / ".vstack", ignore_errors=True)
    (clone / "vstack.approvers").unlink()
    assert run(clone, *VSTACK, "spec", "approve", "--demo", "--yes").returncode == 0
    ended = run(clone, *VSTACK, "ci", "--base", "target", "-q", "--json")
    assert ended.returncode == 1
    report = json.loads(ended.stdout)
    assert report["outcome"] == "refused"
    assert report["cells"] == []


def test_a_base_that_does_not_exist_is_an_error(clone: Path) -> None:
    ended = run(clone, *VSTACK, "ci", "--base", "no-such-branch", "-q")
    assert ended.returncode == 2
    assert "no-such-branch" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_folder_without_projects_is_an_error(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "empty")
    ended = run(tmp_path, *VSTACK, "ci", "--base", "HEAD")
    assert ended.returncode == 2
    assert "git tracks no vstack.yaml here" in ended.stderr


def test_findings_become_error_lines_on_github(clone: Path) -> None:
    edit(clone / "goals" / "Goals.tla", "page = transfer", "TRUE")
    ended = subprocess.run(
        [*VSTACK, "ci", "--base", "target", "-q"],
        cwd=clone, capture_output=True, text=True, check=False, env={**os.environ, "GITHUB_ACTIONS": "true"},
    )  # fmt: skip
    assert ended.returncode == 1
    assert "::error file=goals/Goals.tla,line=" in ended.stdout
    assert "unapproved-change" in ended.stdout


def test_leaving_a_project_out_is_no_way_past_its_checks(clone: Path) -> None:
    git(clone, "rm", "-q", "--cached", "vstack.yaml")
    (clone / "vstack.yaml").rename(clone / "elsewhere.txt")
    git(clone, "commit", "-q", "-m", "gone")
    ended = run(clone, *VSTACK, "ci", "--base", "target", "-q")
    assert ended.returncode == 1
    assert "project-gone: target holds a project in ." in ended.stdout
    (clone / "vstack.yaml").symlink_to("elsewhere.txt")
    git(clone, "add", "vstack.yaml")
    assert run(clone, *VSTACK, "ci", "--base", "target", "-q").returncode == 1


def test_a_replaced_commit_does_not_stand_in_for_the_base(clone: Path) -> None:
    git(clone, "rm", "-q", "-r", "--cached", ".")
    for name in ("vstack.yaml", "vstack.lock"):
        (clone / name).unlink()
    git(clone, "commit", "-q", "--allow-empty", "-m", "nothing is left")
    git(clone, "replace", "target", "HEAD")
    ended = run(clone, *VSTACK, "ci", "--base", "target", "-q")
    assert ended.returncode == 1
    assert "project-gone: target holds a project in ." in ended.stdout


def test_a_project_that_cannot_be_read_hides_no_other(clone: Path) -> None:
    (clone / "broken").mkdir()
    (clone / "broken" / "vstack.yaml").write_text("version: 1\nproject: [\n")
    edit(clone / "goals" / "Goals.tla", "page = transfer", "TRUE")
    git(clone, "add", "-A")
    ended = run(clone, *VSTACK, "ci", "--base", "target", "-q", "--sarif", "v.sarif", "--summary", "s.md")
    assert ended.returncode == 2
    assert "outcome: REFUSED" in ended.stdout and "vstack.yaml is not valid YAML" in ended.stderr
    results = json.loads((clone / "v.sarif").read_text())["runs"][0]["results"]
    assert {one["ruleId"] for one in results} >= {"VS118", "VS101"}
    assert "VS118 could-not-check: broken: vstack.yaml is not valid YAML" in (clone / "s.md").read_text().replace("\\", "")
