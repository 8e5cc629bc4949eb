"""Paths as the file system means them, and the projects and repositories around them."""

from __future__ import annotations

import os

from vstack.guard.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterable, Iterator

PROJECT_FILE, LOCK_FILE, APPROVERS_FILE, STATE_FOLDER = "vstack.yaml", "vstack.lock", "vstack.approvers", ".vstack"
_REGISTRY = "vstack-projects.json"


def key(path: str) -> str:
    """``path`` so that two spellings of one file on any file system are equal: case folded, composed Unicode."""
    if path.isascii():
        return path.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def spellings(path: str, cwd: str) -> tuple[str, ...]:
    """The absolute paths that ``path`` may mean: as written, with its folder resolved, and with all links resolved."""
    whole = os.path.normpath(os.path.join(cwd, path))
    # `a/link/../x` is resolved by the kernel link first, by an editor perhaps textually: both count.
    folder, name = os.path.split(os.path.join(cwd, path).rstrip("/"))
    beside = os.path.join(os.path.realpath(folder), name)
    return tuple(dict.fromkeys((os.path.realpath(os.path.join(cwd, path)), os.path.normpath(beside), whole)))


def ancestors(path: str) -> Iterator[str]:
    """``path`` and the folders above it."""
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def is_project(folder: str) -> bool:
    """Whether ``folder`` holds a project, or the lock of one."""
    return os.path.exists(os.path.join(folder, LOCK_FILE)) or os.path.exists(os.path.join(folder, PROJECT_FILE))


def regular(path: str, flags: int) -> int:
    """An ``opener`` for ``open``: a pipe or a device, which might never end, is an OSError like a file that is missing."""
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    # 0o100000 is a regular file: the module `stat` would have to be loaded for its name.
    if os.fstat(handle).st_mode & 0o170000 != 0o100000:
        os.close(handle)
        raise OSError(22, "it is not a regular file", path)
    return handle


def git_folder(top: str) -> str | None:
    """The git directory of the work tree at ``top`` (its own, in a worktree or submodule); None where there is none."""
    place = os.path.join(top, ".git")
    if os.path.isdir(place):
        return place
    try:
        with open(place, encoding="utf-8", opener=regular) as stream:
            line = stream.readline(4096).strip()
    except (OSError, UnicodeDecodeError):
        return None
    return os.path.normpath(os.path.join(top, line[8:])) if line.startswith("gitdir: ") else None


def hook_folder(git: str) -> str:
    """Where the hooks of a git directory are; worktrees share those of their repository."""
    above = os.path.dirname(git)
    return os.path.join(os.path.dirname(above) if os.path.basename(above) == "worktrees" else git, "hooks")


def projects_around(paths: Iterable[str], *, fresh: bool = False) -> tuple[str, ...]:
    """The roots of all projects above ``paths`` (absolute), and of all others in the repositories around them.

    ``fresh`` asks git again where its index has changed since the projects were listed.
    """
    roots: dict[str, None] = {}
    seen: set[str] = set()
    for path in paths:
        for folder in ancestors(os.path.realpath(path)):
            if folder in seen:
                break
            seen.add(folder)
            if is_project(folder):
                roots[folder] = None
            found = git_folder(folder)
            if found is not None:
                roots.update(dict.fromkeys(_registered(folder, found, fresh)))
    return tuple(roots)


def register(root: str) -> None:
    """Add the project at ``root`` to the list of its repository; without a repository there is none to keep."""
    root = os.path.realpath(root)
    for top in ancestors(root):
        found = git_folder(top)
        if found is not None:
            known = _registered(top, found, False)
            if root not in known:
                _write(top, found, [*known, root])
            return


def _registered(top: str, git: str, fresh: bool) -> list[str]:
    """Roots of the projects in the work tree ``top``: from the list in its git directory, or from git itself."""
    try:
        with open(os.path.join(git, _REGISTRY), encoding="utf-8", opener=regular) as stream:
            listed = loads(stream.read())
        roots = [os.path.normpath(os.path.join(top, str(name))) for name in listed["projects"]]
        if all(map(is_project, roots)) and not (fresh and listed["index"] != _stamp(git)):
            return roots
    except (OSError, ValueError, KeyError, TypeError):
        pass
    from vstack.guard.committed import git as ask

    command = [
        "ls-files",
        "-z",
        "-c",
        "-o",
        "--exclude-standard",
        "--",
        f":(glob)**/{LOCK_FILE}",
        f":(glob)**/{PROJECT_FILE}",
    ]
    ended = ask(top, *command)
    if ended is None or ended.returncode != 0:
        return []
    names = [os.fsdecode(name) for name in ended.stdout.split(b"\0") if name]
    roots = list(dict.fromkeys(os.path.normpath(os.path.join(top, os.path.dirname(name))) for name in names))
    roots = [root for root in roots if is_project(root)]
    _write(top, git, roots)
    return roots


def _write(top: str, git: str, roots: list[str]) -> None:
    import json
    from pathlib import Path

    from vstack.errors import VstackError
    from vstack.files import write_atomic

    content = {"index": _stamp(git), "projects": [os.path.relpath(root, top) for root in roots]}
    try:
        write_atomic(Path(git) / _REGISTRY, json.dumps(content, indent=1) + "\n")
    except VstackError:
        return  # a repository that can't be written to is asked each time


def _stamp(git: str) -> list[int]:
    try:
        status = os.stat(os.path.join(git, "index"))
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]
