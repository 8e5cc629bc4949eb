"""Find tlapm, and say by hash which one it is: the program, its back-ends, its library."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import sha256_bytes, sha256_file
from vstack.process import run
from vstack.project import Project

_START_SECONDS = 30.0


@dataclass(frozen=True)
class Tlapm:
    """A tlapm: ``sha256`` covers the program, the back-ends and the library modules that lie with it."""

    path: Path
    version: str
    sha256: str
    library: Path


def find_tlapm(project: Project) -> Tlapm | None:
    """The tlapm that `tools.tlapm` or ``VSTACK_TLAPM`` names, else the one in ``PATH``; None if there is none.

    Raises:
        VstackError: the one that was named is missing or doesn't run.
    """
    named = project.file.tools.tlapm
    wanted = project.root / Path(named).expanduser() if named else None
    if wanted is None and os.environ.get("VSTACK_TLAPM"):
        wanted = Path(os.environ["VSTACK_TLAPM"])
    if wanted is not None:
        if not (wanted.is_file() and os.access(wanted, os.X_OK)):
            raise VstackError(
                "The tlapm that was named is not a program", where=str(wanted), todo="Name a tlapm that runs"
            )
        return _identify(wanted)
    on_path = shutil.which("tlapm")
    return _identify(Path(on_path)) if on_path else None


def environment(home: Path) -> dict[str, str]:
    """All that tlapm sees: nothing of the user's, so that no variable names another solver or cache."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8"}


def _identify(path: Path) -> Tlapm:
    real = path.resolve()
    return _asked(real, _stamp(real))


@lru_cache(maxsize=4)
def _asked(real: Path, _stamp: tuple[int, int]) -> Tlapm:
    library = real.parent.parent / "lib" / "tlapm" / "stdlib"
    if not (library / "TLAPS.tla").is_file():
        raise VstackError(
            "tlapm's library is not where its release has it",
            where=str(library),
            todo="Install a release of tlapm whole",
        )
    with tempfile.TemporaryDirectory(prefix="vstack-tlapm-") as name:
        ended = run([str(real), "--version"], cwd=Path(name), env=environment(Path(name)), seconds=_START_SECONDS)
    version = ended.stdout.strip()
    if ended.returncode != 0 or not re.fullmatch(r"\S.{0,80}", version):
        raise VstackError("tlapm does not say its version", where=str(real), todo="Name a tlapm that runs")
    backends = library.parent / "backends" / "bin"
    files = [real, *sorted(backends.glob("*")), *sorted(library.glob("*.tla"))]
    parts = [f"{file.name} {sha256_file(file)}" for file in files if file.is_file()]
    return Tlapm(real, version, sha256_bytes("\n".join(parts).encode()), library)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size
