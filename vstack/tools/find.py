"""Java and TLC together: found, checked by hash, their versions known without starting a JVM twice."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from vstack.errors import VstackError
from vstack.process import run
from vstack.tools.cache import recall, remember
from vstack.tools.jar import Jar, find_jar
from vstack.tools.java import clean_environment, find_java
from vstack.tools.probe import Features

_START_SECONDS = 60.0


@dataclass(frozen=True)
class Tools:
    """A Java launcher with a TLC jar.

    ``java`` is the start of a command line; ``jar_sha256`` covers the jar and
    what its manifest pulls in; ``features`` asks the jar only when asked.
    """

    java: tuple[str, ...]
    java_version: str
    jar: Path
    jar_sha256: str
    tlc_version: str
    features: Features
    standard_modules: frozenset[str]


def find_tools(*, jar: Path | None = None, java: Path | None = None) -> Tools:
    """Find Java and the TLC jar; starts no JVM when both are known from an earlier call.

    Raises:
        VstackError: one is missing, doesn't run, or is not what it should be.
        RefusedError: the wheel's jar was tampered with.
    """
    found_jar = find_jar(jar)
    found_java = find_java(java)
    launcher = (str(found_java.path),)
    return Tools(
        java=launcher,
        java_version=found_java.version,
        jar=found_jar.path,
        jar_sha256=found_jar.sha256,
        tlc_version=_tlc_version(launcher, found_jar),
        features=Features(launcher, found_jar.path, found_jar.sha256),
        standard_modules=found_jar.standard_modules,
    )


def _tlc_version(java: tuple[str, ...], jar: Jar) -> str:
    """What the jar's own TLC prints as its version (``2.15 (rev: d5b5a7f)``)."""
    known = recall("jar", jar.sha256, "version")
    if isinstance(known, str):
        return known
    with tempfile.TemporaryDirectory(prefix="vstack-version-") as folder:
        finished = run(
            [*java, "-cp", str(jar.path), "tlc2.TLC"],
            cwd=Path(folder),
            env=clean_environment(Path(folder)),
            seconds=_START_SECONDS,
        )
    found = re.search(r"^TLC2 Version (.+)$", finished.stdout + "\n" + finished.stderr, re.MULTILINE)
    if not found:
        said = (finished.stderr or finished.stdout).strip().split("\n")[0]
        raise VstackError(f"TLC in this jar doesn't say its version: {said}", where=str(jar.path))
    version = re.sub(r" of Day Month 20\?\?", "", found[1]).strip()
    remember("jar", jar.sha256, "version", version)
    return version
