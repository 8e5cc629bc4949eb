"""Text for a replacement: source text as a block whose columns stay right beside other text."""

from __future__ import annotations

from vstack.tla.lexer import lexemes
from vstack.tla.places import text_of
from vstack.tla.tree import At, Node

_HEADER = "---- MODULE M ----\n"


def block(source: str, node: Node) -> str:
    """The text of ``node``, its further lines moved left by as much as its first.

    What hangs on columns (lists of ``/\\`` and ``\\/``) keeps its shape.
    """
    if isinstance(node, At):
        # SANY gives `@` the span of the whole component it stands in.
        return "@"
    first, *rest = text_of(source, node.span).split("\n")
    margin = node.span.column - 1
    moved = []
    for line in rest:
        line = line.expandtabs(8).rstrip()
        indent = len(line) - len(line.lstrip())
        moved.append(line[min(margin, indent) :])
    return "\n".join([first.rstrip(), *moved])


def beside(before: str, text: str, after: str = "") -> str:
    """``before``, then the block ``text`` with all its lines moved right, then ``after``."""
    first, *rest = text.split("\n")
    pad = " " * len(before)
    return "\n".join([before + first, *(pad + line for line in rest)]) + after


def enclosed(source: str, node: Node) -> str:
    """The text of ``node`` in parentheses."""
    return beside("(", block(source, node), ")")


def joined(source: str, left: Node, sign: str, right: Node) -> str:
    """``left sign right``, on one line where both are on one line."""
    first, second = block(source, left), block(source, right)
    if "\n" not in first + second:
        return f"{first} {sign} {second}"
    return f"{enclosed(source, left)}\n{beside(f'{sign} ', enclosed(source, right))}"


def flat(text: str) -> str:
    """``text`` on one line, without comments, each run of blanks one space: the form that names a mutant."""
    words: list[str] = []
    end = len(_HEADER)
    for lexeme in lexemes(_HEADER + text):
        if lexeme.start < len(_HEADER) or lexeme.kind in ("line", "block"):
            continue
        if words and lexeme.start > end:
            words.append(" ")
        words.append(lexeme.text)
        end = lexeme.end
    return "".join(words)
