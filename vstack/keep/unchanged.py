"""What an earlier check of the very same bytes printed: the fast path, standard library alone.

The key is over every file of the project, the vstack sources, the jar, the Java
and the options, so that no stage needs to be loaded to know that nothing moved.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SKIPPED = frozenset({".vstack", ".git", "__pycache__"})
PASSED_OVER = (".pyc", ".tmp")


@dataclass(frozen=True)
class Remembered:
    """The outcome of an earlier check: exit code, its text, and its report as JSON."""

    code: int
    text: str
    report: str


def check_key(root: Path, options: Mapping[str, object], tools: Sequence[Path]) -> str:
    """SHA-256 over all files under ``root``, vstack's own sources, the tool files and the options."""
    digest = hashlib.sha256(json.dumps(dict(options), sort_keys=True, default=str).encode())
    for folder in (root, Path(__file__).parent.parent):
        for path in _files(folder):
            digest.update(b"\0" + os.fsencode(os.path.relpath(path, folder)) + b"\0")
            digest.update(_digest(path))
    for tool in tools:
        digest.update(b"\0" + os.fsencode(str(tool)) + b"\0" + _digest(tool))
    return digest.hexdigest()


def recall(state: Path, key: str) -> Remembered | None:
    """What was remembered under ``key``; None if nothing, or if a file that the key does not cover changed since."""
    try:
        record = json.loads((state / "checks" / f"{key}.json").read_bytes())
        if record["key"] != key:
            return None
        for name, digest in record["outside"].items():
            if _digest(Path(name)).hex() != digest:
                return None
        return Remembered(int(record["code"]), str(record["text"]), json.dumps(record["report"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def remember(state: Path, key: str, outcome: Remembered, outside: Sequence[Path]) -> None:
    """File ``outcome`` under ``key``; ``outside`` are files it rests on that the key does not cover.

    Raises:
        VstackError: the state folder can't be written.
    """
    from vstack.files import write_atomic

    record = {
        "key": key,
        "code": outcome.code,
        "text": outcome.text,
        "report": json.loads(outcome.report),
        "outside": {str(path): _digest(path).hex() for path in outside},
    }
    write_atomic(state / "checks" / f"{key}.json", json.dumps(record))


def covers(root: Path, path: Path) -> bool:
    """Whether the key holds the bytes of the file at ``path``: it lies under ``root`` and is not passed over."""
    if not path.is_relative_to(root):
        return False
    return SKIPPED.isdisjoint(path.relative_to(root).parts) and not path.name.endswith(PASSED_OVER)


def _files(folder: Path) -> list[str]:
    found = []
    for base, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        found += [os.path.join(base, name) for name in sorted(names) if not name.endswith(PASSED_OVER)]
    return found


def _digest(path: str | Path) -> bytes:
    from vstack.files import open_regular

    try:
        with open_regular(path) as stream:
            return hashlib.file_digest(stream, "sha256").digest()
    except OSError as error:
        return f"unreadable {error.errno}".encode()
