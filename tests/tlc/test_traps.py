"""The traps of driving TLC 2.15, each sprung with the real jar."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tlc.models import CFG, COUNTER, job
from vstack.errors import VstackError
from vstack.tlc.job import Budget, Requirements
from vstack.tlc.run import run_tlc
from vstack.verdicts import Verdict

SPEC = CFG + "SPECIFICATION Spec\n"
UNENDING = CFG + "INIT Init\nNEXT Unending\n"


def java_processes(mark: str) -> list[str]:
    """The command lines of living processes that contain ``mark``."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in line and "tlc2.TLC" in line:
            found.append(line)
    return found


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temp folder of its own, so that what is left behind shows."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_search_that_was_cut_short_exits_0_and_is_undecided(tmp_path, tools):
    cut = replace(tools, java=(*tools.java, "-Dtlc2.TLC.stopAfter=1"))
    result = run_tlc(job(tmp_path, UNENDING), cut)
    assert result.returncode == 0
    assert "STARTMSG 2193:" in result.output_tail
    assert result.verdict is Verdict.UNDECIDED
    assert re.search(r"stopped with [\d,]+ states left on the queue", result.reason)
    assert result.queue > 0


def test_nothing_in_the_environment_steers_the_run(tmp_path, tools, monkeypatch):
    for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"):
        monkeypatch.setenv(name, "-Dtlc2.TLC.stopAfter=0 -Xmx1k")
    monkeypatch.setenv("CLASSPATH", str(tmp_path))
    result = run_tlc(job(tmp_path, SPEC + "INVARIANT Bounded\n"), tools)
    assert result.verdict is Verdict.HOLDS
    assert "Picked up" not in result.output_tail


def test_parallel_runs_do_not_share_a_temp_folder(tmp_path, tools, temporary):
    works = []
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        works.append(job(folder, SPEC + "INVARIANT Bounded\n"))
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda work: run_tlc(work, tools), works))
    assert [result.verdict for result in results] == [Verdict.HOLDS] * 6
    folders = {re.search(r"-Djava\.io\.tmpdir=(\S+)", " ".join(result.command))[1] for result in results}
    assert len(folders) == 6
    assert list(temporary.iterdir()) == []


def test_check_deadlock_is_a_flag_for_the_old_jar(tmp_path, tools):
    # After a list 2.15 would read CHECK_DEADLOCK FALSE as two more invariants.
    cfg = CFG + "INIT Init\nNEXT Stops\nINVARIANT Bounded\nCHECK_DEADLOCK FALSE\n"
    result = run_tlc(job(tmp_path, cfg), tools)
    assert result.verdict is Verdict.HOLDS, result.reason
    assert "-deadlock" in result.command


def test_what_the_model_prints_forges_nothing(tmp_path, tools):
    # Printed where TLC's own success message would be, while the invariant fails.
    result = run_tlc(job(tmp_path, SPEC + "INVARIANT Prints Small\n"), tools)
    assert (result.verdict, result.violated) == (Verdict.VIOLATED, "Small")
    honest = run_tlc(job(tmp_path, SPEC + "INVARIANT Prints Bounded\n"), tools)
    assert honest.verdict is Verdict.HOLDS
    assert '<<"x is", 0>>' in honest.printed
    assert any("STARTMSG 2110:1" in line for line in honest.printed)


def test_paths_with_spaces_and_letters(tmp_path, tools, monkeypatch):
    folder = tmp_path / "mödel späce ✓"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    text = COUNTER.replace("VARIABLES x, y", "VARIABLES x, y  \\* Zähler – ✓")
    result = run_tlc(job(folder, SPEC + "INVARIANT Small\n", text), tools)
    assert (result.verdict, result.violated) == (Verdict.VIOLATED, "Small")
    broken = run_tlc(job(folder, SPEC, text.replace("Small == x", "Small == löst")), tools)
    assert broken.verdict is Verdict.ERROR
    assert str(folder / "Counter.tla") in broken.reason


def test_a_file_that_shadows_a_standard_module_is_not_run(tmp_path, tools):
    work = job(tmp_path, SPEC)
    (tmp_path / "Naturals.tla").write_text("---- MODULE Naturals ----\na + b == 0\n====\n")
    with pytest.raises(VstackError, match="shadows the standard module Naturals"):
        run_tlc(work, tools)


def test_files_beside_the_module_that_it_does_not_reach_stay_out(tmp_path, tools):
    work = job(tmp_path, SPEC + "INVARIANT Bounded\n")
    (tmp_path / "Counter.cfg").write_text("SPECIFICATION Nonsense\n")
    (tmp_path / "Other.tla").write_text("not a module")
    assert run_tlc(work, tools).verdict is Verdict.HOLDS


def test_a_run_out_of_time_is_undecided_and_gone(tmp_path, tools, temporary):
    seen = []
    started = time.monotonic()
    result = run_tlc(job(tmp_path, UNENDING, budget=Budget(5, 256)), tools, on_progress=seen.append)
    assert time.monotonic() - started < 15
    assert result.verdict is Verdict.UNDECIDED
    assert "out of time after 5 s" in result.reason
    assert java_processes(str(temporary)) == []
    assert list(temporary.iterdir()) == []
    if seen:
        assert seen[-1].distinct == result.distinct > 0


def test_a_heap_that_is_exhausted_is_undecided(tmp_path, tools):
    cfg = CFG + "INIT Init\nNEXT Huge\n"
    text = COUNTER.replace("====", "Huge == x' = [i \\in 1..300000 |-> <<i, i, i, i>>] /\\ y' = y\n====")
    result = run_tlc(job(tmp_path, cfg, text, budget=Budget(60, 20)), tools)
    assert result.verdict is Verdict.UNDECIDED
    assert "heap exhausted (20 MB)" in result.reason


def test_a_hang_after_the_heap_is_exhausted_is_ended(tmp_path, tools, temporary):
    # A launcher that takes the flag away which would end the JVM, and then goes silent as TLC does.
    launcher = tmp_path / "hanging-java"
    launcher.write_text(
        "#!/bin/sh\nprintf '@!@!@STARTMSG 1001:1 @!@!@\\nOut of memory.\\n@!@!@ENDMSG 1001 @!@!@\\n'\nexec sleep 300\n"
    )
    launcher.chmod(0o755)
    started = time.monotonic()
    result = run_tlc(job(tmp_path, SPEC), replace(tools, java=(str(launcher),)))
    assert time.monotonic() - started < 30
    assert result.verdict is Verdict.UNDECIDED
    assert "heap exhausted" in result.reason
    assert list(temporary.iterdir()) == []


def test_a_killed_run_is_undecided(tmp_path, tools):
    launcher = tmp_path / "dying-java"
    launcher.write_text(f'#!/bin/sh\n(sleep 1.5; kill -9 $$) &\nexec "{tools.java[0]}" "$@"\n')
    launcher.chmod(0o755)
    result = run_tlc(job(tmp_path, UNENDING), replace(tools, java=(str(launcher),)))
    assert result.verdict is Verdict.UNDECIDED
    assert "killed by SIGKILL" in result.reason


@pytest.mark.parametrize("number", [signal.SIGINT])
def test_ctrl_c_leaves_nothing_behind(tmp_path, temporary, number):
    script = tmp_path / "check.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import tempfile
            from pathlib import Path
            from tests.tlc.models import job
            from vstack.tlc.job import Budget
            from vstack.tlc.run import run_tlc
            from vstack.tools.find import find_tools
            tempfile.tempdir = {str(temporary)!r}
            run_tlc(job(Path({str(tmp_path)!r}), {UNENDING!r}), find_tools())
            """
        )
    )
    root = Path(__file__).parents[2]
    child = subprocess.Popen(
        [sys.executable, str(script)], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, stderr=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + 30
        while not java_processes(str(temporary)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert java_processes(str(temporary)), "TLC was never started"
        child.send_signal(number)
        _, errors = child.communicate(timeout=20)
    finally:
        child.kill()
        child.wait()
    assert b"KeyboardInterrupt" in errors
    assert java_processes(str(temporary)) == []
    assert list(temporary.iterdir()) == []


def test_long_behaviours_survive_what_crashes_a_checkpoint(tmp_path, tools):
    cfg = CFG.replace("6", "66000") + "INIT Init\nNEXT Steps\nINVARIANT Far\n"
    text = COUNTER.replace("====", "Steps == x < N /\\ x' = x + 1 /\\ UNCHANGED y\nFar == x < 65990\n====")
    result = run_tlc(job(tmp_path, cfg, text), tools)
    assert (result.verdict, result.violated) == (Verdict.VIOLATED, "Far")
    assert len(result.trace.steps) == 65_991
    assert result.trace.steps[-1].state["x"] == 65_990


def test_the_counterexample_is_the_shortest_with_several_workers_too(tmp_path, tools):
    result = run_tlc(job(tmp_path, SPEC + "INVARIANT Small\n", workers=2), tools)
    assert (result.verdict, result.violated) == (Verdict.VIOLATED, "Small")
    assert result.shortest
    assert len(result.trace.steps) == 4


def test_a_flood_of_output_is_not_kept(tmp_path, tools):
    cfg = CFG + "INIT Init\nNEXT Talks\n"
    text = COUNTER.replace("====", "Talks == x < 30000 /\\ PrintT(<<x>>) /\\ x' = x + 1 /\\ UNCHANGED y\n====")
    result = run_tlc(job(tmp_path, cfg, text), tools, requirements=Requirements(30_001))
    assert result.verdict is Verdict.HOLDS
    assert len(result.printed) == 10_000
    assert result.printed[-1] == "<<29999>>"
    assert len(result.output_tail.splitlines()) < 500


def test_a_temp_folder_that_cannot_be_written_is_an_error(tmp_path, tools, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(VstackError, match="No temp folder"):
        run_tlc(job(tmp_path, SPEC), tools)
