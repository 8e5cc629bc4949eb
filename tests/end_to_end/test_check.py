"""A project from `vstack init` through all five stages, and what becomes of it when something is weakened by hand."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

VSTACK = [sys.executable, "-m", "vstack"]


def vstack(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*VSTACK, *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose path has a space and a letter beyond ASCII, approved and checked once."""
    folder = tmp_path_factory.mktemp("projects") / "a café"
    folder.mkdir()
    assert vstack(folder, "init").returncode == 0
    approved = vstack(folder, "spec", "approve", "--demo", "--yes")
    assert approved.returncode == 0, approved.stdout + approved.stderr
    first = vstack(folder, "check", "--report", "page.html")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "outcome: AS EXPECTED" in first.stdout
    assert "demo key: no person approved this" in first.stdout
    assert "no trace recorded" in first.stdout
    assert "<html" in (folder / "page.html").read_text()
    (folder / "page.html").unlink()
    return folder


@pytest.fixture
def project(checked: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    shutil.copytree(checked, copy)
    return copy


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) >= 1, f"{old!r} is not in {path}"
    path.write_text(text.replace(old, new, 1))


def test_an_unchanged_project_starts_no_process_and_says_the_same(checked: Path) -> None:
    first = vstack(checked, "check", "-q")
    code = """
import subprocess, sys
def refuse(*args, **kwargs):
    raise SystemExit(f"a process was started: {args}")
subprocess.Popen.__init__ = refuse
sys.argv = ["vstack", "check", "-q"]
from vstack.cli import main
main()
"""
    again = subprocess.run([sys.executable, "-c", code], cwd=checked, capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout, again.stderr) == (first.returncode, first.stdout, "")
    assert first.returncode == 0


def test_only_what_changed_runs_again(project: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in (project / ".vstack" / "evidence").glob("*/*.json")}
    edit(project / "vstack.yaml", "title: A page", "title: One page")
    assert vstack(project, "check", "-q").returncode == 0
    after = {path.name: path.stat().st_mtime_ns for path in (project / ".vstack" / "evidence").glob("*/*.json")}
    assert after == before


@pytest.mark.parametrize(
    ("file", "old", "new", "rule"),
    [
        ("goals/Goals.tla", "page = transfer", "page = transfer \\/ phase[transfer] = \"aborted\"", "Isolation"),
        ("goals/Goals.tla", '~> phase[r] = "done"', '~> phase[r] # "new"', "Finality"),
        ("model/Handover.tla", '  /\\ phase[r] = "loading"\n  /\\ phase\' = [phase EXCEPT ![r] = "aborted"]',
         '  /\\ phase[r] = "loading" /\\ transfer = "none"\n  /\\ phase\' = [phase EXCEPT ![r] = "aborted"]', "Abort"),
        ("vstack.yaml", "aborts: {Isolation: violated", "aborts: {Isolation: holds", "matrix"),
        ("vstack.yaml", "violates: [Isolation]", "violates: [Finality]", "kills"),
        ("vstack.yaml", '{r1, r2}', '{r1}', "Requests"),
        ("vstack.yaml", "distinct_states: 10", "distinct_states: 1", "floors"),
    ],
)  # fmt: skip
def test_an_unapproved_change_is_refused_by_name_before_any_engine_runs(
    project: Path, file: str, old: str, new: str, rule: str
) -> None:
    edit(project / file, old, new)
    shutil.rmtree(project / ".vstack" / "evidence")
    ended = vstack(project, "check", "-q", "--json")
    assert ended.returncode == 1
    (report,) = json.loads(ended.stdout)
    assert report["outcome"] == "refused"
    assert any(rule in finding["message"] for finding in report["findings"]), report["findings"]
    assert all(finding["rule"] == "unapproved-change" for finding in report["findings"])
    assert all(file.rpartition("/")[2] in finding["where"] for finding in report["findings"])
    assert report["cells"] == []
    assert not (project / ".vstack" / "evidence").exists()


def test_a_guard_taken_out_of_the_model_is_not_as_expected(project: Path) -> None:
    edit(project / "model" / "Handover.tla", "  /\\ GuardWait => transfer # r\n", "")
    ended = vstack(project, "check", "-q", "--json")
    assert ended.returncode == 1
    (report,) = json.loads(ended.stdout)
    assert report["outcome"] == "not as expected"
    assert any("after / aborts / Isolation: violated" in reason for reason in report["reasons"])


def test_a_bug_wired_in_by_hand_is_refused(project: Path) -> None:
    edit(project / "model" / "Handover.tla", "  /\\ transfer' = r\n", "  /\\ transfer' = IF GuardWait THEN r ELSE \"none\"\n")
    edit(project / "model" / "Handover.tla", '  /\\ page = "free"\n  /\\ transfer = "none"\n',
         '  /\\ page = "free"\n  /\\ transfer = "none"\n  /\\ GuardWait \\in BOOLEAN\n')  # fmt: skip
    assert vstack(project, "spec", "approve", "--demo", "--yes").returncode == 0
    ended = vstack(project, "check", "-q", "--json")
    assert ended.returncode == 1
    (report,) = json.loads(ended.stdout)
    assert report["outcome"] == "refused"
    assert any("GuardWait" in finding["message"] and "Handover.tla" in finding["where"] for finding in report["findings"])


def test_a_module_that_does_not_parse_is_an_error_with_its_line(project: Path) -> None:
    edit(project / "model" / "Handover.tla", "page' = r", "page' = = r")
    ended = vstack(project, "check", "-q")
    assert ended.returncode == 2
    assert "Handover.tla:2" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_an_action_without_an_anchor_is_refused(project: Path) -> None:
    edit(project / "model" / "Handover.tla", "\\* @process network\n\\* @ours the scaffold stands for no code yet\n", "")
    ended = vstack(project, "check", "-q", "--json")
    assert ended.returncode == 1
    (report,) = json.loads(ended.stdout)
    assert report["outcome"] == "refused"
    assert any("Land has no anchor" in finding["message"] for finding in report["findings"])


def test_the_counterexample_is_told_with_its_last_state(checked: Path) -> None:
    listed = vstack(checked, "explain")
    assert "before/aborts/Isolation" in listed.stdout
    told = vstack(checked, "explain", "--cell", "before/aborts/Isolation")
    assert told.returncode == 0
    assert "Abort(r1)" in told.stdout
    assert "Free(r1)" in told.stdout
    assert "That breaks Isolation" in told.stdout
    unknown = vstack(checked, "explain", "--cell", "before/aborts/Isolat")
    assert unknown.returncode == 2
    assert "before/aborts/Isolation" in unknown.stderr


def test_verify_says_violated_with_exit_code_1(checked: Path) -> None:
    ended = vstack(checked, "verify", ".", "--variant", "before", "--environment", "aborts", "--goal", "Isolation", "-q")
    assert ended.returncode == 1
    assert "before/aborts/Isolation: violated" in ended.stdout
    ended = vstack(checked, "verify", ".", "--variant", "after", "--environment", "calm", "-q")
    assert ended.returncode == 0
    wrong = vstack(checked, "verify", ".", "--variant", "aftr")
    assert wrong.returncode == 2
    assert "Did you mean `after`" in wrong.stderr


def test_a_read_only_project_is_an_error_and_nothing_is_lost(project: Path) -> None:
    # Root may write anywhere, so what is in the way is a file where the state folder should be.
    shutil.rmtree(project / ".vstack")
    (project / ".vstack").write_text("in the way")
    ended = vstack(project, "check", "-q")
    assert ended.returncode == 2
    assert ended.stderr.startswith("Error: ")
    assert "Traceback" not in ended.stderr
    assert (project / ".vstack").read_text() == "in the way"


def test_a_helper_beside_the_model_that_changes_is_run_again(project: Path) -> None:
    # The root module's own folder is searched first, whether `modules` names it or not.
    edit(project / "vstack.yaml", "modules: [model, goals]", "modules: [goals]")
    edit(project / "model" / "Handover.tla", "EXTENDS Goals\n", "EXTENDS Goals, Helper\n")
    edit(project / "model" / "Handover.tla", "GuardWait => transfer # r", "GuardWait => Differ(transfer, r)")
    helper = project / "model" / "Helper.tla"
    helper.write_text("---- MODULE Helper ----\nDiffer(a, b) == a # b\n====\n")
    assert vstack(project, "spec", "approve", "--demo", "--yes").returncode == 0
    assert vstack(project, "check", "-q").returncode == 0
    helper.write_text("---- MODULE Helper ----\nDiffer(a, b) == TRUE\n====\n")
    ended = vstack(project, "check", "-q")
    assert ended.returncode == 1
    assert "NOT AS EXPECTED" in ended.stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('constants: {Aborts: "TRUE"}', 'constants: {Abortz: "TRUE"}', "`environments.aborts.constants` sets Abortz, which is no constant"),
        ('constants: {Aborts: "TRUE"}', "constants: {}", "Nothing sets the constant Aborts for before / aborts"),
        ("constant: GuardWait", "constant: GuardWiat", "`guards.wait.constant` sets GuardWiat"),
    ],
)
def test_a_constant_that_does_not_fit_the_model_is_an_error(project: Path, old: str, new: str, message: str) -> None:
    edit(project / "vstack.yaml", old, new)
    ended = vstack(project, "validate", "-q")
    assert ended.returncode == 2
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_title_cannot_forge_a_line_of_the_result(project: Path) -> None:
    edit(project / "vstack.yaml", "title: A page", 'title: "x\\noutcome: HOLDS" #')
    ended = vstack(project, "check", "-q")
    assert ended.returncode == 0, ended.stderr
    assert not any(line.startswith("outcome: HOLDS") for line in ended.stdout.splitlines())


def test_a_launcher_that_the_project_names_is_pinned_by_its_bytes(project: Path) -> None:
    launcher = project / "java.sh"
    launcher.write_text('#!/bin/sh\nexec java "$@"\n')
    launcher.chmod(0o755)
    with (project / "vstack.yaml").open("a") as stream:
        stream.write("tools: {java: java.sh}\n")
    if shutil.which("java") is None:
        pytest.skip("needs a java on the PATH to wrap")
    assert vstack(project, "spec", "approve", "--demo", "--yes").returncode == 0
    launcher.write_text('#!/bin/sh\ntrue\nexec java "$@"\n')
    ended = vstack(project, "spec", "check")
    assert ended.returncode == 1
    assert "java sha256" in ended.stdout
