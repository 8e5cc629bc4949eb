"""Spans of a module's text, with SANY's columns."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from vstack.errors import VstackError

TAB = 8
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Span:
    """Where something stands in a module: 1-based lines and columns, both ends inclusive.

    Columns are SANY's: a tab reaches to the next multiple of 8.
    """

    module: str
    line: int
    column: int
    end_line: int
    end_column: int


@functools.lru_cache(maxsize=64)
def _line_starts(text: str) -> tuple[int, ...]:
    """The offset of each line's first character; SANY ends a line at \\n, \\r\\n or a lone \\r."""
    return (0, *(end.end() for end in _LINE_END.finditer(text)))


def _offset(text: str, starts: Sequence[int], line: int, column: int, where: str) -> int:
    """The offset of the character at ``line``, ``column``: a tab reaches to a multiple of 8.

    Characters outside the Basic Multilingual Plane are two columns, as in Java's strings.
    """
    if not 1 <= line <= len(starts):
        raise VstackError("The span lies outside the text", where=f"{where}:{line}", todo="Read the module again")
    position, at = starts[line - 1], 1
    end = starts[line] if line < len(starts) else len(text)
    while at < column and position < end:
        letter = text[position]
        at += TAB - (at - 1) % TAB if letter == "\t" else 2 if ord(letter) > 0xFFFF else 1
        position += 1
    if at < column:
        raise VstackError("The span lies outside its line", where=f"{where}:{line}", todo="Read the module again")
    return position


def offsets(text: str, span: Span) -> tuple[int, int]:
    """Where ``span`` starts and ends in ``text``, as a half-open range of characters.

    Raises:
        VstackError: the text has no such place: it is not the text that was parsed.
    """
    starts = _line_starts(text)
    return (
        _offset(text, starts, span.line, span.column, span.module),
        _offset(text, starts, span.end_line, span.end_column, span.module) + 1,
    )


def text_of(source_text: str, span: Span) -> str:
    """The text at ``span``."""
    start, end = offsets(source_text, span)
    return source_text[start:end]
