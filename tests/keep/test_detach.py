"""Detached runs go on after their caller, can be asked for, and can be stopped."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vstack.errors import VstackError
from vstack.keep.detach import list_runs, read, start, stop

POOL = Path(__file__).parent.parent / "validate" / "traces" / "pool"


def ended(folder: Path, seconds: float) -> str:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        run = read(folder)
        if run.returncode is not None or not run.alive:
            return run.state
        time.sleep(0.1)
    return read(folder).state


def test_a_run_leaves_its_exit_code_and_output(tmp_path: Path) -> None:
    run = start(tmp_path, ["tools", "--nonsense"], cwd=tmp_path)
    assert ended(run.folder, 30) == "ended (exit 2)"
    assert "No such option" in read(run.folder).output
    assert [found.id for found in list_runs(tmp_path)] == [run.id]


def test_the_command_line_starts_and_asks(tmp_path: Path) -> None:
    for name in ("Pool.tla", "vstack.yaml"):
        shutil.copy(POOL / name, tmp_path / name)
    base = [sys.executable, "-m", "vstack"]
    begun = subprocess.run([*base, "verify", ".", "--detach"], cwd=tmp_path, capture_output=True, text=True, check=True)
    name = begun.stdout.split()[0]
    asked = subprocess.run(
        [*base, "status", name, "--wait", "60"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert "pool/threads/Isolation: holds (bounded)" in asked.stdout


def test_a_run_can_be_stopped(tmp_path: Path) -> None:
    module = (POOL / "Pool.tla").read_text().replace("owner = [p", "Pages # {} /\\ owner = [p")
    (tmp_path / "Pool.tla").write_text(module)
    text = (POOL / "vstack.yaml").read_text().replace("{0, 1, 2}", "{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}")
    (tmp_path / "vstack.yaml").write_text(text)
    run = start(tmp_path / ".vstack", ["verify", "."], cwd=tmp_path)
    time.sleep(3)
    assert read(run.folder).state == "running"
    stop(read(run.folder))
    assert ended(run.folder, 30) == "ended (exit 130)"
    assert "Stopped. Nothing is left half-written" in read(run.folder).output


def test_an_unknown_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(VstackError, match="No detached run of that name"):
        read(tmp_path / "runs" / "never")
