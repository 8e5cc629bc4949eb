"""What a model at work must not write: everything approved, and everything that runs as a program."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vstack.errors import RefusedError
from vstack.files import read_text
from vstack.project import LOCK_FILE, PROJECT_FILE
from vstack.specify.lock import read_lock
from vstack.strict_yaml import parse_yaml

# Text that people and tools read; nothing that a shell, Java or Python would load by itself.
_KINDS = frozenset({".tla", ".cfg", ".yaml", ".yml", ".md", ".txt", ".json", ".jsonl", ".smt2", ".py", ".html", ".j2"})
_NAMES = frozenset({LOCK_FILE, "vstack.approvers"})
# Sections of vstack.yaml that name programs, machines or whose signature counts.
_PERSONS = ("tools", "distributed", "policy")
_HONEST = "Draft what should change with `spec_draft`, or describe it, and ask a person to approve it"


def inside(root: Path, name: str) -> Path:
    """The real path of ``name`` below ``root``, symbolic links followed.

    Raises:
        RefusedError: it lies outside.
    """
    if "\0" in name:
        raise RefusedError("A path can't hold a NUL character")
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise RefusedError(
            f"`{name}` lies outside of the folder that was given", where=str(root), todo="Stay inside it"
        )
    return path


def refuse_write(root: Path, name: str, *, drive: bool) -> Path:
    """The real path of ``name``, if a model may write there.

    With ``drive`` Python may be written outside of the goals: it is run by `reproduce`.

    Raises:
        RefusedError: it lies outside of ``root``, is approved, or would be run as a program.
    """
    path = inside(root, name)
    parts = [_plain(part) for part in path.relative_to(root.resolve()).parts]
    hidden = next((part for part in parts if part.startswith(".")), None)
    if hidden:
        raise RefusedError(
            f"`{name}` is not yours to write: evidence, git, hooks and settings of tools live under names with a dot",
            todo="Write models, proofs and traces in folders of their own",
        )
    if not parts or parts[-1] in _NAMES or parts[0] == "hooks":
        raise RefusedError(f"`{name}` is written by approvals and by people alone", todo=_HONEST)
    if path.suffix.lower() not in _KINDS:
        raise RefusedError(
            f"`{name}` is of no kind that a project is made of", todo=f"Kinds: {', '.join(sorted(_KINDS))}"
        )
    project = next(
        (folder for folder in path.parents if _is_project(folder) and folder.is_relative_to(root.resolve())), None
    )
    if project is not None and _real(path) in pinned_files(project):
        raise RefusedError(f"`{name}` was approved: a person signed what stands in it", todo=_HONEST)
    if path.suffix.lower() == ".py" and not drive and path.parent.name != "goals":
        raise RefusedError(
            f"`{name}` would be run as a program",
            todo="Z3 goals go into goals/; drivers need `vstack agent --drive`, which a person gives",
        )
    return path


def refuse_settings(path: Path, text: str, *, drive: bool) -> None:
    """Look at a new text of a vstack.yaml before it is written.

    Raises:
        RefusedError: it changes a section that is a person's.
        VstackError: it is not YAML.
    """
    before = _sections(read_text(path), path) if path.exists() else {}
    after = _sections(text, path)
    for section in _PERSONS if drive else (*_PERSONS, "reproduce"):
        if before.get(section) != after.get(section):
            raise RefusedError(
                f"The section `{section}` of vstack.yaml is a person's to write: it names programs, machines or keys",
                where=str(path),
                todo="Leave it as it is, and say what it should be",
            )


def pinned_files(project: Path) -> frozenset[str]:
    """The files that a lock holds approved definitions and scripts of, but for the model's own module.

    The model's module holds pinned definitions too (Init, or environment
    actions); work on the model must go on, so those are left to `spec check`,
    which compares every one of them.

    Raises:
        RefusedError: the lock does not read, so that nothing can be told.
    """
    lock = read_lock(project / LOCK_FILE)
    if lock is None:
        return frozenset()
    files = {definition.place.rpartition(":")[0] for definition in lock.pins.definitions.values()}
    model = lock.pins.settings.get("model")
    if model is not None:
        files.discard(model.value["module"])
    files |= {pin.value["script"] for pin in lock.pins.goals.values() if _script(pin.value)}
    return frozenset(_real(project / name) for name in files)


def _script(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value.get("script"))


def _is_project(folder: Path) -> bool:
    return (folder / PROJECT_FILE).exists() or (folder / LOCK_FILE).exists()


def _real(path: Path) -> str:
    return "/".join(_plain(part) for part in path.resolve().parts)


def _plain(name: str) -> str:
    """A name as a file system that folds case and normal forms would compare it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())


def _sections(text: str, path: Path) -> dict[str, Any]:
    data = parse_yaml(text, path, what="This is not YAML")
    return data if isinstance(data, dict) else {}
