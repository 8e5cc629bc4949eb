"""Reads the tags of transfers and messages above an action, for one step of a behaviour.

A tag is a text with the action's parameters, ``load(r)``, that may end in a
condition on the step: ``when xfer[r] becomes flight`` gives one key for each
index whose value the step set so, ``when report gains r`` one for each element
that the step added, ``when queue[k] queues m`` one for each index whose sequence
the step made longer (``m`` is the last element, or the first part of it if it is
a tuple), ``when queue[k] delivers m`` one for each whose head the step took off.
An action that acts for many at once, or only sometimes sends, needs one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from vstack.report.values import show
from vstack.tla.values import FnValue, Value, ordered

_BECOMES = re.compile(r"(?P<text>.+?)\s+when\s+(?P<variable>\w+)\[(?P<name>\w+)\]\s+becomes\s+(?P<value>.+)")
_GAINS = re.compile(r"(?P<text>.+?)\s+when\s+(?P<variable>\w+)\s+gains\s+(?P<name>\w+)")
_QUEUES = re.compile(
    r"(?P<text>.+?)\s+when\s+(?P<variable>\w+)\[(?P<index>\w+)\]\s+(?P<verb>queues|delivers)\s+(?P<name>\w+)"
)


def read_tags(
    tags: Any, params: Mapping[str, str], before: Mapping[str, Value], after: Mapping[str, Value]
) -> tuple[str, ...]:
    """The keys that ``tags`` (a text, one per line, or a list) mean in the step from ``before`` to ``after``."""
    found: list[str] = []
    for tag in texts(tags):
        if match := _BECOMES.fullmatch(tag):
            changed = _became(before.get(match["variable"]), after.get(match["variable"]), match["value"])
        elif match := _GAINS.fullmatch(tag):
            changed = _gained(before.get(match["variable"]), after.get(match["variable"]))
        elif match := _QUEUES.fullmatch(tag):
            old, new = before.get(match["variable"]), after.get(match["variable"])
            moved = _longer(old, new) if match["verb"] == "queues" else _longer(new, old)
            ends = [(index, more[-1] if match["verb"] == "queues" else more[0]) for index, more in moved]
            found += [
                fill(match["text"], {**params, match["index"]: plain(index), match["name"]: plain(_kind(element))})
                for index, element in ends
            ]
            continue
        else:
            found.append(fill(tag, params))
            continue
        found += [fill(match["text"], {**params, match["name"]: plain(value)}) for value in changed]
    return tuple(found)


def _longer(before: Value | None, after: Value | None) -> list[tuple[Value, tuple[Value, ...]]]:
    """The index and longer sequence of each sequence that is longer in ``after``."""
    if not isinstance(before, FnValue) or not isinstance(after, FnValue):
        return []
    found = []
    for index in ordered(after):
        old, new = before.get(index), after[index]
        if isinstance(old, tuple) and isinstance(new, tuple) and len(new) > len(old):
            found.append((index, new))
    return found


def _kind(element: Value) -> Value:
    return element[0] if isinstance(element, tuple) and element else element


def texts(tags: Any) -> list[str]:
    """The single tags in ``tags``."""
    lines = tags if isinstance(tags, list | tuple) else str(tags or "").splitlines()
    return [str(line).strip() for line in lines if str(line).strip()]


def fill(text: str, params: Mapping[str, str]) -> str:
    """``text`` with each whole word that is a parameter's name replaced by its value."""
    if not params:
        return text
    names = "|".join(re.escape(name) for name in sorted(params, key=len, reverse=True))
    return re.sub(rf"(?<![\w.])(?:{names})(?!\w)", lambda match: params[match.group()], text)


def plain(value: Value) -> str:
    """``value`` as part of a sentence or key: a string without its quotes."""
    return value if isinstance(value, str) else show(value)


def _became(before: Value | None, after: Value | None, wanted: str) -> Iterable[Value]:
    if isinstance(after, tuple):
        pairs: dict[Value, Value] = dict(enumerate(after, start=1))
        earlier: dict[Value, Value] = dict(enumerate(before, start=1)) if isinstance(before, tuple) else {}
    elif isinstance(after, FnValue):
        pairs, earlier = dict(after), dict(before) if isinstance(before, FnValue) else {}
    else:
        return []
    target = wanted.strip().strip('"')
    return [key for key in ordered(pairs) if plain(pairs[key]) == target and earlier.get(key) != pairs[key]]


def _gained(before: Value | None, after: Value | None) -> Iterable[Value]:
    if isinstance(after, frozenset) and isinstance(before, frozenset):
        return ordered(after - before)
    return []
