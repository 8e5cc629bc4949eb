"""What git has committed of a project's files."""

from __future__ import annotations

import os
import subprocess

from vstack.guard.places import ancestors, git_folder

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterable

_SECONDS = 60.0


def git(folder: str, *arguments: str, send: bytes | None = None) -> subprocess.CompletedProcess[bytes] | None:
    """git's answer in ``folder``; None where there is no git, or it does not end."""
    # Replacement refs of the working clone must not stand in for what was committed.
    environment = {**os.environ, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=environment,
            input=send,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None


def top_of(path: str) -> str | None:
    """The work tree that ``path`` lies in."""
    return next((folder for folder in ancestors(path) if git_folder(folder) is not None), None)


def changed_since_head(root: str, names: Iterable[str]) -> frozenset[str] | None:
    """Those of ``names`` (relative to ``root``) that are not as HEAD has them; None where there is no HEAD to ask.

    A file that HEAD never had is not among them.
    """
    top = top_of(root)
    if top is None:
        return None
    places = {os.path.relpath(os.path.realpath(os.path.join(root, name)), top): name for name in names}
    inside = [place for place in places if not place.startswith("..")]
    # A thousand paths are too long for some command lines; git itself reads them from standard input.
    command = ["--literal-pathspecs", "ls-tree", "-r", "-z", "HEAD", "--", *_folders(inside)]
    listed = git(top, *command)
    if listed is None or listed.returncode != 0:
        return None
    committed = {}
    for line in listed.stdout.split(b"\0"):
        head, _, path = line.partition(b"\t")
        committed[os.fsdecode(path)] = head.split(b" ")[-1].decode()
    asked = [place for place in inside if place in committed]
    present = [place for place in asked if os.path.isfile(os.path.join(top, place))]
    hashed = git(top, "hash-object", "--stdin-paths", send=os.fsencode("".join(f"{place}\n" for place in present)))
    now = dict(zip(present, hashed.stdout.decode().split())) if hashed is not None and hashed.returncode == 0 else {}
    return frozenset(places[place] for place in asked if now.get(place) != committed[place])


def blob_sha256(top: str, name: str) -> str | None:
    """SHA-256 of the bytes that git holds under ``name`` (`HEAD:path`, `:path`); None where it holds none."""
    import hashlib

    shown = git(top, "cat-file", "blob", name)
    return hashlib.sha256(shown.stdout).hexdigest() if shown is not None and shown.returncode == 0 else None


def _folders(places: list[str]) -> list[str]:
    """The folders of ``places``: fewer than the files, and enough to list them."""
    return list(
        dict.fromkeys(f"{os.path.dirname(place)}/" if os.path.dirname(place) else "./" for place in places)
    ) or ["./"]
