"""Java launchers for tests: one that counts its starts, and one that only prints a version."""

from pathlib import Path


def counting(folder: Path, java: str) -> tuple[Path, Path]:
    """A launcher that appends a line to a log each time it starts the real ``java``."""
    log, launcher = folder / "starts.log", folder / "counting-java"
    launcher.write_text(f'#!/bin/sh\necho start >> "{log}"\nexec "{java}" "$@"\n')
    launcher.chmod(0o755)
    return launcher, log


def saying(folder: Path, version: str) -> Path:
    """A JAVA_HOME whose java prints ``version`` and can do nothing else."""
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    launcher.chmod(0o755)
    return folder


def starts(log: Path) -> int:
    """How often the counting launcher was started."""
    return len(log.read_text().splitlines()) if log.exists() else 0
