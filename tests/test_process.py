"""Children end with their whole group: at a budget, on a word from the reader, on ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vstack.process import run

# A child with a child of its own, which writes its pid and sleeps.
NEST = ["sh", "-c", "sleep 300 & echo $!; wait"]


def gone(pid: int) -> bool:
    for _ in range(50):
        try:
            if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.1)
    return False


def test_output_and_status_come_back(tmp_path: Path) -> None:
    ended = run(["sh", "-c", "echo out; echo err >&2; exit 3"], cwd=tmp_path, env=os.environ, seconds=20)
    assert (ended.returncode, ended.stdout, ended.stderr, ended.stopped) == (3, "out\n", "err\n", None)


def test_a_budget_ends_the_whole_group(tmp_path: Path) -> None:
    ended = run(NEST, cwd=tmp_path, env=os.environ, seconds=1)
    assert ended.stopped == "out of time after 1 s"
    assert gone(int(ended.stdout))


def test_the_reader_of_lines_can_stop_it(tmp_path: Path) -> None:
    ended = run(NEST, cwd=tmp_path, env=os.environ, seconds=60, on_line=lambda line: f"saw {line.strip()}")
    assert ended.stopped == f"saw {ended.stdout.strip()}"
    assert gone(int(ended.stdout))


def test_ctrl_c_leaves_nothing_running(tmp_path: Path) -> None:
    code = f"""
import os, signal
from pathlib import Path
from vstack.process import run
signal.signal(signal.SIGINT, signal.default_int_handler)
run({NEST!r}, cwd=Path({str(tmp_path)!r}), env=os.environ, seconds=60, on_line=lambda line: print(line, flush=True))
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.send_signal(signal.SIGINT)
    _, errors = parent.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    assert gone(pid)


def test_the_command_line_ends_its_engines_when_it_is_terminated(tmp_path: Path) -> None:
    code = f"""
import os, sys
from pathlib import Path
import vstack.cli
from vstack.process import run
def work(**options):
    run({NEST!r}, cwd=Path({str(tmp_path)!r}), env=os.environ, seconds=60, on_line=lambda line: print(line, flush=True))
vstack.cli.main_group.main = work
vstack.cli.main()
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.terminate()
    assert parent.wait(timeout=30) == 128 + signal.SIGTERM
    assert gone(pid)


def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        run(["no-such-program"], cwd=tmp_path, env=os.environ, seconds=1)


@pytest.mark.parametrize("delay_ms", [0, 1, 2, 3, 5, 8])
def test_ctrl_c_while_a_child_is_being_started_leaves_nothing(tmp_path: Path, delay_ms: int) -> None:
    # The signal comes at the worst moment: from within the start of the child itself.
    mark = f"3{delay_ms:02d}.{os.getpid()}"
    code = f"""
import os, signal, subprocess, time
from pathlib import Path
from vstack import process
real = subprocess.Popen
class Interrupting(real):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        time.sleep({delay_ms} / 1000)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
process.subprocess.Popen = Interrupting
process.run(["sleep", "{mark}"], cwd=Path("/"), env=os.environ, seconds=60)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert "KeyboardInterrupt" in ended.stderr
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            commands.append(path.read_bytes())
    assert f"sleep\0{mark}\0".encode() not in commands
