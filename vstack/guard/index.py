"""The index of a project's pinned files: `.vstack/guard-index.json`, with the hash and the stat data of each.

The harness writes it whenever it has found a project to be as approved; a hook
that finds none makes it anew from the lock.
"""

from __future__ import annotations

import os

from vstack.errors import RefusedError, VstackError
from vstack.guard.places import APPROVERS_FILE, LOCK_FILE, PROJECT_FILE, STATE_FOLDER, register, regular
from vstack.guard.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Callable
    from typing import Any

INDEX_FILE = "guard-index.json"
_FORMAT = 1


class Entry:
    """One file: SHA-256 as approved (empty: not known to be), its stat then, and the hash a draft gave it."""

    __slots__ = ("drafted", "sha256", "stat", "what")

    def __init__(self, sha256: str, stat: list[int], what: str, drafted: str = "") -> None:
        self.sha256, self.stat, self.what, self.drafted = sha256, stat, what, drafted


class Index:
    """The pinned files of the project at ``root``, by path relative to it.

    ``lock`` is the hash of the lock read, ``parts`` and ``results`` are as in
    ``Listing``, ``sections`` the hashes of the approved `vstack.yaml`'s
    sections, ``refused`` why the lock can't be read, if it can't.
    """

    def __init__(self, root: str, lock: str, files: dict[str, Entry], *, refused: str = "") -> None:
        self.root, self.lock, self.files, self.refused = root, lock, files, refused
        self.parts: dict[str, list[list[str]]] = {}
        self.results: tuple[str, ...] = ()
        self.sections: dict[str, str] = {}

    def shadows(self, name: str) -> str | None:
        """The pinned module that a file at ``name`` would stand before: SANY looks in the model's own folder first."""
        folder, base = os.path.split(name)
        if (
            not base.endswith(".tla")
            or name in self.files
            or folder not in {os.path.dirname(part) for part in self.parts}
        ):
            return None
        return next((known for known in self.files if os.path.basename(known) == base), None)


def stat_of(path: str) -> list[int]:
    """Size, times of content and of inode, device and inode; empty where there is no file.

    No program can set the inode's time, short of setting the clock.
    """
    try:
        return _stat(os.stat(path))
    except OSError:
        return []


def _stat(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino]


def digest_of(path: str) -> str:
    """Hexadecimal SHA-256 of a file's bytes; `missing` where none can be read."""
    return contents(path)[1]


def contents(path: str) -> tuple[list[int], str]:
    """The stat data of a file as ``stat_of`` gives it, and the SHA-256 of the bytes it had then."""
    try:
        handle = regular(path, os.O_RDONLY)
    except OSError:
        return [], "missing"
    try:
        status = os.fstat(handle)
        digest = _sha256()
        while piece := os.read(handle, 1 << 20):
            digest.update(piece)
    except OSError:
        return [], "missing"
    finally:
        os.close(handle)
    return _stat(status), digest.hexdigest()


def _hasher() -> Callable[[], Any]:
    """CPython's own SHA-256: `hashlib` loads all of OpenSSL for it."""
    for name in ("_sha2", "_sha256"):
        try:
            return __import__(name).sha256
        except ImportError:
            continue
    import hashlib

    return hashlib.sha256


_sha256 = _hasher()


def read_index(root: str) -> Index:
    """The index of the project at ``root``, made anew if it is missing, damaged or of another lock.

    A lock that can't be read gives an index with ``refused``: the caller then
    takes every file of the project for pinned.
    """
    lock = os.path.join(root, LOCK_FILE)
    known = None
    try:
        with open(os.path.join(root, STATE_FOLDER, INDEX_FILE), encoding="utf-8", opener=regular) as stream:
            data = loads(stream.read())
        if data["format"] == _FORMAT:
            files = {name: Entry(*entry) for name, entry in data["files"].items()}
            known = Index(root, data["lock"], files)
            known.parts, known.results, known.sections = data["parts"], tuple(data["results"]), data["sections"]
            if files[LOCK_FILE].stat == stat_of(lock) or known.lock == digest_of(lock):
                return known
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    try:
        index = make_index(root, approved=False)
    except RefusedError as error:
        # What was pinned before the lock was damaged is pinned still.
        return Index(root, "", known.files if known else {}, refused=error.paragraph())
    if known is not None:
        for name in (LOCK_FILE, APPROVERS_FILE):
            if not index.files[name].sha256:
                index.files[name] = known.files[name]
    write_index(index)
    return index


def make_index(root: str, *, approved: bool) -> Index:
    """The index of the files as they are.

    ``approved`` says that the harness has just found them to be what the lock
    pins. Otherwise a file counts as approved where it is as git's HEAD has it
    and every definition that the lock places in it stands in it word for word.

    Raises:
        RefusedError: the lock is damaged.
    """
    from vstack.guard.listing import listing, stands
    from vstack.guard.lockfile import read_data

    path = os.path.join(root, LOCK_FILE)
    files = {LOCK_FILE: "approvals", APPROVERS_FILE: "who may approve"}
    parts: dict[str, list[list[str]]] = {}
    results: tuple[str, ...] = ()
    texts: dict[str, list[str]] = {}
    if os.path.exists(path):
        try:
            with open(path, "rb", opener=regular) as stream:
                raw = stream.read()
        except OSError as error:
            raise RefusedError(f"The lock can't be read: {error.strerror}", where=path) from None
        try:
            data = read_data(raw, path)
            listed = listing(data)
            for entry in ((data.get("pins") or {}).get("definitions") or {}).values():
                texts.setdefault(os.path.normpath(entry["place"].rpartition(":")[0]), []).append(entry["text"])
        except (KeyError, TypeError, AttributeError):
            raise RefusedError("The lock is not as vstack wrote it", where=path, todo="Restore it with git") from None
        parts, results = listed.parts, listed.results
        files.update(listed.whole)
    from vstack.guard.committed import changed_since_head
    from vstack.guard.sections import section_digests

    entries = {}
    changed = frozenset() if approved else changed_since_head(root, [*files, PROJECT_FILE]) or frozenset()
    for name, what in files.items():
        place = os.path.join(root, name)
        stat, digest = contents(place)
        known = approved or (name not in changed and all(stands(_text(place), text) for text in texts.get(name, ())))
        entries[name] = Entry(digest if known else "", stat, what)
    as_approved = approved or PROJECT_FILE not in changed
    index = Index(root, digest_of(path), entries)
    index.parts, index.results = parts, results
    index.sections = section_digests(os.path.join(root, PROJECT_FILE)) if as_approved and os.path.exists(path) else {}
    return index


def write_index(index: Index) -> None:
    """Write the index; a state folder that can't be written makes later hooks slower, not blind.

    Without a lock nothing is pinned, and there is nothing to remember.
    """
    if not os.path.exists(os.path.join(index.root, LOCK_FILE)):
        return
    import json
    from pathlib import Path

    from vstack.files import write_atomic

    data = {
        "format": _FORMAT,
        "lock": index.lock,
        "lock stat": index.files[LOCK_FILE].stat,
        "files": {name: [entry.sha256, entry.stat, entry.what, entry.drafted] for name, entry in index.files.items()},
        "parts": index.parts,
        "results": list(index.results),
        "sections": index.sections,
    }
    try:
        write_atomic(Path(index.root) / STATE_FOLDER / INDEX_FILE, json.dumps(data, separators=(",", ":")) + "\n")
    except VstackError:
        return


def record(root: str) -> None:
    """Note that the files of the project at ``root`` are as approved, and that its repository holds it."""
    root = os.path.realpath(root)
    try:
        write_index(make_index(root, approved=True))
    except RefusedError:
        return  # the caller has just said so
    register(root)


def record_draft(root: str, path: str) -> None:
    """Note that the harness itself wrote a draft into the pinned file at ``path``."""
    index = read_index(os.path.realpath(root))
    name = os.path.relpath(os.path.realpath(path), index.root)
    if name in index.files:
        index.files[name].drafted = digest_of(path)
        write_index(index)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace", opener=regular) as stream:
            return stream.read()
    except OSError:
        return ""
