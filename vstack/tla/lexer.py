"""Comments, strings and words of TLA+ source text, with offsets: what SANY's export leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_START = re.compile(r"-{4,}\s*MODULE\b")
_TOKEN = re.compile(
    r"""(?P<line>\\\*[^\n]*)
      | (?P<block>\(\*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<rule>-{4,}|={4,})
      | (?P<word>\\?[A-Za-z0-9_]+)
      | (?P<blank>\s+)
      | (?P<sign>==|.)""",
    re.VERBOSE | re.DOTALL,
)
_BLOCK_EDGE = re.compile(r"\(\*|\*\)")


@dataclass(frozen=True, slots=True)
class Lexeme:
    """``kind`` is ``line`` or ``block`` (comments), ``string``, ``rule``, ``word`` or ``sign``."""

    kind: str
    text: str
    start: int
    end: int


def lexemes(source: str) -> Iterator[Lexeme]:
    """The lexemes of the first module of ``source`` without blanks; what stands before and after it is skipped.

    Block comments nest; a quote inside a comment opens no string, a comment
    sign inside a string no comment.
    """
    opening = _START.search(source)
    if opening is None:
        return
    position, depth = opening.start(), 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        assert match is not None and match.lastgroup is not None
        kind, end = match.lastgroup, match.end()
        if kind == "block":
            end = _block_end(source, position)
        if kind != "blank":
            yield Lexeme(kind, source[position:end], position, end)
        if kind == "word" and match.group() == "MODULE" and _START.match(source, _line_rule(source, position)):
            depth += 1
        elif kind == "rule" and match.group().startswith("="):
            depth -= 1
            if depth <= 0:
                return
        position = end


def _line_rule(source: str, position: int) -> int:
    """Where the rule before MODULE starts, if the line has one."""
    start = source.rfind("\n", 0, position) + 1
    return start + len(source[start:position]) - len(source[start:position].lstrip())


def _block_end(source: str, start: int) -> int:
    depth = 0
    for edge in _BLOCK_EDGE.finditer(source, start):
        depth += 1 if edge.group() == "(*" else -1
        if depth == 0:
            return edge.end()
    return len(source)


def module_names(source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The modules that the text extends and those it instantiates, in order, inner modules' included."""
    extends: dict[str, None] = {}
    instances: dict[str, None] = {}
    words = [item for item in lexemes(source) if item.kind in ("word", "sign", "rule")]
    index = 0
    while index < len(words) - 1:
        if words[index].text == "EXTENDS":
            index += 1
            while index < len(words) and words[index].kind == "word":
                extends[words[index].text] = None
                if index + 2 >= len(words) or words[index + 1].text != ",":
                    break
                index += 2
        elif words[index].text == "INSTANCE":
            instances[words[index + 1].text] = None
        index += 1
    return tuple(extends), tuple(instances)
