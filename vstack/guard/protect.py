"""Which paths an agent may not write, and what to tell it."""

from __future__ import annotations

import os

from vstack.guard.index import Index, read_index
from vstack.guard.places import (
    APPROVERS_FILE,
    LOCK_FILE,
    PROJECT_FILE,
    STATE_FOLDER,
    ancestors,
    git_folder,
    hook_folder,
    key,
    projects_around,
    regular,
    spellings,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterable

_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_HONEST = (
    "The honest way: draft with `vstack spec draft`, show it with `vstack spec show` and `vstack spec diff`, "
    "and ask a person to approve it with `vstack spec approve`. "
    "Models, proofs, traces, reproduce drivers and vstack.yaml are free to edit."
)
_EVIDENCE = (
    "Evidence is what vstack's own runs leave: run `vstack check`, `vstack verify` or `vstack reproduce` instead."
)
_HOOKS = "A person decides which hooks and checks run: ask for the change instead."
_HOST_FILES = {".claude": ("settings.json", "settings.local.json", "hooks.json"), ".cursor": ("hooks.json",)}


class Protected:
    """The protected paths around some places.

    ``files`` and ``folders`` (with all that lies below) map a path's key to the
    reason, ``paths`` maps a file's key to its path.
    """

    def __init__(self, indexes: tuple[Index, ...]) -> None:
        self.indexes = indexes
        self.files: dict[str, str] = {}
        self.paths: dict[str, str] = {}
        self.folders: dict[str, str] = {}

    def why(self, path: str, cwd: str) -> str | None:
        """Why ``path`` may not be written; None if it may."""
        for place in spellings(path, cwd):
            told = self._exact(place)
            if told is not None:
                return told
        return self._hard_link(spellings(path, cwd)[0])

    def why_below(self, path: str, cwd: str) -> str | None:
        """Why ``path`` with all that lies below it may not be removed or replaced; None if it may."""
        told = self.why(path, cwd)
        if told is not None:
            return told
        for place in spellings(path, cwd):
            below = key(place).rstrip("/") + "/"
            for known, reason in (*self.files.items(), *self.folders.items()):
                if known.startswith(below):
                    return reason
        return None

    def _exact(self, place: str) -> str | None:
        wanted = key(place)
        if wanted in self.files:
            return self.files[wanted]
        for folder, reason in self.folders.items():
            if wanted == folder or wanted.startswith(folder + "/"):
                return reason
        name = os.path.basename(wanted)
        if name in (LOCK_FILE, APPROVERS_FILE):
            what = "what was approved" if name == LOCK_FILE else "who may approve"
            return f"{place} says {what}: only a person's `vstack spec approve` or a code owner writes it. {_HONEST}"
        if f"/{STATE_FOLDER}/" in wanted + "/" and self.indexes:
            return f"{place} is evidence. {_EVIDENCE}"
        return self._hook(place, wanted, name) or self._refused(place, wanted) or self._shadow(place)

    def _hook(self, place: str, wanted: str, name: str) -> str | None:
        """Settings of the agent's host, of pre-commit and of CI, where vstack is at work."""
        if not self.indexes:
            return None
        folder = os.path.basename(os.path.dirname(wanted))
        if name in _HOST_FILES.get(folder, ()):
            return f"{place} decides which hooks run. {_HOOKS}"
        is_config = name == ".pre-commit-config.yaml" or (folder == "workflows" and name.endswith((".yml", ".yaml")))
        if is_config and _mentions(place, b"vstack"):
            return f"{place} runs vstack's checks. {_HOOKS}"
        return None

    def _refused(self, place: str, wanted: str) -> str | None:
        """With a lock that can't be read nobody knows what is pinned: what may be, counts as pinned."""
        for index in self.indexes:
            if index.refused and wanted.startswith(key(index.root) + "/"):
                named = _mentions(os.path.join(index.root, PROJECT_FILE), os.fsencode(os.path.basename(place)))
                if wanted.endswith((".tla", ".cfg")) or (named and not wanted.endswith(f"/{PROJECT_FILE}")):
                    return f"What is pinned here can't be told: {index.refused}"
        return None

    def _shadow(self, place: str) -> str | None:
        for index in self.indexes:
            hidden = index.shadows(os.path.relpath(place, index.root)) if place.endswith(".tla") else None
            if hidden is not None:
                return f"{place} would be read instead of the pinned {hidden}. Give the module another name. {_HONEST}"
        return None

    def _hard_link(self, place: str) -> str | None:
        try:
            status = os.stat(place)
        except OSError:
            return None
        if status.st_nlink < 2 or not os.path.isfile(place):
            return None
        for known, path in self.paths.items():
            try:
                if os.path.samestat(os.stat(path), status):
                    return self.files[known]
            except OSError:
                continue
        return None


def protected_around(places: Iterable[str]) -> Protected:
    """What is protected in the projects around ``places`` (absolute paths), and the guard itself."""
    found = Protected(tuple(read_index(root) for root in projects_around(places)))
    for name in ("hooks", os.path.join("vstack", "guard")):
        found.folders[key(os.path.join(_OWN, name))] = f"{os.path.join(_OWN, name)} is the guard itself. {_HOOKS}"
    for index in found.indexes:
        _add(found, index)
    return found


def _add(found: Protected, index: Index) -> None:
    for name, entry in index.files.items():
        path = os.path.normpath(os.path.join(index.root, name))
        reason = f"{path} is pinned by {LOCK_FILE} ({entry.what}). {_HONEST}"
        # Where the file is itself a link, both it and what it leads to are pinned.
        for place in {path, os.path.realpath(path)} if os.path.islink(path) else (path,):
            found.files[key(place)] = reason
            found.paths[key(place)] = place
    for name in index.results:
        path = os.path.normpath(os.path.join(index.root, name))
        found.files[key(path)] = f"{path} holds what was driven on real code. {_EVIDENCE}"
        found.paths[key(path)] = path
    found.folders[key(os.path.join(index.root, STATE_FOLDER))] = (
        f"{os.path.join(index.root, STATE_FOLDER)} is evidence. {_EVIDENCE}"
    )
    for folder in ancestors(index.root):
        git = git_folder(folder)
        if git is not None:
            found.folders[key(hook_folder(git))] = f"{hook_folder(git)} holds the commit hooks. {_HOOKS}"
            break


def _mentions(path: str, word: bytes) -> bool:
    try:
        with open(path, "rb", opener=regular) as stream:
            return word in stream.read()
    except OSError:
        return False
