"""Small facts about tools (versions, features) kept between runs, keyed by the tool's identity."""

from __future__ import annotations

import json
import os
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import sha256_bytes, write_atomic


def cache_folder() -> Path:
    """Where facts are kept: ``VSTACK_CACHE``, else ``XDG_CACHE_HOME/vstack``, else ``~/.cache/vstack``."""
    named = os.environ.get("VSTACK_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "vstack"


def recall(kind: str, identity: str, key: str) -> str | bool | None:
    """The fact ``key`` known of the tool ``identity``, or None. A broken cache file knows nothing."""
    value = _read(_file(kind, identity), identity).get(key)
    return value if isinstance(value, (str, bool)) else None


def remember(kind: str, identity: str, key: str, value: str | bool) -> None:
    """Keep a fact; a cache that can't be written is only slower, never an error."""
    path = _file(kind, identity)
    facts = {**_read(path, identity), "identity": identity, key: value}
    try:
        write_atomic(path, json.dumps(facts, indent=1, sort_keys=True) + "\n")
    except VstackError:
        return


def _file(kind: str, identity: str) -> Path:
    return cache_folder() / "tools" / f"{kind}-{sha256_bytes(identity.encode())[:32]}.json"


def _read(path: Path, identity: str) -> dict[str, object]:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) and facts.get("identity") == identity else {}
