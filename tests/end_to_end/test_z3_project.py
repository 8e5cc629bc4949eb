"""A project of Z3 goals alone: approved, decided, and held to the assumptions in its lock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

VSTACK = [sys.executable, "-m", "vstack"]
YAML = """version: 1
project: offsets
goals:
  Fits: {kind: z3, english: A slot's offset lies before the next page., script: fits.py}
"""
SCRIPT = """import z3
from vstack.verify.z3_api import Obligation

def goal():
    page, slot, size = z3.Ints("page slot size")
    return Obligation("fits", page * size + slot < (page + 1) * size, {"in_page": z3.And(slot >= 0, slot < size)})
"""


def vstack(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*VSTACK, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_a_goal_is_proved_and_an_assumption_that_is_not_approved_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vstack.yaml").write_text(YAML)
    (tmp_path / "fits.py").write_text(SCRIPT)
    approving = vstack(tmp_path, "spec", "approve", "--demo", "--yes")
    assert approving.returncode == 0
    # What is approved is what was handed over, not what a script seems to say.
    assert "fits/assume in_page: (and (>= slot 0) (< slot size))" in approving.stdout + approving.stderr
    ended = vstack(tmp_path, "check", "-q", "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (report,) = json.loads(ended.stdout)
    assert report["outcome"] == "holds"
    (record,) = report["z3"]
    assert (record["verdict"], record["strength"]) == ("holds", "proved")
    (tmp_path / "fits.py").write_text(SCRIPT.replace("slot < size)", "slot < size, page < 0)"))
    told = vstack(tmp_path, "spec", "approve", "--demo").stdout
    assert "Fits now states" in told and "(< page 0)" in told
    ended = vstack(tmp_path, "check", "-q", "--json")
    assert ended.returncode == 1
    (report,) = json.loads(ended.stdout)
    assert report["outcome"] == "refused"
    assert any("in_page" in finding["message"] for finding in report["findings"])
    assert report["z3"] == []


def test_a_false_goal_is_violated_with_its_values(tmp_path: Path) -> None:
    (tmp_path / "vstack.yaml").write_text(YAML)
    (tmp_path / "fits.py").write_text(SCRIPT.replace("slot < size)", "slot <= size)"))
    ended = vstack(tmp_path, "verify", "--json", "-q")
    assert ended.returncode == 1
    (record,) = json.loads(ended.stdout)
    assert record["verdict"] == "violated"
    assert {"page", "slot", "size"} <= set(json.dumps(record["detail"]).replace('"', " ").split())
