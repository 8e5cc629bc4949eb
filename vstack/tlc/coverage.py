"""How often each action fired, from the coverage TLC prints."""

from __future__ import annotations

import re
from collections import Counter

from vstack.tlc.outcome import ActionCount
from vstack.tlc.progress import count

_ACTION = re.compile(
    r"^<(?P<name>.+?) line \d+, col \d+ to line \d+, col \d+ of module \w+"
    r"(?: \((?P<line>\d+) (?P<column>\d+) \d+ \d+\))?>: (?P<distinct>[\d,]+):(?P<generated>[\d,]+)$"
)


class Coverage:
    """The actions of one coverage report, ``complete`` once its end was seen."""

    def __init__(self) -> None:
        self.complete = False
        self._named: dict[str, ActionCount] = {}
        self._parts: dict[tuple[str, int, int], ActionCount] = {}
        self._times: Counter[tuple[str, int, int]] = Counter()

    def add(self, text: str) -> None:
        """One action's line: ``<Act line 8, col 1 to line 8, col 3 of module M (9 5 9 30)>: distinct:generated``."""
        found = _ACTION.match(text)
        if not found:
            return
        counts = ActionCount(count(found["distinct"]), count(found["generated"]))
        name = found["name"]
        self._named[name] = _sum(self._named.get(name), counts)
        if found["line"]:
            part = (name, int(found["line"]), int(found["column"]))
            self._parts[part] = _sum(self._parts.get(part), counts)
            self._times[part] += 1

    def fired(self) -> dict[str, ActionCount]:
        """Counts by action: all disjuncts of a name together, and each written-out disjunct alone.

        A disjunct of D is called ``D@line``, or ``D@line:column`` where the line
        holds several or it is reached twice, as ``vstack.tla.actions`` calls it.
        """
        together = dict(self._named)
        on_line: Counter[tuple[str, int]] = Counter()
        for (name, line, _), times in self._times.items():
            on_line[name, line] += times
        for (name, line, column), counts in self._parts.items():
            alone = on_line[name, line] == 1
            together[f"{name}@{line}" if alone else f"{name}@{line}:{column}"] = counts
        return together


def _sum(before: ActionCount | None, more: ActionCount) -> ActionCount:
    if before is None:
        return more
    return ActionCount(before.distinct + more.distinct, before.generated + more.generated)
