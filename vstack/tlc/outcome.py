"""What one TLC run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vstack.tlc.trace import Trace
from vstack.verdicts import Verdict


@dataclass(frozen=True)
class ActionCount:
    """How often an action led to a new state, and how often to any (``generated`` 0: it never fired)."""

    distinct: int
    generated: int


@dataclass(frozen=True)
class Outcome:
    """A verdict with its reason; ``where`` is ``file:line`` where the reason has one place."""

    verdict: Verdict
    reason: str
    violated: str | None = None
    kind: str | None = None
    where: str | None = None


@dataclass(frozen=True)
class TlcResult:
    """The verdict of a run, why, and everything it rests on.

    ``violated`` names the invariant or property (``deadlock`` for a deadlock;
    where TLC names none of several temporal properties, ``one of A, B``).
    ``kind`` of a violation is ``invariant``, ``action``, ``property`` (a
    PROPERTY false in an initial state), ``temporal`` or ``deadlock``; a false
    Assert or ASSUME decides no property and is an error of kind ``assert`` or
    ``assumption``. ``where`` is ``file:line`` of an error. ``shortest`` says whether no
    shorter counterexample exists: true of what one worker's breadth-first
    search finds, never of a temporal counterexample. ``fired`` maps actions
    to their counts in the last coverage TLC printed (``vstack.tlc.coverage``
    says under which names); ``printed`` is what the model printed.
    """

    verdict: Verdict
    reason: str
    violated: str | None
    kind: str | None
    trace: Trace | None
    traces: tuple[Trace, ...]
    shortest: bool
    distinct: int
    generated: int
    queue: int
    depth: int
    fired: Mapping[str, ActionCount]
    seconds: float
    returncode: int
    command: tuple[str, ...]
    tlc_version: str
    warnings: tuple[str, ...] = ()
    output_tail: str = ""
    printed: tuple[str, ...] = ()
    where: str | None = None
