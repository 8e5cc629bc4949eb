"""What a pull request changes of the model: told with the number of lines, and apart where only anchors differ."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vstack.abstract.changed_model import model_changes
from vstack.context import open_project
from vstack.results import Finding

ANCHOR = "\\* @anchor engine:engine.py:1-2@" + "a" * 40 + " sha256:" + "b" * 16


def git(folder: Path, *arguments: str) -> str:
    argv = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *arguments]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run([sys.executable, "-m", "vstack", "init"], cwd=tmp_path, check=True, capture_output=True)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "base")
    return tmp_path


def told(project: Path, commit: str) -> tuple[Finding, ...]:
    return model_changes(open_project(project, fresh=True).spec, commit)


def test_a_changed_module_is_told_by_its_lines(project: Path) -> None:
    commit = git(project, "rev-parse", "HEAD")
    assert told(project, commit) == ()
    model = project / "model" / "Handover.tla"
    lines = model.read_text().split("\n")
    at = next(number for number, line in enumerate(lines) if "@ours" in line)
    model.write_text("\n".join([*lines[:at], ANCHOR, *lines[at + 1 :]]))
    (note,) = told(project, commit)
    assert (note.rule, note.outcome, note.where) == ("model-changed", "note", f"{model}:1")
    assert "The module Handover is not as on the target branch: 2 lines, 1 of them anchors" in note.message


def test_anchors_alone_are_told_apart(project: Path) -> None:
    model = project / "model" / "Handover.tla"
    marked = model.read_text().replace("\\* @ours the scaffold stands for no code yet", ANCHOR, 1)
    model.write_text(marked)
    git(project, "commit", "-q", "-a", "-m", "anchored")
    model.write_text(marked.replace("a" * 40, "c" * 40))
    (note,) = told(project, git(project, "rev-parse", "HEAD"))
    assert "2 lines, all of them anchors: the code was anchored again, and no formula changed" in note.message


def test_a_model_that_lies_beside_the_project_or_outside_the_repository_is_told_too(project: Path) -> None:
    """``modules`` is free: a model moved out of the folder must not go unseen."""
    (project / "p").mkdir()
    for name in ("vstack.yaml", "goals"):
        git(project, "mv", name, f"p/{name}")
    yaml = project / "p" / "vstack.yaml"
    yaml.write_text(yaml.read_text().replace("module: model/", "module: ../model/").replace("[model,", "[../model,"))
    git(project, "commit", "-q", "-a", "-m", "moved")
    commit = git(project, "rev-parse", "HEAD")
    assert told(project / "p", commit) == ()
    model = project / "model" / "Handover.tla"
    model.write_text(model.read_text() + "\n")
    (note,) = told(project / "p", commit)
    assert "The module Handover is not as on the target branch" in note.message
    git(project, "mv", "-k", "p", "q")
    away = project.parent / f"{project.name}-away"
    (project / "model").rename(away)
    yaml = project / "q" / "vstack.yaml"
    yaml.write_text(yaml.read_text().replace("../model", f"../../{away.name}"))
    found = told(project / "q", commit)
    assert any("Handover is not as on the target branch: it lies outside the repository" in one.message for one in found)
