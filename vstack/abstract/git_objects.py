"""Read-only access to one git repository whose answers are checked against the ids that name them.

Objects are read by id and hashed again here, from the commit down to the
file: a checkout whose object store was edited can't answer for a commit.
Replace refs, grafts and the user's git configuration have no say.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vstack.errors import RefusedError, VstackError

GIT_SECONDS = 120.0


def git_environment() -> dict[str, str]:
    """The environment for git: nothing that can redirect it, no prompts, plain English."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "LC_ALL": "C.UTF-8",
    }


def run_git(arguments: list[str], *, seconds: float = GIT_SECONDS, data: bytes = b"") -> tuple[int, bytes, str]:
    """``git ARGUMENTS``: exit status, standard output as bytes, standard error as text.

    Raises:
        VstackError: git is not installed, or took longer than ``seconds``.
    """
    try:
        done = subprocess.run(
            ["git", *arguments], input=data, capture_output=True, env=git_environment(), timeout=seconds, check=False
        )
    except FileNotFoundError:
        raise VstackError("git is not installed", todo="Install git: anchors are resolved with it") from None
    except subprocess.TimeoutExpired:
        raise VstackError(f"git gave no answer within {seconds:g} s", where="git " + " ".join(arguments)) from None
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()


@dataclass
class GitRepo:
    """A repository on this machine, bare or not; ``name`` is its name in anchors."""

    name: str
    folder: Path
    _objects: dict[str, tuple[str, bytes]] = field(default_factory=dict, repr=False)
    _files: dict[tuple[str, str], bytes | None] = field(default_factory=dict, repr=False)
    _trees: dict[tuple[str, str], dict[str, bytes]] = field(default_factory=dict, repr=False)

    def git(self, *arguments: str, data: bytes = b"") -> tuple[int, bytes, str]:
        """``git -C FOLDER ARGUMENTS``."""
        return run_git(["-C", str(self.folder), *arguments], data=data)

    def has_commit(self, commit: str) -> bool:
        """Whether ``commit`` (a full id) is here."""
        return self.git("cat-file", "-e", f"{commit}^{{commit}}")[0] == 0

    def is_ancestor(self, commit: str, revision: str) -> bool:
        """Whether ``commit`` is ``revision`` or in its history."""
        return self.git("merge-base", "--is-ancestor", commit, revision)[0] == 0

    def is_shallow(self) -> bool:
        """Whether history was cut off when this repository was fetched."""
        return self.git("rev-parse", "--is-shallow-repository")[1].strip() == b"true"

    def resolve(self, revision: str) -> str | None:
        """The full commit id of ``revision`` (a branch, a tag, `HEAD~2`, ...), or ``None``."""
        code, out, _ = self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return out.decode().strip() if code == 0 else None

    def file(self, commit: str, path: str) -> bytes | None:
        """The bytes of ``path`` at ``commit``, or ``None`` if that commit has no such file.

        Raises:
            VstackError: the commit is not here.
            RefusedError: an object does not have the content its id stands for.
        """
        if (commit, path) not in self._files:
            self._files[commit, path] = self._find(commit, path)
        return self._files[commit, path]

    def _find(self, commit: str, path: str) -> bytes | None:
        header = self._object(commit, "commit").split(b"\n", 1)[0]
        current, kind = header.removeprefix(b"tree ").decode(), "tree"
        for part in path.encode("utf-8").split(b"/"):
            if kind != "tree":
                return None
            entry = next(
                (each for each in tree_entries(self._object(current, "tree"), len(commit) // 2) if each[1] == part),
                None,
            )
            if entry is None:
                return None
            current, kind = entry[2], _KINDS.get(entry[0], "other")
        return self._object(current, "blob") if kind == "blob" else None

    def _object(self, name: str, kind: str) -> bytes:
        if name in self._objects:
            return self._objects[name][1]
        code, data, message = self.git("cat-file", kind, name)
        if code != 0:
            raise VstackError(f"git can't read the {kind} {name}: {message}", where=str(self.folder))
        _must_be(name, kind, data, self.folder)
        if kind != "blob":
            self._objects[name] = (kind, data)
        return data

    def files_like(self, commit: str, suffix: str) -> dict[str, bytes]:
        """All files of ``commit`` whose name ends in ``suffix``, with their bytes.

        Read in one git process and kept, because a search through a large
        repository touches thousands of files, anchor after anchor.
        """
        if (commit, suffix) not in self._trees:
            self._trees[commit, suffix] = self._read_all(commit, suffix)
        return self._trees[commit, suffix]

    def _read_all(self, commit: str, suffix: str) -> dict[str, bytes]:
        code, listing, message = self.git("ls-tree", "-r", "-z", "--full-tree", commit)
        if code != 0:
            raise VstackError(f"git can't list the files of {commit}: {message}", where=str(self.folder))
        wanted: list[tuple[str, str]] = []
        for record in listing.split(b"\0"):
            meta, _, raw_path = record.partition(b"\t")
            path = raw_path.decode("utf-8", "surrogateescape")
            if meta.startswith(b"100") and path.endswith(suffix):
                wanted.append((path, meta.split()[2].decode()))
        _, stream, _ = self.git("cat-file", "--batch", data="".join(f"{blob}\n" for _, blob in wanted).encode())
        found: dict[str, bytes] = {}
        position = 0
        for path, _ in wanted:
            end = stream.find(b"\n", position)
            header = stream[position:end].split()
            if len(header) == 3:
                size = int(header[2])
                found[path] = stream[end + 1 : end + 1 + size]
                position = end + size + 2
            else:
                position = end + 1
        return found


_KINDS = {b"40000": "tree", b"100644": "blob", b"100755": "blob", b"100664": "blob"}


def tree_entries(data: bytes, id_bytes: int) -> Iterator[tuple[bytes, bytes, str]]:
    """``(mode, name, object id)`` of each entry of a raw git tree; ids are 20 or 32 bytes long."""
    position = 0
    while position < len(data):
        space = data.index(b" ", position)
        zero = data.index(b"\0", space)
        end = zero + 1 + id_bytes
        yield data[position:space], data[space + 1 : zero], data[zero + 1 : end].hex()
        position = end


def _must_be(name: str, kind: str, data: bytes, folder: Path) -> None:
    algorithm = "sha1" if len(name) == 40 else "sha256"
    actual = hashlib.new(algorithm, f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()
    if actual != name:
        raise RefusedError(
            f"The repository's object {name} does not have the content its id stands for (it hashes to {actual})",
            where=str(folder),
            todo="Clone the repository again from upstream",
        )
