"""Edits of a module's text by span that keep the layout of TLA+ valid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vstack.errors import VstackError
from vstack.tla.places import TAB, Span, offsets

_ATOM = re.compile(r'\w+|"(?:[^"\\\n]|\\.)*"')
_BULLET = re.compile(r"/\\|\\/|[\u2227\u2228]")


@dataclass(frozen=True, slots=True)
class Edit:
    """Put ``replacement`` where ``span`` stands; ``is_expression`` unless it is a definition or other text."""

    span: Span
    replacement: str
    is_expression: bool = True


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
    column = len((" " * span.end_column + blank).expandtabs(TAB))
    last = replacement.rsplit("\n", 1)[-1]
    width = len(last) if "\n" in replacement else span.column - 1 + len(last)
    if width < column or (width == column and not blank):
        return " " * (column - width) + line.lstrip() + newline + below
    return "\n" + " " * column + line.lstrip() + newline + below
