"""Text of a module by span, and edits of it that keep the layout of TLA+ valid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vstack.errors import VstackError
from vstack.tla.tree import Span

_TAB = 8
_ATOM = re.compile(r'\w+|"(?:[^"\\\n]|\\.)*"')
_BULLET = re.compile(r"/\\|\\/|[\u2227\u2228]")


@dataclass(frozen=True, slots=True)
class Edit:
    """Put ``replacement`` where ``span`` stands; ``is_expression`` unless it is a definition or other text."""

    span: Span
    replacement: str
    is_expression: bool = True


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for index, letter in enumerate(text):
        # SANY ends a line at \n, \r\n or a lone \r.
        if letter == "\n" or (letter == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts


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
        at += _TAB - (at - 1) % _TAB if letter == "\t" else 2 if ord(letter) > 0xFFFF else 1
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


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """``text`` with every edit made.

    An expression that is more than a name, a number or a string is put in
    parentheses, so that it binds as what it replaces did; its further lines are
    moved right to the column of its first. Where a bulleted list of ``/\\`` or
    ``\\/`` opens later on the line, it keeps its column (on a line of its own, if
    need be): the meaning of such lists hangs on columns.

    Raises:
        VstackError: two edits overlap, or a span lies outside the text.
    """
    places = sorted(((*offsets(text, edit.span), edit) for edit in edits), key=lambda place: place[:2])
    for (_, end, first), (start, _, second) in zip(places, places[1:], strict=False):
        if start < end:
            raise VstackError(
                f"Two edits overlap (lines {first.span.line} and {second.span.line})",
                where=f"{second.span.module}:{second.span.line}",
            )
    for start, end, edit in reversed(places):
        replacement = _wrapped(edit) if edit.is_expression else edit.replacement
        text = text[:start] + replacement + _followed(text[end:], replacement, edit.span)
    return text


def _wrapped(edit: Edit) -> str:
    if _ATOM.fullmatch(edit.replacement):
        return edit.replacement
    first, *rest = edit.replacement.split("\n")
    # "(" stands in the span's first column, so the text itself starts one further right.
    pad = " " * edit.span.column
    return "\n".join([f"({first}", *(pad + line if line.strip() else line for line in rest)]) + ")"


def _followed(following: str, replacement: str, span: Span) -> str:
    """What follows the replaced text, so that a list that opens on the same line keeps its column."""
    line, newline, below = following.partition("\n")
    if not _BULLET.search(line):
        return following
    blank = line[: len(line) - len(line.lstrip())]
    column = len((" " * span.end_column + blank).expandtabs(_TAB))
    last = replacement.rsplit("\n", 1)[-1]
    width = len(last) if "\n" in replacement else span.column - 1 + len(last)
    if width < column or (width == column and not blank):
        return " " * (column - width) + line.lstrip() + newline + below
    return "\n" + " " * column + line.lstrip() + newline + below
