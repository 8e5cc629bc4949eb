"""The code's own interpreter: made with pinned packages, or named by the user."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from vstack import process
from vstack.errors import VstackError
from vstack.files import read_text, sha256_bytes, write_atomic
from vstack.project import Project
from vstack.sections import Reproduce

_MINUTES = 40
_READY = "vstack-ready"


def environment_folder(project: Project) -> Path:
    """Where `--prepare` puts the environment of the case: another for other pins."""
    section = project.file.reproduce
    assert section is not None
    pins = "\n".join(read_text(project.root / path) for path in _pins(section))
    name = sha256_bytes(f"{sys.version_info[:2]}\n{pins}".encode())[:12]
    return project.state / "reproduce" / f"environment-{name}"


def find_interpreter(project: Project, named: Path | None) -> Path:
    """The interpreter to drive the code with: ``named``, or the one that `--prepare` made.

    Raises:
        VstackError: there is none, or it does not run.
    """
    made = environment_folder(project)
    if named is None and not (made / _READY).exists():
        raise VstackError(
            "No interpreter with the code's packages",
            where=str(made),
            todo="Make one with `vstack reproduce CASE --prepare`, or name yours with --python",
        )
    path = named if named is not None else made / "bin" / "python"
    if not path.exists():
        raise VstackError("The interpreter does not exist", where=str(path), todo="Name one with --python")
    try:
        done = process.run([str(path), "-c", "print(6 * 7)"], cwd=Path.cwd(), env=dict(os.environ), seconds=60)
    except OSError as error:
        raise VstackError(f"The interpreter does not start: {error.strerror}", where=str(path)) from None
    if done.stdout.strip() != "42":
        raise VstackError("This is not a Python interpreter", where=str(path), todo="Name one with --python")
    return path


def prepare(project: Project, on_event: Callable[[str], None]) -> Path:
    """Make the environment of the case with its pinned packages, or find it made; its interpreter.

    Raises:
        VstackError: the case pins no packages, or pip fails.
    """
    section = project.file.reproduce
    assert section is not None
    if not _pins(section):
        raise VstackError(
            "The case pins no packages", where=str(project.root / "vstack.yaml"), todo="Name an interpreter with --python"
        )
    folder = environment_folder(project)
    if (folder / _READY).exists():
        return folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    on_event(f"making {folder}")
    _run([sys.executable, "-m", "venv", "--clear", str(folder)], project.root)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for path, options in ((section.requirements, []), (section.without_dependencies, ["--no-deps"])):
        if path is not None:
            on_event(f"installing {path}: this takes minutes and gigabytes")
            _run([*pip, *options, "-r", str(project.root / path)], project.root)
    write_atomic(folder / _READY, "all pinned packages are installed\n")
    return python


def _pins(section: Reproduce) -> list[str]:
    return [path for path in (section.requirements, section.without_dependencies) if path is not None]


def _run(argv: list[str], folder: Path) -> None:
    done = process.run(argv, cwd=folder, env=dict(os.environ), seconds=60 * _MINUTES, keep_lines=40)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise VstackError(
            f"The environment could not be made: {said[-1]}", where=" ".join(argv[:6]), todo="See pip's message, and try again"
        )
