"""The lexemes of one definition's source text, without comments and layout."""

from __future__ import annotations

import functools

from vstack.tla.lexer import Lexeme, lexemes

_HEAD = "---- MODULE X ----\n"
_TAIL = "\n===="


@functools.lru_cache(maxsize=512)
def words_of(text: str) -> tuple[Lexeme, ...]:
    """The lexemes of ``text`` with offsets into it, comments left out."""
    found = lexemes(_HEAD + text + _TAIL)
    end = len(_HEAD) + len(text)
    return tuple(
        Lexeme(item.kind, item.text, item.start - len(_HEAD), item.end - len(_HEAD))
        for item in found
        if item.kind not in ("line", "block") and len(_HEAD) <= item.start < end
    )


def reads_alike(one: str, other: str) -> bool:
    """Whether two texts differ in comments and layout at most."""
    return [item.text for item in words_of(one)] == [item.text for item in words_of(other)]
