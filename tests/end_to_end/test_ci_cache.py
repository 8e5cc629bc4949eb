"""`vstack ci --cache` in a real repository: a trusted run writes, a pull request only reads what was signed."""

from __future__ import annotations

import json
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


def test_a_pull_request_reads_what_was_signed_and_writes_nothing(tmp_path: Path, key: Path) -> None:
    folder, cache = tmp_path / "repository", tmp_path / "cache"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "Toy.tla").write_text(TOY)
    (folder / "vstack.yaml").write_text(YAML)
    (folder / "sum.py").write_text(SCRIPT.replace("PATHS", "()"))
    assert subprocess.run([*VSTACK, "spec", "approve", "--demo", "--yes"], cwd=folder, check=False).returncode == 0
    with (folder / "vstack.approvers").open("a") as approvers:
        approvers.write(line(key, 'namespaces="vstack-evidence"'))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "start")

    code, report, said = ci(folder, "--trusted", str(cache))
    assert code == 0, (report.get("reasons"), said)
    code, _, said = ci(folder, "--trusted", str(cache))
    assert code == 2 and "is not empty" in said, "who signs what lies there must know who put it there"
    (bundle,) = cache.iterdir()
    first = report["cells"][0]["evidence"]
    git(folder, "checkout", "-q", "-b", "work")
    _, report, _ = ci(folder, "--cache", str(cache))
    assert "not believed: there is no toy-" in report["evidence"], "it is not signed yet"
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
