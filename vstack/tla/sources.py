"""The files of a specification: which modules a root module reaches, and where each is."""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import read_text, sha256_file
from vstack.tla.lexer import module_names

_STANDARD = "tla2sany/StandardModules/"


@dataclass(frozen=True, slots=True)
class Source:
    """One module file that is not in the jar: what it extends and instantiates is as written."""

    name: str
    path: Path
    text: str
    extends: tuple[str, ...]
    instances: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Jar:
    """A ``tla2tools.jar``: its hash and the names of its standard modules."""

    path: Path
    sha256: str
    standard: frozenset[str]


def read_jar(path: Path) -> Jar:
    """The jar at ``path``; read once per process while the file is unchanged.

    Raises:
        VstackError: it is missing or no jar.
    """
    try:
        status = path.stat()
    except OSError:
        raise VstackError("The TLA+ tools' jar does not exist", where=str(path)) from None
    return _read_jar(path.resolve(), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _read_jar(path: Path, _mtime: int, _size: int) -> Jar:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        raise VstackError("The TLA+ tools' jar can't be read as a jar", where=str(path)) from None
    standard = {
        name.removeprefix(_STANDARD).removesuffix(".tla")
        for name in names
        if name.startswith(_STANDARD) and name.endswith(".tla")
    }
    if not standard:
        raise VstackError("The jar holds no standard modules of TLA+", where=str(path), todo="Name a tla2tools.jar")
    return Jar(path, sha256_file(path), frozenset(standard))


def gather(path: Path, search: Sequence[Path], standard: frozenset[str]) -> dict[str, Source]:
    """The root module at ``path`` and every module file it reaches, root first.

    A module is looked for in the root's folder, then in ``search`` in order. A
    name that no folder holds is left out: SANY says which module misses it.

    Raises:
        VstackError: the root can't be read, or a reached file has a standard module's name.
    """
    folders = list(dict.fromkeys([path.parent, *search]))
    found: dict[str, Source] = {}
    pending = [(path.stem, path)]
    while pending:
        name, place = pending.pop(0)
        if name in found:
            continue
        if name in standard:
            raise VstackError(
                f"The file shadows the standard module {name}",
                where=str(place),
                todo="Rename the module: a specification must mean the same wherever it is read",
            )
        text = read_text(place)
        extends, instances = module_names(text)
        found[name] = Source(name, place, text, extends, instances)
        for wanted in (*extends, *instances):
            file = next((folder / f"{wanted}.tla" for folder in folders if (folder / f"{wanted}.tla").is_file()), None)
            if file is not None:
                pending.append((wanted, file))
    return found
