"""`vstack ci --cache` in a real repository: a trusted run writes, a pull request only reads what was signed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.test_ci import edit, git
from tests.keep.test_bundle import line, sign
from tests.specify.keys import make_key

VSTACK = [sys.executable, "-m", "vstack"]
TOY = r"""---- MODULE Toy ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
\* @ours one step
Go == x < 2 /\ x' = x + 1
Next == Go
Spec == Init /\ [][Next]_x
Small == x < 3
====
"""
YAML = """version: 1
project: toy
model: {module: Toy.tla}
goals:
  Small: {english: x stays small, formula: Small}
  Sum: {kind: z3, english: one and one, script: sum.py}
environments: {calm: {english: nothing}}
variants: {it: {english: as it is, ours: true}}
matrix: {it: {calm: {Small: holds}}}
policy: {software_keys: true}
"""
# Tries to write a record and to sign it, as a goal of a pull request would.
SCRIPT = """import z3
from vstack.verify.z3_api import Obligation

def goal():
    x, y = z3.Ints("x y")
    for path in PATHS:
        try:
            open(path, "w").write("{}")
        except OSError:
            pass
    return Obligation("sum", x + y > x, {"some": y > 0})
"""


def ci(folder: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    ended = subprocess.run(
        [*VSTACK, "ci", "--base", "main", "-q", "--json", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, json.loads(ended.stdout) if ended.stdout else {}, ended.stderr


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_key(tmp_path_factory.mktemp("key") / "ci")


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Path:
    """A repository whose main holds an approved project, and lists a key for evidence."""
    folder = tmp_path_factory.mktemp("approved") / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "Toy.tla").write_text(TOY)
    (folder / "vstack.yaml").write_text(YAML)
    (folder / "sum.py").write_text(SCRIPT.replace("PATHS", "()"))
    ended = subprocess.run(
        [*VSTACK, "spec", "approve", "--demo", "--yes"], cwd=folder, capture_output=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    with (folder / "vstack.approvers").open("a") as approvers:
        approvers.write(line(key, 'namespaces="vstack-evidence"'))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "start")
    return folder


@pytest.fixture
def folder(approved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(approved, tmp_path / "repository"))


def test_a_pull_request_reads_what_was_signed_and_writes_nothing(folder: Path, tmp_path: Path, key: Path) -> None:
    cache = tmp_path / "cache"
    code, report, said = ci(folder, "--trusted", str(cache))
    assert code == 0, (report.get("reasons"), said)
    code, _, said = ci(folder, "--trusted", str(cache))
    assert code == 2 and "is not empty" in said, "who signs what lies there must know who put it there"
    (bundle,) = cache.iterdir()
    first = report["cells"][0]["evidence"]
    git(folder, "checkout", "-q", "-b", "work")
    sign(bundle, key)
    before = {path: path.read_bytes() for path in cache.iterdir()}

    # The same inputs: the very record of the target branch's run, whoever asks.
    code, report, _ = ci(folder, "--cache", str(cache))
    assert code == 0 and report["cells"][0]["evidence"] == first
    assert "records are evidence of main at" in report["evidence"] and "signed by ci@example.org" in report["evidence"]

    # Another model: nothing of the cache answers for it, and a script of the pull request's can't write there.
    edit(folder / "Toy.tla", "x' = x + 1", "x' = x + 3")
    edit(folder / "sum.py", "in ()", "in " + repr((str(bundle), str(cache / "more.json"), str(folder / "vstack.lock"))))
    git(folder, "commit", "-q", "-a", "-m", "work")
    code, _, said = ci(folder, "--cache", str(cache))
    assert code == 1 and {path: path.read_bytes() for path in cache.iterdir()} == before
    assert "[z3-reach]" in said and "for writing" in said
    git(folder, "checkout", "-q", "main", "--", "sum.py")
    code, report, _ = ci(folder, "--cache", str(cache))
    assert code == 1 and report["cells"][0]["evidence"]["verdict"] == "violated"
    assert report["evidence"].startswith("0 of ")

    # A pull request is not the target branch, and the files of one are not its own.
    code, _, said = ci(folder, "--trusted", str(tmp_path / "more"))
    assert code == 2 and "--trusted is for main itself" in said
    assert {path: path.read_bytes() for path in cache.iterdir()} == before
    assert not (folder / ".vstack" / "evidence").exists()


def test_parts_are_joined_when_all_are_there_and_a_part_is_no_outcome(folder: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts"

    def shard(which: str, *more: str) -> subprocess.CompletedProcess[str]:
        command = [*VSTACK, "ci", "--base", "main", "-q", "--shard", which, "--parts", str(parts), *more]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    records = 0
    for which in ("1/2", "2/2"):
        ended = shard(which)
        assert ended.returncode == 0, ended.stderr
        (told,) = ended.stdout.splitlines()
        assert told.startswith(f"toy: shard {which}: ") and told.endswith("A part has no outcome.")
        records += int(told.split()[3])
    assert records == 1, "the one cell was run by one of them"
    code, report, said = ci(folder, "--join", str(parts))
    assert code == 0, said
    assert report["outcome"] == "as expected" and report["evidence"].startswith("1 of ")
    assert "2 parts that jobs of this run made (not signed" in report["evidence"]
    # An incomplete or mixed set, parts of another commit: no outcome at all.
    lost = next(parts.glob("*.2of2.json"))
    kept = lost.read_bytes()
    lost.unlink()
    code, report, said = ci(folder, "--join", str(parts))
    assert (code, report) == (2, {}) and "the part 2/2 is missing" in said
    lost.write_bytes(kept)
    mixed = lost.with_name(lost.name.replace("2of2", "1of1"))
    mixed.write_bytes(kept.replace(b'"2/2"', b'"1/1"'))
    assert "parts of several wholes" in ci(folder, "--join", str(parts))[2]
    mixed.unlink()
    git(folder, "commit", "-q", "--allow-empty", "-m", "on")
    assert "made of another commit" in ci(folder, "--join", str(parts))[2]
    assert "A shard writes its part and nothing else" in shard("1/2", "--sarif", "x.sarif").stderr
    assert "`3/2` names no part" in shard("3/2").stderr
    # What is refused is refused by every part, before anything is run.
    edit(folder / "vstack.yaml", "Small: holds", "Small: violated")
    ended = shard("1/2")
    assert ended.returncode == 1 and "VS101 unapproved-change" in ended.stdout
