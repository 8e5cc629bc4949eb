"""The top-level sections of a `vstack.yaml` by the hash of their lines: which have changed, without a parser."""

from __future__ import annotations

from vstack.guard.places import regular

# What may change without a person, as in `vstack.specify.settings`.
FREE = frozenset(("version", "project", "title", "modules", "budget"))


def section_digests(path: str) -> dict[str, str]:
    """Hash of each section that a person approves; comments of whole lines and blank lines don't count."""
    import hashlib

    try:
        with open(path, encoding="utf-8", errors="replace", opener=regular) as stream:
            lines = stream.read().splitlines()
    except OSError:
        return {}
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] not in " \t-}]":
            name = line.partition(":")[0].strip("'\" ")
        found.setdefault(name, []).append(line.rstrip())
    return {
        name: hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
        for name, lines in found.items()
        if name not in FREE
    }
