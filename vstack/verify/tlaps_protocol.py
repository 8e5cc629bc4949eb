"""What tlapm prints in toolbox mode, as data: blocks of `@!!key:value` lines between BEGIN and END."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_KEY = re.compile(r"@!!([a-z]+):(.*)", re.DOTALL)
_LOC = re.compile(r"(\d+):(\d+):(\d+):(\d+)")


@dataclass(frozen=True)
class Obligation:
    """One obligation and what became of it last; ``start`` and ``end`` are line and column in the module, from 1."""

    id: int
    start: tuple[int, int]
    end: tuple[int, int]
    status: str
    prover: str = ""
    reason: str = ""
    already: bool = False
    text: str = ""


@dataclass(frozen=True)
class Printed:
    """All that one run printed.

    ``count`` is tlapm's own number of obligations, ``all_proved`` that of its
    last words (None where they say something else), ``broken`` what did not read.
    """

    count: int | None
    obligations: Mapping[int, Obligation]
    errors: tuple[str, ...] = ()
    missing_tools: tuple[str, ...] = ()
    all_proved: int | None = None
    broken: str = ""


@dataclass
class _Reading:
    count: int | None = None
    found: dict[int, Obligation] = field(default_factory=dict)
    cached: set[int] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    broken: str = ""


def parse(text: str) -> Printed:
    """Read a run's standard error. The last block of an id counts; one that was ever `already` stays so."""
    reading = _Reading()
    for block in _blocks(text, reading):
        _take(block, reading)
    missing = tuple(dict.fromkeys(re.findall(r'Executable "([^"\n]+)" not found', text)))
    found = {
        id_: Obligation(**{**vars(item), "already": item.already or id_ in reading.cached})
        for id_, item in reading.found.items()
    }
    said = re.findall(r"^\[(INFO|ERROR)\]: (?:All (\d+) obligations? proved\.)?", text, re.MULTILINE)
    proved = int(said[-1][1]) if said and all(kind == "INFO" for kind, _ in said) and said[-1][1] else None
    return Printed(reading.count, found, tuple(reading.errors), missing, proved, reading.broken)


def _blocks(text: str, reading: _Reading) -> Iterator[dict[str, str]]:
    block: dict[str, str] | None = None
    key = ""
    for line in text.split("\n"):
        if line == "@!!BEGIN":
            if block is not None:
                reading.broken = reading.broken or "a block begins inside another"
            block, key = {}, ""
        elif line == "@!!END":
            if block is None:
                reading.broken = reading.broken or "a block ends that has not begun"
            else:
                yield block
            block = None
        elif block is not None:
            named = _KEY.fullmatch(line)
            if named:
                key = named[1]
                if key in block:
                    reading.broken = reading.broken or f"a block has `{key}` twice"
                block[key] = named[2]
            elif key:
                block[key] += f"\n{line}"
    if block is not None:
        reading.broken = reading.broken or "the last block does not end: the run was cut short"


def _take(block: Mapping[str, str], reading: _Reading) -> None:
    kind = block.get("type", "")
    if kind == "obligationsnumber":
        if reading.count is not None:
            reading.broken = reading.broken or "the number of obligations is given twice"
        reading.count = _number(block.get("count", ""), reading)
    elif kind == "obligation":
        place = _LOC.fullmatch(block.get("loc", ""))
        id_ = _number(block.get("id", ""), reading)
        if place is None or id_ is None or "status" not in block:
            reading.broken = reading.broken or "an obligation has no id, place or status"
            return
        start, end = (int(place[1]), int(place[2])), (int(place[3]), int(place[4]))
        if id_ in reading.found and (reading.found[id_].start, reading.found[id_].end) != (start, end):
            reading.broken = reading.broken or f"obligation {id_} stands in two places"
        already = block.get("already", "false").strip() != "false"
        if already:
            reading.cached.add(id_)
        reading.found[id_] = Obligation(
            id_, start, end, block["status"].strip(), block.get("prover", "").strip(), block.get("reason", "").strip(),
            already, block.get("obl", "").strip(),
        )  # fmt: skip
    elif kind == "error":
        reading.errors.append(" ".join(block.get("msg", "").split()))


def _number(text: str, reading: _Reading) -> int | None:
    if re.fullmatch(r"\d{1,9}", text.strip()):
        return int(text)
    reading.broken = reading.broken or "a number does not read"
    return None
