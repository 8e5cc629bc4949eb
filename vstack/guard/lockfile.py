"""`vstack.lock` read with the standard library: block YAML as vstack writes it, every scalar as text.

The real reader is `vstack.specify.lock`. This one serves hooks, which can't pay for
pydantic and PyYAML, and only has to find out which files a lock pins.
"""

from __future__ import annotations

import json

from vstack.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterator
    from typing import TypeAlias, Union

    Data: TypeAlias = Union[dict[str, "Data"], list["Data"], str, None]

_CONFLICT = ("<<<<<<< ", ">>>>>>> ")
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "e": "\x1b",
    "v": "\v",
    "_": "\xa0",
    "N": "\x85",
    "L": "\u2028",
    "P": "\u2029",
    " ": " ",
}


def read_data(raw: bytes, where: str) -> dict:
    """The lock in ``raw`` as nested dicts, lists and strings; ``where`` names the file in errors.

    Raises:
        RefusedError: conflict markers, CRLF line ends, or not as vstack writes it, with ``file:line``.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError("The lock is not UTF-8 text", where=where, todo="Restore it with git") from None
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if line.startswith(_CONFLICT) or line.rstrip("\r") == "=======":
            raise RefusedError(
                "The lock holds git's conflict markers",
                where=f"{where}:{number}",
                todo="Take one side whole (`git checkout HEAD -- vstack.lock`), then a person approves again",
            )
    if "\r" in text:
        raise RefusedError(
            "The lock has CRLF line ends: git or an editor has rewritten it",
            where=where,
            todo="Put `vstack.lock -text` into .gitattributes and check the file out again",
        )
    reader = _Reader(lines)
    try:
        if any(mark in text for mark in "\x85\u2028\u2029"):  # line ends to YAML, and to no one else
            raise ValueError
        data = reader.block(0)
        reader.skip()
        if not isinstance(data, dict) or reader.at < len(reader.lines):
            raise ValueError
    except (ValueError, IndexError, RecursionError):
        raise RefusedError(
            "The lock is not as vstack wrote it",
            where=f"{where}:{min(reader.at, len(lines)) + 1}",
            todo="Restore it with git",
        ) from None
    return data


class _Reader:
    """A cursor over the lines; raises ValueError on what PyYAML's block style never writes."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0

    def skip(self) -> None:
        """Past blank lines and comments of a whole line."""
        while self.at < len(self.lines) and (not self.lines[self.at].strip() or self.lines[self.at].startswith("#")):
            self.at += 1

    def indent(self) -> int:
        """Columns before the next content; -1 at the end."""
        self.skip()
        if self.at >= len(self.lines):
            return -1
        line = self.lines[self.at]
        return len(line) - len(line.lstrip(" "))

    def block(self, indent: int) -> Data:
        """The mapping, sequence or scalar whose first line is the next, at ``indent``."""
        if self.indent() != indent:
            raise ValueError
        line = self.lines[self.at][indent:]
        if line.startswith("- ") or line == "-":
            return self._sequence(indent)
        if line.startswith("? ") or _key(line) is not None:
            return self._mapping(indent)
        self.at += 1
        return self._value(line, indent - 1)

    def _sequence(self, indent: int) -> list:
        items = []
        while self.indent() == indent and (self.lines[self.at][indent:] + " ").startswith("- "):
            items.append(self._inner(indent))
        return items

    def _inner(self, indent: int) -> Data:
        """What stands after a `- `, `? ` or `: ` at ``indent``: a block of its own two columns further in."""
        rest = self.lines[self.at][indent + 2 :]
        if not rest:
            self.at += 1
            return self.block(self.indent()) if self.indent() > indent else None
        if _literal(rest):
            self.at += 1
            return self._value(rest, indent)
        self.lines[self.at] = " " * (indent + 2) + rest
        return self.block(indent + 2)

    def _mapping(self, indent: int) -> dict:
        found: dict = {}
        while self.indent() == indent:
            line = self.lines[self.at][indent:]
            if line.startswith("? "):
                key = self._inner(indent)
                if self.indent() != indent or not (self.lines[self.at][indent:] + " ").startswith(": "):
                    raise ValueError
                value = self._inner(indent)
            else:
                parted = _key(line)
                if parted is None:
                    raise ValueError
                key, rest = parted
                self.at += 1
                value = self._value(rest, indent) if rest else self._below(indent)
            if not isinstance(key, str) or key in found:
                raise ValueError
            found[key] = value
        return found

    def _below(self, indent: int) -> Data:
        """The value of a key with nothing after its colon; a sequence may stand at the key's own column."""
        deeper = self.indent()
        if deeper > indent or (deeper == indent and (self.lines[self.at][indent:] + " ").startswith("- ")):
            return self.block(deeper)
        return None

    def _value(self, rest: str, indent: int) -> Data:
        if _literal(rest):
            return self._literal_text(rest, indent)
        if rest in ("{}", "[]"):
            return {} if rest == "{}" else []
        if rest[0] in "'\"":
            while not _closed(rest):
                rest += self._folded(indent, rest[0] == '"')
            return _unquoted(rest)
        if rest[0] in "{[&*!>%@`":
            raise ValueError
        while self.at < len(self.lines) and self.indent() > indent:
            rest += self._folded(indent, False)
        return None if rest in ("null", "~") else rest

    def _folded(self, indent: int, double: bool) -> str:
        """The next line of a scalar that goes on: a blank line stands for a line end, any other end for a space."""
        ends = 0
        while not self.lines[self.at].strip():
            ends, self.at = ends + 1, self.at + 1
        line = self.lines[self.at]
        if len(line) - len(line.lstrip(" ")) <= indent:
            raise ValueError
        self.at += 1
        # In double quotes the breaks are kept for `_unquoted`, which knows an escaped one from a folded one.
        return "\n" * (ends + 1) + line.strip(" ") if double else ("\n" * ends or " ") + line.strip(" ")

    def _literal_text(self, header: str, indent: int) -> str:
        digits = header[1:].strip("+-")
        column = max(indent, 0) + int(digits) if digits else 0
        taken = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip(" "):
                own = len(line) - len(line.lstrip(" "))
                if not column:
                    column = own
                if own < column or column <= indent:
                    break
            taken.append(line[column:] if column else "")
            self.at += 1
        if self.at == len(self.lines):
            taken.pop()  # what `split` leaves after the last line end
        text = "".join(line + "\n" for line in taken)
        if "+" in header:
            return text
        text = text.rstrip("\n")
        return text if "-" in header or not text else text + "\n"


def _literal(rest: str) -> bool:
    return rest.startswith("|") and not rest[1:].strip("+-0123456789")


def _key(line: str) -> tuple[str, str] | None:
    """Key and rest of `key: rest`; None where the line is no entry of a mapping."""
    if line[:1] in ("'", '"'):
        for end in _ends(line):
            if line[end + 1 : end + 2] == ":" and line[end + 2 : end + 3] in ("", " "):
                return _unquoted(line[: end + 1]), line[end + 3 :]
        return None
    at = line.find(": ")
    if at < 0:
        return (line[:-1], "") if line.endswith(":") else None
    return line[:at], line[at + 2 :]


def _ends(text: str) -> Iterator[int]:
    """Where the quoted scalar at the start of ``text`` ends."""
    quote, at = text[0], 1
    while at < len(text):
        if quote == '"' and text[at] == "\\":
            at += 2
            continue
        if text[at] == quote:
            if quote == "'" and text[at + 1 : at + 2] == "'":
                at += 2
                continue
            yield at
            return
        at += 1


def _closed(text: str) -> bool:
    end = next(_ends(text), None)
    if end is not None and end != len(text) - 1:
        raise ValueError
    return end is not None


def _unquoted(text: str) -> str:
    body = text[1:-1]
    if text[0] == "'":
        return body.replace("''", "'")
    parts, at = [], 0
    while at < len(body):
        char = body[at]
        if char == "\n":
            run = len(body[at:]) - len(body[at:].lstrip("\n"))
            parts.append("\n" * (run - 1) or " ")
            at += run
        elif char != "\\":
            parts.append(char)
            at += 1
        else:
            kind = body[at + 1]
            width = {"x": 2, "u": 4, "U": 8}.get(kind, 0)
            if width:
                parts.append(chr(int(body[at + 2 : at + 2 + width], 16)))
            elif kind == "\n":  # an escaped line end joins without a space; what follows may escape its own blanks
                pass
            else:
                parts.append(_ESCAPES[kind] if kind in _ESCAPES else json.loads(f'"\\{kind}"'))
            at += 2 + width
    return "".join(parts)
