"""Java and jar together: versions from the programs themselves, and no JVM on a second look."""

import shutil

import pytest

from tests.tools.launchers import counting, saying, starts
from vstack.errors import VstackError
from vstack.tools.find import find_tools
from vstack.tools.java import find_java


def test_a_second_look_starts_no_jvm(tmp_path):
    launcher, log = counting(tmp_path, str(find_java().path))
    first = find_tools(java=launcher)
    before = starts(log)
    assert before == 2
    assert find_tools(java=launcher) == first
    assert starts(log) == before
    assert first.tlc_version.startswith("2.15")
    assert first.java == (str(launcher),)


def test_an_unwritable_cache_only_costs_time(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("VSTACK_CACHE", str(blocked / "cache"))
    assert find_tools().tlc_version.startswith("2.15")


def test_a_broken_cache_file_knows_nothing(private_cache):
    find_tools()
    for path in private_cache.rglob("*.json"):
        path.write_text("{ broken")
    assert find_tools().tlc_version.startswith("2.15")


def test_a_java_that_cannot_run_tlc_is_an_error(tmp_path):
    with pytest.raises(VstackError, match="doesn't say its version"):
        find_tools(java=saying(tmp_path / "hollow", "17.0.1"))


def test_a_path_with_spaces_and_letters(tmp_path):
    folder = tmp_path / "wörk späce"
    folder.mkdir()
    jar = folder / "tla2tools.jar"
    shutil.copy(find_tools().jar, jar)
    launcher, log = counting(folder, str(find_java().path))
    # The version is known by the jar's hash already; the features are asked of this very copy.
    tools = find_tools(jar=jar, java=launcher)
    assert tools.features.option("-deadlock")
    assert starts(log) == 2
