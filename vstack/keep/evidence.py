"""The evidence store: one record per engine run, filed under the hash of all that went in."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vstack.files import read_bytes, sha256_bytes, write_atomic
from vstack.results import Evidence

# Part of every key. Raise it when the meaning of a stored record changes.
EVIDENCE_FORMAT = 1


def evidence_key(parts: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of ``parts``: every input by hash, every tool, every option."""
    canonical = json.dumps({"format": EVIDENCE_FORMAT, **parts}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256_bytes(canonical.encode())


class EvidenceStore:
    """Records in ``folder``, one JSON file per key; a record that doesn't read is as if absent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Where the record of ``key`` is, or would be."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Evidence | None:
        """The record of ``key``, or None: a truncated or foreign file is recomputed, not trusted."""
        try:
            record = Evidence.model_validate_json(read_bytes(self.path(key)))
        except (OSError, ValidationError):
            return None
        return record if record.key == key else None

    def put(self, record: Evidence) -> None:
        """Store ``record`` whole or not at all.

        Raises:
            VstackError: the folder can't be written.
        """
        write_atomic(self.path(record.key), record.model_dump_json(indent=1) + "\n")

    def find(self, prefix: str) -> list[Evidence]:
        """All readable records whose key starts with ``prefix``."""
        names = sorted(self.folder.glob(f"{prefix[:2]}*/{prefix}*.json"))
        return [record for name in names if (record := self.get(name.stem)) is not None]


def now() -> str:
    """The time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def machine() -> str:
    """This machine in words: processor count, architecture, system, Python."""
    import os

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.machine()}, {cores} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"


@cache
def package_digest() -> str:
    """SHA-256 over vstack's own sources: another vstack may judge the same evidence differently."""
    root = Path(str(resources.files("vstack")))
    names = sorted(path for path in root.rglob("*") if path.suffix in {".py", ".j2", ".html", ".css", ".tla"})
    return sha256_bytes("".join(f"{n.relative_to(root)} {sha256_bytes(n.read_bytes())}\n" for n in names).encode())
