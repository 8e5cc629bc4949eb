"""Lines of a source file as bytes: hashing a range, finding it again, and telling code from padding."""

from __future__ import annotations

import ast
import functools
import re

from vstack.files import sha256_bytes

# What a line may consist of without saying anything: brackets and separators, or a bare block opener.
_PADDING = re.compile(r"^[\s()\[\]{},;:.\"']*$|^\s*(pass|else\s*:|try\s*:|finally\s*:|\}\s*else\s*\{|end|begin)\s*$")
_COMMENT = re.compile(r"^\s*(#|//|/\*|\*|--|\\\*)")


def split_lines(data: bytes) -> list[bytes]:
    r"""The lines of ``data``, each with its ``\n`` (the last one may lack it); only ``\n`` ends a line."""
    lines = data.split(b"\n")
    tail = [lines[-1]] if lines[-1] else []
    return [line + b"\n" for line in lines[:-1]] + tail


def range_hash(lines: list[bytes], first: int, last: int) -> str | None:
    """Hex SHA-256 of lines ``first``..``last`` (from 1, both included), ``None`` if they don't all exist."""
    return sha256_bytes(b"".join(lines[first - 1 : last])) if last <= len(lines) else None


def find_lines(lines: list[bytes], wanted: list[bytes], near: int) -> tuple[int, int] | None:
    """``(first line, number of places)`` where ``wanted`` stands in ``lines``, the place nearest to line ``near``."""
    size = len(wanted)
    places = [i + 1 for i in range(len(lines) - size + 1) if lines[i] == wanted[0] and lines[i : i + size] == wanted]
    return (min(places, key=lambda place: abs(place - near)), len(places)) if places else None


def find_hash(lines: list[bytes], size: int, sha256: str, near: int) -> int | None:
    """The first line of the ``size`` lines whose hash starts with ``sha256``, nearest to line ``near``."""
    starts = range(1, len(lines) - size + 2)
    places = [
        start for start in starts if sha256_bytes(b"".join(lines[start - 1 : start - 1 + size])).startswith(sha256)
    ]
    return min(places, key=lambda place: abs(place - near), default=None)


@functools.lru_cache(maxsize=64)
def code_lines(text: str, path: str) -> frozenset[int]:
    """Numbers (from 1) of the lines of ``text`` that carry code: no blanks, comments, brackets alone or docstrings."""
    carrying = frozenset(
        number
        for number, line in enumerate(text.split("\n"), 1)
        if not _PADDING.match(line) and not _COMMENT.match(line)
    )
    return carrying - _docstring_lines(text) if path.endswith(".py") else carrying


def _docstring_lines(text: str) -> set[int]:
    tree = parse_python(text)
    found: set[int] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


@functools.lru_cache(maxsize=64)
def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of ``text``, ``None`` if this Python can't parse it (another version's syntax)."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
