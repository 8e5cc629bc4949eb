"""One input and its honest twin, judged."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.redteam.arena import Answer, Input, ask


@dataclass(frozen=True)
class Judged:
    """``caught``: the cheat did not come out green, and the answer says why; ``twin_passed``: the honest twin did."""

    kind: int
    name: str
    caught: bool
    outcome: str
    rules: tuple[str, ...]
    twin_passed: bool
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def line(self, what: str) -> str:
        """A row of the table."""
        mark = "caught" if self.caught else "SLIPPED"
        twin = "twin passes" if self.twin_passed else "TWIN REFUSED"
        rules = ", ".join(self.rules) or "-"
        return f"{self.kind:>3} {what[:34]:<34} {self.name[:38]:<38} {mark:<8} {self.outcome:<16} {twin:<13} {rules} {self.note}"


def judge(base: Path, folder: Path, kind: int, entry: Input, known: dict[str, Answer]) -> Judged:
    """Run the cheat and its twin on copies of ``base``; ``known`` is as in ``ask``."""
    cheat = ask(base, folder / "cheat", entry, entry.change)
    twin = ask(base, folder / "twin", entry, entry.twin, known)
    named = re.search(entry.says, cheat.text) is not None
    note = "" if named else f"[the answer does not say {entry.says!r}: {_tail(cheat.text)}]"
    if not twin.green:
        note += f" [twin: {_tail(twin.text)}]"
    return Judged(kind, entry.name, not cheat.green and named, cheat.outcome, cheat.rules, twin.green, note)


def _tail(text: str) -> str:
    return " ".join(text.split())[-300:]
