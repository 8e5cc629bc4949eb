"""Children stopped from outside their own thread, watched while silent, and kept from filling the memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from vstack.process import run, stop_all


def test_stop_all_ends_children_of_other_threads(tmp_path: Path) -> None:
    ends: list[BaseException] = []
    started = threading.Event()

    def work() -> None:
        try:
            run(["sh", "-c", "echo up; sleep 300"], cwd=tmp_path, env=os.environ, seconds=60, on_line=up)
        except KeyboardInterrupt as error:
            ends.append(error)

    def up(_: str) -> None:
        started.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert started.wait(20)
    stop_all()
    thread.join(20)
    assert not thread.is_alive()
    assert len(ends) == 1


def test_a_silent_child_is_watched(tmp_path: Path) -> None:
    begun = time.monotonic()
    ended = run(
        ["sleep", "300"],
        cwd=tmp_path,
        env=os.environ,
        seconds=60,
        on_tick=lambda: "seen enough" if time.monotonic() - begun > 1 else None,
    )
    assert ended.stopped == "seen enough"
    assert ended.seconds < 20


@pytest.mark.parametrize("keep", [3, None])
def test_only_the_last_lines_are_kept(tmp_path: Path, keep: int | None) -> None:
    seen: list[str] = []
    ended = run(
        ["sh", "-c", "for i in 1 2 3 4 5; do echo $i; done"],
        cwd=tmp_path,
        env=os.environ,
        seconds=20,
        on_line=lambda line: seen.append(line),
        keep_lines=keep,
    )
    assert seen == [f"{number}\n" for number in range(1, 6)]
    assert ended.stdout.split() == [str(number) for number in range(6 - (keep or 5), 6)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_pool_of_engines_at_once(tmp_path: Path, number: int) -> None:
    pids = tmp_path / "pids"
    code = f"""
import os, signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import vstack.cli as cli
from vstack.process import run
for each in (signal.SIGINT, signal.SIGTERM):
    signal.signal(each, cli._stop)
def engine(_):
    run(["sh", "-c", "echo $$ >> {pids}; sleep 300"], cwd=Path("/"), env=os.environ, seconds=300)
with ThreadPoolExecutor(2) as pool:
    list(pool.map(engine, range(6)))
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (not pids.exists() or len(pids.read_text().split()) < 2):
        time.sleep(0.1)
    parent.send_signal(number)
    begun = time.monotonic()
    assert parent.wait(timeout=30) != 0
    assert time.monotonic() - begun < 15
    started = [int(text) for text in pids.read_text().split()]
    assert len(started) == 2, "the four that were queued are never started"
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


def test_a_watcher_that_fails_ends_the_child_and_is_heard(tmp_path: Path) -> None:
    def fail() -> str | None:
        raise RuntimeError("no more")

    begun = time.monotonic()
    with pytest.raises(RuntimeError, match="no more"):
        run(["sleep", "300"], cwd=tmp_path, env=os.environ, seconds=60, on_tick=fail)
    assert time.monotonic() - begun < 20
