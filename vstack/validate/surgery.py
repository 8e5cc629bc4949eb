"""Text of a generated module: definitions renamed and replaced, EXTENDS added, constants taken out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from vstack.errors import VstackError
from vstack.tla.lexer import Lexeme, lexemes
from vstack.tla.places import Span, offsets
from vstack.tla.tree import Definition

_COMMENTS = ("line", "block")


def renamed(source: str, definition: Definition, text: str, name: str) -> str:
    """``text``, a version of ``definition``, as a definition of ``name``; its body keeps its columns."""
    cut = _body_offset(source, definition)
    column = _column(source, offsets(source, definition.span)[0] + cut)
    return f"{head(source, definition, name)}\n{' ' * (column - 1)}{text[cut:].rstrip()}"


def head(source: str, definition: Definition, name: str) -> str:
    """``name(parameters) ==`` with the parameters of ``definition``."""
    start = offsets(source, definition.span)[0]
    written = source[start : start + _body_offset(source, definition) - len("==")]
    _, _, parameters = written.partition("(")
    local = "LOCAL " if definition.local else ""
    return f"{local}{name}{'(' + parameters.rstrip() if parameters else ''} =="


def call(definition: Definition, name: str) -> str:
    """``name`` applied to the parameters of ``definition``."""
    names = ", ".join(parameter.name for parameter in definition.params)
    return f"{name}({names})" if names else name


def spliced(source: str, replacements: Iterable[tuple[Span, str]]) -> str:
    """``source`` with the text at each span replaced as it is; the spans don't overlap."""
    places = sorted(((offsets(source, span), text) for span, text in replacements), reverse=True)
    for (start, end), text in places:
        source = source[:start] + text + source[end:]
    return source


def extended(source: str, name: str) -> str:
    """``source`` with ``name`` first among the modules that it EXTENDS."""
    tokens = _tokens(source)
    # ---- MODULE Name ---- comes first, EXTENDS (if any) right after it.
    if len(tokens) > 4 and tokens[4].text == "EXTENDS":
        end = tokens[4].end
        return f"{source[:end]} {name},{source[end:]}"
    end = tokens[3].end
    return f"{source[:end]}\nEXTENDS {name}\n{source[end:]}"


def appended(source: str, text: str) -> str:
    """``source`` with ``text`` before the line that ends the module."""
    lines = source.rstrip().splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if line.strip().startswith("===="))
    return "".join([*lines[:last], f"\n{text}\n\n", *lines[last:]])


def without_constants(source: str, names: frozenset[str]) -> str:
    """``source`` with ``names`` taken out of its CONSTANT declarations.

    Raises:
        VstackError: one of ``names`` takes parameters.
    """
    tokens = _tokens(source)
    changes: list[tuple[int, int, str]] = []
    index = 0
    while index < len(tokens):
        keyword, index = tokens[index], index + 1
        if keyword.text not in ("CONSTANT", "CONSTANTS"):
            continue
        items, commas, index = _declared(tokens, index)
        gone = [item[0].text for item in items if item[0].text in names]
        if any(len(item) > 1 for item in items if item[0].text in gone):
            raise VstackError(f"A constant that takes parameters can't be switched within one run: {', '.join(gone)}")
        if gone:
            kept = ["".join(part.text for part in item) for item in items if item[0].text not in gone]
            changes.append((keyword.start, keyword.end, f"CONSTANTS {', '.join(kept)}" if kept else ""))
            parts = [*commas, *(part for item in items for part in item)]
            changes += [(part.start, part.end, "") for part in parts]
    for start, end, text in sorted(changes, reverse=True):
        source = source[:start] + text + source[end:]
    return source


@lru_cache(maxsize=64)
def _tokens(source: str) -> tuple[Lexeme, ...]:
    return tuple(item for item in lexemes(source) if item.kind not in _COMMENTS)


def _declared(tokens: Sequence[Lexeme], index: int) -> tuple[list[list[Lexeme]], list[Lexeme], int]:
    """The items of one CONSTANT declaration from ``index``, its commas, and where it ends."""
    items: list[list[Lexeme]] = []
    commas: list[Lexeme] = []
    while index < len(tokens):
        item = [tokens[index]]
        index += 1
        if index < len(tokens) and tokens[index].text == "(":
            while tokens[index].text != ")":
                item.append(tokens[index])
                index += 1
            item.append(tokens[index])
            index += 1
        items.append(item)
        if index >= len(tokens) or tokens[index].text != ",":
            break
        commas.append(tokens[index])
        index += 1
    return items, commas, index


def _body_offset(source: str, definition: Definition) -> int:
    """Where the text after ``==`` starts, from the start of the definition."""
    start, end = offsets(source, definition.span)
    depth = 0
    for lexeme in _tokens(source):
        if lexeme.start < start:
            continue
        if lexeme.start >= end:
            break
        if lexeme.text in "([{" and lexeme.kind == "sign":
            depth += 1
        elif lexeme.text in ")]}" and lexeme.kind == "sign":
            depth -= 1
        elif lexeme.text == "==" and depth == 0:
            return lexeme.end - start
    raise VstackError(
        f"The definition of {definition.name} has no ==", where=f"{definition.module}:{definition.span.line}"
    )


def _column(source: str, offset: int) -> int:
    line = source[source.rfind("\n", 0, offset) + 1 : offset]
    return len(line.expandtabs(8)) + 1
