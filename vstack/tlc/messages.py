"""The messages TLC prints in ``-tool`` mode: nested, coded, read as they come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# The codes of a message that shows one state of a behaviour.
STATES = (2216, 2217)

_START = re.compile(r"^(.*?)@!@!@STARTMSG (-?\d+):(\d+) @!@!@$")
_END = re.compile(r"^@!@!@ENDMSG (-?\d+) @!@!@$")


@dataclass(frozen=True)
class Message:
    """One message: TLC's code and severity (0 none, 1 error, 2 TLC bug, 3 warning, 4 state).

    ``parts`` are its lines and the messages nested in it, in order.
    """

    code: int
    severity: int
    parts: tuple[str | Message, ...]

    @property
    def text(self) -> str:
        """All lines, those of nested messages included, without the framing."""
        return "\n".join(part if isinstance(part, str) else part.text for part in self.parts).strip("\n")

    def walk(self) -> Iterator[Message]:
        """This message, then every message nested in it."""
        yield self
        for part in self.parts:
            if isinstance(part, Message):
                yield from part.walk()


@dataclass
class _Open:
    code: int
    severity: int
    parts: list[str | Message]


class MessageReader:
    """Turns lines into messages, one line at a time.

    Framing may start in the middle of a line (``: @!@!@STARTMSG 2132:0 @!@!@``)
    only inside another message: outside, a line that doesn't begin with it is
    what the model printed, and TLC quotes and escapes strings, so that a model
    can't forge a message.
    """

    def __init__(self) -> None:
        self._open: list[_Open] = []

    @property
    def depth(self) -> int:
        """How many messages are open: 0 between messages, more where the output was cut."""
        return len(self._open)

    def feed(self, line: str) -> Message | str | None:
        """The message that ``line`` completes, or ``line`` itself outside any, or None inside one."""
        line = line.rstrip("\r\n")
        start = _START.match(line)
        if start and (self._open or not start[1]):
            if start[1]:
                self._open[-1].parts.append(start[1])
            self._open.append(_Open(int(start[2]), int(start[3]), []))
            return None
        if not self._open:
            return line
        end = _END.match(line)
        if end and any(opened.code == int(end[1]) for opened in self._open):
            return self._close(int(end[1]))
        self._open[-1].parts.append(line)
        return None

    def _close(self, code: int) -> Message | None:
        while True:
            opened = self._open.pop()
            message = Message(opened.code, opened.severity, tuple(opened.parts))
            if not self._open:
                return message
            self._open[-1].parts.append(message)
            if opened.code == code:
                return None
