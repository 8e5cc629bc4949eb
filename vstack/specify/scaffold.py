"""The small complete project that `vstack init` writes."""

from __future__ import annotations

import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import write_atomic

# A leading dot would hide these from a reader of the templates folder.
_DOTTED = {"gitignore": ".gitignore", "gitattributes": ".gitattributes"}
# Files that another project in the folder may have for its own reasons: kept, not a reason to stop.
_KEPT = frozenset({".gitignore", ".gitattributes", "README.md"})


def project_name(folder: Path) -> str:
    """A valid project name made of the folder's own name."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", folder.resolve().name).strip("-._")
    return name or "project"


def write_project(folder: Path, name: str) -> tuple[Path, ...]:
    """Write the starting project into ``folder`` and return what was written, in order.

    Raises:
        VstackError: a file of it is there already (nothing is written then), the
            name is not valid, or the folder can't be written.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
        raise VstackError(f"`{name}` is not a project name", todo="Use letters, digits, `-`, `_` and `.`")
    files = {
        path: text.replace("{{ project }}", name)
        for path, text in _templates(resources.files("vstack.specify") / "templates", "")
    }
    # A file that is already as it would be written is left from a run that was stopped.
    taken = [path for path, text in files.items() if path not in _KEPT and _differs(folder / path, text)]
    if taken:
        raise VstackError(
            f"A project is there already: {', '.join(taken)}",
            where=str(folder),
            todo="Choose an empty folder, or work on the project with `vstack spec draft`",
        )
    written = []
    # vstack.yaml comes last: a stop halfway leaves no folder that looks like a project.
    for path in sorted(files, key=lambda path: (path == "vstack.yaml", path)):
        if not (folder / path).exists():
            write_atomic(folder / path, files[path])
            written.append(folder / path)
    return tuple(written)


def _differs(path: Path, text: str) -> bool:
    return path.exists() and (not path.is_file() or path.read_bytes() != text.encode())


def _templates(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _templates(entry, f"{prefix}{entry.name}/")
        elif not entry.name.endswith((".py", ".pyc")):
            name = entry.name.removesuffix(".j2")
            found.append((prefix + _DOTTED.get(name, name), entry.read_text(encoding="utf-8")))
    return found
