"""Tools of a pull request's own: seen before they are run. Real git; the launcher would leave a mark."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.specify.test_base import git
from vstack.project import Project, load_project
from vstack.specify.base import read_base
from vstack.specify.base_tools import foreign_tools

YAML = """version: 1
project: own-tools
goals:
  Fits: {kind: z3, english: x, script: fits.py}
"""


def jar(path: Path, *, beside: str = "", more: str = "") -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tlc2/TLC.class", "x")
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nClass-Path: {beside}\n")
        archive.writestr("more", more)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose main names a jar of its own, with one beside it, and a Java elsewhere."""
    folder = tmp_path / "repository" / "case"
    (folder / "tools").mkdir(parents=True)
    jar(folder / "tools" / "tla2tools.jar", beside="beside.jar")
    jar(folder / "tools" / "beside.jar")
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\n")
    (folder / "vstack.yaml").write_text(f"{YAML}tools: {{tlc_jar: tools/tla2tools.jar, java: {java}}}\n")
    git(folder.parent, "init", "-q", "-b", "main")
    git(folder.parent, "add", "-A")
    git(folder.parent, "commit", "-q", "-m", "start")
    git(folder.parent, "checkout", "-q", "-b", "work")
    return folder


def said(root: Path) -> list[str]:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "work")
    project: Project = load_project(root)
    found = foreign_tools(project, read_base(root, "main"))
    assert all(one.rule == "tools-changed" and one.outcome == "refused" for one in found)
    return [one.message for one in found]


def name(root: Path, tools: str) -> None:
    (root / "vstack.yaml").write_text(f"{YAML}tools: {tools}\n")


def test_the_target_branchs_own_tools_are_run(root: Path) -> None:
    (root / "fits.py").write_text("honest work\n")
    assert said(root) == []


def test_a_launcher_in_the_pull_request_is_not_run(root: Path) -> None:
    (root / "java.sh").write_text("#!/bin/sh\ntouch /tmp/ran\n")
    names = ("java: java.sh", "java: /usr/bin/env", "tlc_jar: ../../other.jar", "tlapm: java.sh", "apalache: java.sh")
    for tools in (f"{{{one}}}" for one in names):
        name(root, tools)
        assert "is not what main names" in said(root)[0], tools


def test_the_bytes_count_and_those_of_what_the_manifest_pulls_in(root: Path) -> None:
    jar(root / "tools" / "tla2tools.jar", beside="beside.jar", more="evil")
    assert said(root) == ["tools.tlc_jar: tla2tools.jar is not the file that main holds"]
    git(root, "checkout", "-q", "main", "--", "tools")
    jar(root / "tools" / "beside.jar", more="evil")
    assert said(root) == ["tools.tlc_jar: beside.jar is not the file that main holds"]


def test_a_link_in_the_tree_leads_nowhere(root: Path, tmp_path: Path) -> None:
    shutil.move(root / "tools" / "tla2tools.jar", tmp_path / "away.jar")
    (root / "tools" / "tla2tools.jar").symlink_to(tmp_path / "away.jar")
    assert "leads through a link" in said(root)[0]
    git(root, "checkout", "-q", "main", "--", "tools")
    assert said(root) == []
    shutil.move(root / "tools", root / "real")
    (root / "tools").symlink_to("real")
    assert "leads through a link" in said(root)[0]


def test_a_java_of_this_tree_is_more_than_its_file(root: Path) -> None:
    (root / "jdk" / "bin").mkdir(parents=True)
    (root / "jdk" / "bin" / "java").write_text("#!/bin/sh\n")
    name(root, "{java: jdk}")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a Java of our own")
    git(root, "branch", "-f", "main")
    assert "a program of this very tree" in said(root)[0]


def test_what_the_workflow_puts_there_is_no_ones_pull_request(root: Path) -> None:
    name(root, "{tlc_jar: downloaded.jar}")
    (root / ".gitignore").write_text("*.jar\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "downloaded")
    git(root, "branch", "-f", "main")
    jar(root / "downloaded.jar")
    assert said(root) == []


def test_a_first_adoption_may_name_what_lies_outside_of_the_tree(root: Path, tmp_path: Path) -> None:
    other = root.parent / "second"
    other.mkdir()
    name(other, f"{{java: {tmp_path / 'java'}}}")
    assert said(other) == []
    (other / "java.sh").write_text("x")
    name(other, "{java: java.sh}")
    assert "is not what main names (nothing)" in said(other)[0]
    assert (
        subprocess.run(["git", "-C", str(root), "status", "--porcelain"], capture_output=True, check=True).stdout == b""
    )
