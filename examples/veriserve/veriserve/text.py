"""Tokens into text as they come: whole characters only, and nothing that a stop string might still swallow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Decode = Callable[[Sequence[int]], str]
REPLACEMENT = "\ufffd"


class TextStream:
    """The text of one request's output.

    A token may be half a character, and a tokenizer may write a token differently after another one; so each piece is
    the difference of two decodings that begin at the same earlier token.
    """

    def __init__(self, decode: Decode, stop: Sequence[str] = ()) -> None:
        self._decode = decode
        self._stop = stop
        self._tokens: list[int] = []
        self._first = 0  # where the decoding begins
        self._read = 0  # tokens whose text is out
        self._held = ""  # text that may be the beginning of a stop string
        self.stopped = False

    def push(self, token: int) -> str:
        """The text that is certain now that ``token`` has come; ``stopped`` says whether it ends with a stop string."""
        self._tokens.append(token)
        fresh = self._fresh()
        if fresh.endswith(REPLACEMENT) and len(self._tokens) - self._read < 4:
            return ""  # the rest of a character is still to come; no character has more than four bytes
        self._first, self._read = self._read, len(self._tokens)
        return self._emit(fresh)

    def finish(self) -> str:
        """What is left when no token follows."""
        if self.stopped:
            return ""
        text = self._emit(self._fresh()) + ("" if self.stopped else self._held)
        self._held = ""
        return text

    def _fresh(self) -> str:
        return self._decode(self._tokens[self._first :])[len(self._decode(self._tokens[self._first : self._read])) :]

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
