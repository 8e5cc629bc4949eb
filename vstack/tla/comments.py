"""The comment lines directly above a definition, which SANY's export leaves out."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from vstack.tla.lexer import lexemes
from vstack.tla.places import Span, offsets

_BOX = re.compile(r"\(\*+\)|\*+\)?|\(\*+")
_SIGNS = re.compile(r"^\(\*+|\*+\)$")


@dataclass(frozen=True, slots=True)
class CommentLine:
    """One line of comment: its 1-based line, its text without comment signs and outer blanks."""

    line: int
    text: str


@functools.lru_cache(maxsize=64)
def _comments(source: str) -> dict[int, tuple[str, ...]]:
    """The lines that hold comment and nothing else, each with its texts."""
    code: set[int] = set()
    found: dict[int, list[str]] = {}
    line, position = 1, 0
    for item in lexemes(source):
        line += source.count("\n", position, item.start)
        position = item.start
        for place, text in enumerate(item.text.split("\n")):
            if item.kind in ("line", "block"):
                found.setdefault(line + place, []).append(_bare(text))
            else:
                code.add(line + place)
    return {number: tuple(texts) for number, texts in found.items() if number not in code}


def _bare(text: str) -> str:
    r"""A comment's line without its signs: ``\*``, ``(*``, ``*)`` and the bars of boxes."""
    text = text.strip()
    if text.startswith("\\*"):
        return text[2:].strip()
    if _BOX.fullmatch(text):
        return ""
    return _SIGNS.sub("", text).strip()


def comments_above(source_text: str, span: Span) -> tuple[CommentLine, ...]:
    r"""The comment lines directly above the text at ``span``, top to bottom.

    They end at the first line above that is empty or holds anything but
    comment; an empty line inside one ``(* ... *)`` ends nothing. Empty comment
    lines (of boxes) are left out.

    Raises:
        VstackError: the span is not of this text.
    """
    offsets(source_text, span)
    comments = _comments(source_text)
    line, taken = span.line - 1, []
    while line in comments:
        taken.append(CommentLine(line, " ".join(comments[line]).strip()))
        line -= 1
    return tuple(item for item in reversed(taken) if item.text)
