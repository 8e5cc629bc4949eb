"""Children stopped from outside their own thread, watched while silent, and kept from filling the memory."""

from __future__ import annotations

import os
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
