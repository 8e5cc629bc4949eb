"""How far a TLC run is, from what it prints while it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PROGRESS = re.compile(
    r"Progress\((?P<depth>-?[\d,]+)\) at [^:]+:\d+:\d+: (?P<generated>[\d,]+) states generated"
    r"(?: \((?P<rate>[\d,]+) s/min\))?, (?P<distinct>[\d,]+) distinct states found"
    r"(?: \([\d,]+ ds/min\))?, (?P<queue>[\d,]+) states left on queue"
)
_FINAL = re.compile(
    r"(?P<generated>[\d,]+) states generated, (?P<distinct>[\d,]+) distinct states found, "
    r"(?P<queue>[\d,]+) states left on queue"
)


@dataclass(frozen=True)
class Progress:
    """States generated, distinct and queued, depth reached, states generated per second, seconds since the start.

    TLC 2.15 reports 3 s after the search starts and then once a minute; in
    between only ``seconds`` moves.
    """

    generated: int
    distinct: int
    queue: int
    depth: int
    states_per_second: float
    seconds: float


def parse_progress(text: str, seconds: float) -> Progress | None:
    """The numbers of a 2200 message at ``seconds`` after the start, or None where it has another form."""
    found = _PROGRESS.search(text)
    if not found:
        return None
    generated = count(found["generated"])
    rate = count(found["rate"]) / 60 if found["rate"] else (generated / seconds if seconds > 0 else 0.0)
    return Progress(generated, count(found["distinct"]), count(found["queue"]), count(found["depth"]), rate, seconds)


def parse_final(text: str) -> tuple[int, int, int] | None:
    """States generated, distinct states, states left on the queue of a 2199 message."""
    found = _FINAL.search(text)
    return (count(found["generated"]), count(found["distinct"]), count(found["queue"])) if found else None


def count(digits: str) -> int:
    """The integer in TLC's grouping of digits (``1,413,436``)."""
    return int(digits.replace(",", ""))
