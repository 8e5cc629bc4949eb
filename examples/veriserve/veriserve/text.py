"""Tokens into text as they come: whole characters only, and nothing that a stop string might still swallow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Decode = Callable[[Sequence[int]], str]
REPLACEMENT = "\ufffd"


class TextStream:
    """The text of one request's output.

    A tokenizer may write a token differently after another one, so each decoding begins at a token whose text is out
    already; and a token may end in the middle of a character, which is held back until the rest has come.
    """

    def __init__(self, decode: Decode, stop: Sequence[str] = ()) -> None:
        self._decode = decode
        self._stop = stop
        self._tokens: list[int] = []
        self._first = 0  # where the decoding begins
        self._read = 0  # tokens before this one end with a whole character, and their text is out
        self._out = 0  # characters of the decoding that are out
        self._held = ""  # text that may be the beginning of a stop string
        self.stopped = False

    def push(self, token: int) -> str:
        """The text that is certain now that ``token`` has come; ``stopped`` says whether a stop string has ended it."""
        self._tokens.append(token)
        text = self._decode(self._tokens[self._first :])
        whole = text.rstrip(REPLACEMENT)
        fresh, self._out = whole[self._out :], max(self._out, len(whole))
        if whole == text:
            self._first, self._read = self._read, len(self._tokens)
            self._out = len(self._decode(self._tokens[self._first :]))
        return self._emit(fresh)

    def finish(self) -> str:
        """What is left when no token follows."""
        if self.stopped:
            return ""
        text = self._emit(self._decode(self._tokens[self._first :])[self._out :])
        return text if self.stopped else text + self._held

    def _emit(self, fresh: str) -> str:
        text = self._held + fresh
        found = [at for stop in self._stop if (at := text.find(stop)) >= 0]
        if found:
            self.stopped, self._held = True, ""
            return text[: min(found)]
        keep = max((_overlap(text, stop) for stop in self._stop), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]


def _overlap(text: str, stop: str) -> int:
    """The length of the longest end of ``text`` that begins ``stop``."""
    return next((n for n in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:n])), 0)
