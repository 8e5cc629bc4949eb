"""Words of a command as the files that they may mean: variables, braces and patterns filled in."""

from __future__ import annotations

import os

from vstack.guard.places import key
from vstack.guard.protect import Protected
from vstack.guard.shell_words import GLOB_MARKS, NAME, NAME_END, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterator

_BRACE, _TILDE = "\4", "\5"
_PATTERN = ("\1", "\2", "\3")
_MOST = 256  # words that one may expand to; more is no command that a person writes
# Names that mean one file wherever they stand: a bare one in a program is enough to go by.
_TELLING = (".tla", ".cfg", "vstack.lock", "vstack.approvers")


class Targets:
    """What words mean at one point of a command line: the folder and the variables there."""

    def __init__(self, protected: Protected, cwd: str) -> None:
        self.protected = protected
        self.cwd: str | None = cwd
        self.variables: dict[str, list[str]] = {}

    def expand(self, word: str) -> list[str]:
        """The words that ``word`` becomes; what only a run would tell stays `UNKNOWN`."""
        found = []
        for text in _braces(word):
            if text[:2] == f"{_TILDE}+" and text[2:3] in ("", "/"):  # `~+` is the folder one is in
                text = (self.cwd or UNKNOWN) + text[2:]
            elif text.startswith(_TILDE):
                text = os.path.expanduser("~" + text[1:])
            found += self._filled(text)
        return found[:_MOST]

    def plain(self, word: str) -> str:
        """``word`` as one text, for names and options."""
        return literal((self.expand(word) or [""])[0])

    def why(self, word: str, *, below: bool = False) -> str | None:
        """Why what ``word`` means may not be written (with ``below``: nor what lies under it)."""
        for text in self.expand(word):
            told = self._one(text, below)
            if told is not None:
                return told
        return None

    def named(self, text: str) -> str | None:
        """Why the file that a program names as ``text`` may not be written: its path, or a name that tells alone."""
        if not text or len(text) > 4096 or "\n" in text or "\0" in text:
            return None
        told = self.protected.why(text, self.cwd or "/")
        if told is not None:
            return told
        wanted = key(text)
        if wanted.endswith(_TELLING) and "/" not in wanted:
            return next((why for known, why in self.protected.files.items() if known.endswith("/" + wanted)), None)
        return None

    def folder(self, word: str) -> str | None:
        """The folder that ``word`` means; None where only a run would tell."""
        (text, *more) = self.expand(word) or [UNKNOWN]
        if more or UNKNOWN in text or any(mark in text for mark in _PATTERN) or self.cwd is None:
            return text if os.path.isabs(text) and UNKNOWN not in text else None
        return os.path.normpath(os.path.join(self.cwd, text))

    def _one(self, text: str, below: bool) -> str | None:
        if not text or text == UNKNOWN:
            return None
        if self.cwd is None and not os.path.isabs(text):
            text = f"{UNKNOWN}/{text}"
        if UNKNOWN in text:
            return self._tail(text)
        if any(mark in text for mark in _PATTERN):
            return self._pattern(text, below)
        look = self.protected.why_below if below else self.protected.why
        return look(literal(text), self.cwd or "/")

    def _tail(self, text: str) -> str | None:
        """By the end of the path, where its start is not known: from the first whole name after that."""
        _, slash, tail = text.rpartition(UNKNOWN)[2].partition("/")
        if not slash or not tail:
            return None
        import fnmatch

        pattern = "*/" + _as_pattern(key(tail))
        return next((why for known, why in self.protected.files.items() if fnmatch.fnmatchcase(known, pattern)), None)

    def _pattern(self, text: str, below: bool) -> str | None:
        import fnmatch

        parts = key(os.path.normpath(os.path.join(self.cwd or "/", text))).split("/")
        for known, why in (*self.protected.files.items(), *self.protected.folders.items()):
            names = known.split("/")
            if (len(names) == len(parts) or (below and len(names) > len(parts))) and all(
                fnmatch.fnmatchcase(name, _as_pattern(part)) for name, part in zip(names, parts)
            ):
                return why
        return None

    def _filled(self, text: str) -> list[str]:
        found = [""]
        for number, part in enumerate(text.split(NAME)):
            name, _, rest = part.partition(NAME_END) if number else ("", "", part)
            values = self.variables.get(name, [UNKNOWN]) if number else [""]
            found = [before + value + rest for before in found for value in values][:_MOST]
        return found


def _braces(word: str) -> Iterator[str]:
    """`a{b,c}d` as `abd` and `acd`."""
    start = word.find(_BRACE)
    end = word.find("}", start)
    if start < 0 or end < 0 or "," not in word[start:end]:
        yield word.replace(_BRACE, "{")
        return
    for choice in word[start + 1 : end].split(","):
        for rest in _braces(word[end + 1 :]):
            yield word[:start] + choice + rest


def literal(text: str) -> str:
    for mark, char in GLOB_MARKS.items():
        text = text.replace(mark, char)
    return text


def _as_pattern(text: str) -> str:
    """``text`` for `fnmatch`: only its marks are wild."""
    return "".join(GLOB_MARKS[char] if char in _PATTERN else f"[{char}]" if char in "*?[" else char for char in text)
