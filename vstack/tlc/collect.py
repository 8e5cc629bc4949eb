"""What a TLC run printed, sorted while it comes: violations, errors, numbers, coverage, the model's own prints."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from vstack.tlc.coverage import Coverage
from vstack.tlc.messages import STATES, Message, MessageReader
from vstack.tlc.progress import Progress, count, parse_final, parse_progress

VIOLATIONS = {
    2110: "invariant",
    2107: "invariant",
    2112: "action",
    2108: "property",
    2116: "temporal",
    2114: "deadlock",
}
_SUCCESS, _FINAL, _DEPTH, _PROGRESS = 2193, 2199, 2194, 2200
_SANY_START, _SANY_END, _PARSING_FAILED = 2220, 2219, 3002
_COVERAGE_START, _COVERAGE_ACTION, _COVERAGE_END, _COVERAGE_DETAIL = 2201, 2772, 2202, 2221
_BEHAVIOUR = 2121
_OUT_OF_MEMORY = (1001, 1002)
# Coverage of single expressions and counts of initial states: many, and nothing rests on them.
_DROPPED = (_COVERAGE_DETAIL, 2775, 2269)
_WARNING, _ERRORS = 3, (1, 2)
_KEPT_PRINTS = 10_000
_TAIL_LINES = 200
_HUNG_AFTER = 5.0
_SEARCH_DEPTH = re.compile(r"depth of the complete state graph search is ([\d,]+)")
_TERMINATED = re.compile(r"^Terminating due to java\.lang\.OutOfMemoryError")
# TLC's advice on the JVM's garbage collector: a brief run takes the one that starts cheaply on purpose.
_GARBAGE_COLLECTOR = 2401


@dataclass
class Violation:
    """A message that announces a violation, and the messages after it up to the next one."""

    message: Message
    following: list[Message] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The kind of violation, as in ``TlcResult.kind``."""
        return VIOLATIONS[self.message.code]


class Collector:
    """Takes a run's output line by line, while it runs."""

    def __init__(self, on_progress: Callable[[Progress], None] | None = None) -> None:
        self.violations: list[Violation] = []
        self.errors: list[Message] = []
        self.warnings: list[str] = []
        self.printed: deque[str] = deque(maxlen=_KEPT_PRINTS)
        self.sany: list[str] = []
        self.coverage = Coverage()
        self.final: tuple[int, int, int] | None = None
        self.success = False
        self.out_of_memory = False
        # The distributed server prints a behaviour and doesn't say what it violates.
        self.unnamed_violation = False
        # The last state of a behaviour that leads to an error, with the action that was tried.
        self.last_step: Message | None = None
        self.depth = 0
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self.last_progress: Progress | None = None
        self._reader = MessageReader()
        self._in_sany = False
        self._started = monotonic()
        self._last_line = self._started
        self._on_progress = on_progress

    def line(self, text: str) -> str | None:
        """One line of standard output; never asks for a stop."""
        self._last_line = monotonic()
        self.tail.append(text)
        item = self._reader.feed(text)
        if isinstance(item, Message):
            self._message(item)
        elif item is not None:
            self._outside(item)
        return None

    def tick(self) -> str | None:
        """Called while TLC runs: reports progress, and asks for a stop where TLC hangs for lack of memory."""
        now = monotonic()
        if self._on_progress and self.last_progress:
            latest = self.last_progress
            self._on_progress(
                Progress(
                    latest.generated,
                    latest.distinct,
                    latest.queue,
                    latest.depth,
                    latest.states_per_second,
                    now - self._started,
                )
            )
        if self.out_of_memory and now - self._last_line > _HUNG_AFTER:
            return "heap exhausted: TLC said so and then hung"
        return None

    def _outside(self, line: str) -> None:
        if _TERMINATED.match(line):
            self.out_of_memory = True
        elif self._in_sany:
            self.sany.append(line)
        else:
            self.printed.append(line)

    def _message(self, message: Message) -> None:
        code = message.code
        if code in _DROPPED:
            return
        if code == _SANY_START:
            self._in_sany = True
        elif code in (_SANY_END, _PARSING_FAILED):
            self._in_sany = False
        if code in VIOLATIONS:
            self.violations.append(Violation(message))
            return
        if any(part.code in _OUT_OF_MEMORY for part in message.walk()):
            self.out_of_memory = True
        if code == _BEHAVIOUR and not self.violations and not self.errors:
            self.unnamed_violation = True
        if message.severity in _ERRORS and code not in (_BEHAVIOUR, 2264, _PARSING_FAILED):
            self.errors.append(message)
        elif message.severity == _WARNING and code != _GARBAGE_COLLECTOR:
            self.warnings.append(f"{message.text} (TLC {code})")
        if self.violations:
            self.violations[-1].following.append(message)
        elif code in STATES:
            self.last_step = message
        self._number(message)

    def _number(self, message: Message) -> None:
        code = message.code
        if code == _SUCCESS:
            self.success = True
        elif code == _FINAL:
            self.final = parse_final(message.text)
        elif code == _PROGRESS:
            progress = parse_progress(message.text, monotonic() - self._started)
            if progress:
                self.last_progress = progress
                self.depth = max(self.depth, progress.depth)
                if self._on_progress:
                    self._on_progress(progress)
        elif code == _DEPTH:
            found = _SEARCH_DEPTH.search(message.text)
            self.depth = count(found[1]) if found else self.depth
        elif code == _COVERAGE_START:
            self.coverage = Coverage()
        elif code == _COVERAGE_END:
            self.coverage.complete = True
        elif code == _COVERAGE_ACTION:
            self.coverage.add(message.text)
