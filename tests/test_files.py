"""Files are written whole or not at all, and two runs don't mix."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vstack.errors import VstackError
from vstack.files import exclusive, read_text, sha256_bytes, sha256_file, write_atomic
from vstack.guard.index import digest_of
from vstack.guard.sections import section_digests
from vstack.keep.evidence import EvidenceStore
from vstack.project import load_project
from vstack.reproduce.saved import read_saved, saved_path
from vstack.validate.traces.recorded import driver_digest

DRIVEN = """version: 1
project: p
repos: {r: {url: u}}
goals: {G: {kind: z3, english: x, script: g.py}}
reproduce: {repo: r, driver: driver/d.py}
"""


def test_a_written_file_has_the_new_text_and_leaves_no_temporary(tmp_path: Path) -> None:
    path = tmp_path / "some folder" / "naïve.txt"
    write_atomic(path, "one")
    write_atomic(path, "two")
    assert path.read_text() == "two"
    assert os.listdir(path.parent) == ["naïve.txt"]


def test_the_mode_of_a_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_text("old")
    path.chmod(0o750)
    write_atomic(path, "new")
    assert path.stat().st_mode & 0o777 == 0o750


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("old")
    code = f"""
import resource
from pathlib import Path
from vstack.errors import VstackError
from vstack.files import write_atomic
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomic(Path({str(path)!r}), b"x" * 100_000)
except VstackError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "can't be written" in ended.stdout
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["kept"]


def test_a_place_that_can_not_be_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VstackError, match="can't be written"):
        write_atomic(tmp_path / "file" / "below", "text")


def test_a_second_run_in_one_project_is_told_so(tmp_path: Path) -> None:
    lock = tmp_path / "run.lock"
    with exclusive(lock, what="the project x"), pytest.raises(VstackError, match="Another run is at work on the project x"):
        with exclusive(lock, what="the project x"):
            pass
    with exclusive(lock, what="the project x"):
        assert lock.exists()


def test_hashes_are_those_of_sha256sum(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"abc" * 700_000)
    wanted = subprocess.run(["sha256sum", str(path)], capture_output=True, text=True, check=True).stdout.split()[0]
    assert sha256_file(path) == sha256_bytes(path.read_bytes()) == wanted


def test_reading_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(VstackError, match="does not exist .*gone"):
        read_text(tmp_path / "gone")
    with pytest.raises(VstackError, match="can't be read"):
        read_text(tmp_path)


def test_a_pipe_or_a_device_is_no_file_to_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    with pytest.raises(VstackError, match="named pipe, not a regular file .*pipe"):
        read_text(tmp_path / "pipe")
    with pytest.raises(VstackError, match="device, not a regular file .*zeros"):
        read_text(tmp_path / "zeros")
    with pytest.raises(OSError, match="named pipe"):
        sha256_file(tmp_path / "pipe")


def test_no_reader_of_a_projects_files_waits_for_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert digest_of(str(pipe)) == "missing" and section_digests(str(pipe)) == {}
    store = EvidenceStore(tmp_path)
    store.path("ab").parent.mkdir()
    os.mkfifo(store.path("ab"))
    assert store.get("ab") is None
    (tmp_path / "driver").mkdir()
    (tmp_path / "driver" / "d.py").write_text("")
    (tmp_path / "vstack.yaml").write_text(DRIVEN)
    project = load_project(tmp_path)
    assert driver_digest(project)
    os.mkfifo(tmp_path / "driver" / "more.py")
    with pytest.raises(VstackError, match="beside the driver can't be read.*more.py"):
        driver_digest(project)
    os.mkfifo(saved_path(project))
    with pytest.raises(VstackError, match="saved results can't be read"):
        read_saved(project)
