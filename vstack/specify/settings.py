"""The settings of `vstack.yaml` that are pinned: as plain data, leaf by leaf, with the line of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from vstack.project import ProjectFile
from vstack.specify.pins import Pin, canonical, digest_of

# What may change without a person: how long engines run, and words that claim nothing. The
# project's name stands in the lock itself, goals have pins of their own. Every other section is
# pinned, one that is added later included; so is whose word counts as TLC's (`tools`, `distributed`).
FREE = frozenset({"version", "project", "title", "modules", "budget", "goals"})
# The order in these sections may carry meaning; in all others lists are sets.
_ORDERED = frozenset({"traces", "waivers"})

Leaf = tuple[str, ...]
# The value of a leaf that stands for an item of a list.
LISTED = "listed"


def pin_settings(file: ProjectFile) -> dict[str, Pin]:
    """A pin for each section of ``file`` that a person approves; the goals have pins of their own.

    A value that is written out but equals the default is the same as none.
    """
    data = file.model_dump(mode="json", exclude_defaults=True)
    pins = {}
    for name, value in data.items():
        if name in FREE:
            continue
        content = value if name in _ORDERED else _sets(value)
        pins[name] = Pin(digest=digest_of(content), value=content)
    return pins


def _sets(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sets(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((_sets(item) for item in value), key=canonical)
    return value


def leaves(value: Any, path: Leaf = ()) -> Iterator[tuple[Leaf, str]]:
    """Each scalar under ``value`` with its path; the items of a list are paths of their own."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for item in value:
            if isinstance(item, Mapping | list | tuple):
                yield from leaves(item, (*path, _label(item)))
            else:
                yield (*path, str(item)), LISTED
    elif value is not None:
        yield path, str(value)


def _label(item: Any) -> str:
    """A name for an entry of a list that has none: its short fields, so that an edit elsewhere doesn't rename it."""
    if isinstance(item, Mapping):
        names = [str(item[key]) for key in ("guard", "variant", "environment", "goal", "schedule", "repo", "path", "what") if key in item]
        if names:
            return " / ".join(names)
    return digest_of(item)[:12]


def changed_leaves(before: Any, after: Any) -> list[tuple[Leaf, str | None, str | None]]:
    """What differs, sorted by path, with the value before and after (None: absent).

    What stands on one side alone, with all that is under it, is one entry: its
    leaves are its lines.
    """
    old, new = dict(leaves(before)), dict(leaves(after))
    found: dict[Leaf, tuple[list[str], list[str]]] = {}
    for path in sorted({*old, *new}):
        was, now = old.get(path), new.get(path)
        if was == now:
            continue
        top = path if was is not None and now is not None else _top(path, old if was is None else new)
        sides = found.setdefault(top, ([], []))
        for side, text in zip(sides, (was, now), strict=True):
            if text is not None:
                side.append(text if top == path else f"{'.'.join(path[len(top) :])}: {text}")
    return [(path, "\n".join(was) if was else None, "\n".join(now) if now else None) for path, (was, now) in found.items()]


def _top(path: Leaf, other: Mapping[Leaf, str]) -> Leaf:
    """The highest part of ``path`` under which ``other`` has nothing; a whole section is told entry by entry."""
    for size in range(1, len(path)):
        if not any(there[:size] == path[:size] for there in other):
            return path[:size]
    return path


class Lines:
    """Where the entries of a YAML text stand; the text is parsed at the first question."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._root: yaml.Node | None = None

    def line(self, path: Leaf) -> int:
        """The 1-based line of the entry at ``path``, or of the deepest part of it that exists."""
        if self._root is None:
            self._root = yaml.compose(self.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        node, line = self._root, 1
        for part in path:
            found = _child(node, part)
            if found is None:
                break
            line, node = found
        return line


def _child(node: yaml.Node | None, part: str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        pair = next(((k, v) for k, v in node.value if k.value == part), None)
        return None if pair is None else (pair[0].start_mark.line + 1, pair[1])
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            plain = (
                yaml.SafeLoader("").construct_object(item, deep=True)
                if not isinstance(item, yaml.ScalarNode)
                else item.value
            )
            if str(plain) == part or (isinstance(plain, dict) and _label(plain) == part):
                return item.start_mark.line + 1, item
    return None
