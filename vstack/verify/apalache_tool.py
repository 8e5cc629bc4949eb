"""Find Apalache, say by hash which one it is, and run it where nothing of the user's or the project's steers it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.files import sha256_bytes, sha256_file
from vstack.process import Finished, run
from vstack.project import Project
from vstack.tools.java import find_java

# Apalache looks for these by itself; they can set any of its options, filters of the search among them.
_CONFIGS = (".apalache.cfg", ".apalache.json")


@dataclass(frozen=True)
class Apalache:
    """An `apalache-mc`; ``sha256`` covers the launcher and the jars of its release."""

    path: Path
    sha256: str


def find_apalache(project: Project) -> Apalache | None:
    """The one that `tools.apalache` or ``VSTACK_APALACHE`` names, else the `apalache-mc` in ``PATH``; None if there is none.

    Raises:
        VstackError: the one that was named is no program.
    """
    named = project.file.tools.apalache
    wanted = project.root / Path(named).expanduser() if named else None
    if wanted is None and os.environ.get("VSTACK_APALACHE"):
        wanted = Path(os.environ["VSTACK_APALACHE"])
    if wanted is None:
        on_path = shutil.which("apalache-mc")
        return _identify(Path(on_path)) if on_path else None
    if not (wanted.is_file() and os.access(wanted, os.X_OK)):
        raise VstackError(
            "The Apalache that was named is not a program",
            where=str(wanted),
            todo="Name the `apalache-mc` in the bin folder of its release",
        )
    return _identify(wanted)


def _identify(path: Path) -> Apalache:
    real = path.resolve()
    return Apalache(real, _digest(real, real.stat().st_mtime_ns))


@lru_cache(maxsize=4)
def _digest(real: Path, _changed: int) -> str:
    jars = sorted((real.parent.parent / "lib").glob("*.jar"))
    return sha256_bytes("\n".join(f"{file.name} {sha256_file(file)}" for file in (real, *jars)).encode())


def start(tool: Apalache, argv: tuple[str, ...], folder: Path, *, seconds: float, heap_mb: int) -> Finished:
    """Run ``argv`` in ``folder``, which is also its home and temp folder.

    Raises:
        RefusedError: a configuration of Apalache lies in a folder above, which older versions read.
        VstackError: the program can't be started.
    """
    for above in folder.resolve().parents:
        for name in _CONFIGS:
            if (above / name).exists():
                raise RefusedError(
                    "[apalache-config] A configuration of Apalache lies above the folder that it is run in",
                    where=str(above / name),
                    todo="Remove it: it could leave out steps and invariants of the search",
                )
    java = find_java().path.parent
    env = {
        "PATH": f"{java}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LC_ALL": "C.UTF-8",
        "JVM_ARGS": f"-Xmx{heap_mb}m -Duser.home={folder} -Djava.io.tmpdir={folder}",
    }
    try:
        return run([str(tool.path), *argv], cwd=folder, env=env, seconds=seconds)
    except OSError as error:
        raise VstackError(f"Apalache can't be started: {error.strerror}", where=str(tool.path)) from None
