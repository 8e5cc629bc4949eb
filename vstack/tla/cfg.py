"""TLC's configuration files: every keyword of the current TLC, read, and written for an old jar too."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from vstack.errors import VstackError

# The singular and plural forms TLC knows, each with the field it fills.
KEYWORDS = {
    "CONSTANT": "constants",
    "CONSTANTS": "constants",
    "INIT": "init",
    "NEXT": "next",
    "SPECIFICATION": "specification",
    "INVARIANT": "invariants",
    "INVARIANTS": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "CONSTRAINT": "constraints",
    "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "ACTION_CONSTRAINTS": "action_constraints",
    "SYMMETRY": "symmetry",
    "VIEW": "view",
    "ALIAS": "alias",
    "POSTCONDITION": "postcondition",
    "CHECK_DEADLOCK": "check_deadlock",
    "TYPE": "type",
    "TYPE_CONSTRAINT": "type_constraint",
    "_PERIODIC": "periodic",
    "_RL_REWARD": "reward",
}
_LISTS = ("invariants", "properties", "constraints", "action_constraints")
_SINGLES = (
    "specification", "init", "next", "symmetry", "view", "alias", "postcondition", "type", "type_constraint",
    "periodic", "reward",
)  # fmt: skip
# The first form of each field's keyword: every TLC knows the singular ones.
_WORDS = {field: keyword for keyword, field in reversed(KEYWORDS.items())}
_NEW_FIELDS = ("alias", "postcondition", "periodic", "reward")

_TOKEN = re.compile(
    r"""(?P<line>\\\*[^\n]*)
      | (?P<open>\(\*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<arrow><-)
      | (?P<name>\w+(?:!\w+)*)
      | (?P<number>-\d+)
      | (?P<blank>\s+)
      | (?P<sign>\|->|:>|@@|<<|>>|\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_BLOCK_EDGE = re.compile(r"\(\*|\*\)")
_BRACKETS = {"{": "}", "[": "]", "(": ")", "<<": ">>"}


@dataclass(frozen=True, slots=True)
class Assignment:
    """``name = value``, or ``name(arguments) = value``, or ``name = [module] value``; values as text on one line."""

    name: str
    value: str
    arguments: tuple[str, ...] = ()
    module: str | None = None

    @property
    def key(self) -> str:
        """What is set, as one name: ``N``, ``f(1, 2)`` or ``[M]N``."""
        called = f"{self.name}({', '.join(self.arguments)})" if self.arguments else self.name
        return f"[{self.module}]{called}" if self.module else called


@dataclass(frozen=True, slots=True)
class Override:
    """``name <- operator``, or ``name <- [module] operator`` for uses in that module alone."""

    name: str
    operator: str
    module: str | None = None


@dataclass(frozen=True, slots=True)
class Cfg:
    """A configuration. ``check_deadlock`` is None where the file doesn't say (TLC then checks)."""

    constants: tuple[Assignment | Override, ...] = ()
    specification: str | None = None
    init: str | None = None
    next: str | None = None
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    symmetry: str | None = None
    view: str | None = None
    alias: str | None = None
    postcondition: str | None = None
    check_deadlock: bool | None = None
    type: str | None = None
    type_constraint: str | None = None
    periodic: str | None = None
    reward: str | None = None

    @property
    def assignments(self) -> dict[str, str]:
        """Constants set to values, by ``Assignment.key``."""
        return {item.key: item.value for item in self.constants if isinstance(item, Assignment)}

    @property
    def overrides(self) -> dict[str, str]:
        """Definitions and constants replaced by operators: ``X`` or ``[M]X`` to the operator's name."""
        return {
            (f"[{item.module}]{item.name}" if item.module else item.name): item.operator
            for item in self.constants
            if isinstance(item, Override)
        }

    def names(self) -> tuple[str, ...]:
        """Every operator of the specification that the file names, without repetition."""
        single = [getattr(self, field) for field in _SINGLES]
        lists = [name for field in _LISTS for name in getattr(self, field)]
        replaced = [item.operator for item in self.constants if isinstance(item, Override)]
        return tuple(dict.fromkeys(name for name in (*single, *lists, *replaced) if name))


@dataclass(frozen=True, slots=True)
class CfgNeeds:
    """What TLC 2.15 can't be told in a cfg and must be given otherwise.

    ``deadlock_flag`` is true if ``-deadlock`` (which turns the check off) must
    be on the command line; ``alias`` and ``postcondition`` name operators that
    the old jar can't use at all.
    """

    deadlock_flag: bool = False
    alias: str | None = None
    postcondition: str | None = None


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None and match.lastgroup is not None
        kind, end = match.lastgroup, match.end()
        if kind == "open":
            depth, end = 0, len(text)
            for edge in _BLOCK_EDGE.finditer(text, position):
                depth += 1 if edge.group() == "(*" else -1
                if depth == 0:
                    end = edge.end()
                    break
        elif kind not in ("line", "blank"):
            yield _Token(kind, match.group(), line)
        line += text.count("\n", position, end)
        position = end


class _Reader:
    """The tokens of one file, read from left to right."""

    def __init__(self, text: str, where: str) -> None:
        # TLC stops reading at a line of ==== (the end of a generated file's module).
        self.tokens = list(_tokens(re.split(r"^={4,}", text, maxsplit=1, flags=re.MULTILINE)[0]))
        self.where, self.index = where, 0

    def peek(self, ahead: int = 0) -> _Token | None:
        place = self.index + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def take(self, what: str) -> _Token:
        token = self.peek()
        if token is None:
            last = self.tokens[-1].line if self.tokens else 1
            raise VstackError(f"The configuration ends where {what} should stand", where=f"{self.where}:{last}")
        self.index += 1
        return token

    def name(self, what: str) -> str:
        token = self.take(what)
        if token.kind != "name" or token.text in KEYWORDS:
            raise self.error(token, f"{token.text} stands where {what} should")
        return token.text

    def error(self, token: _Token, what: str, todo: str | None = None) -> VstackError:
        return VstackError(what, where=f"{self.where}:{token.line}", todo=todo)

    def at_name(self) -> bool:
        token = self.peek()
        return token is not None and token.kind == "name" and token.text not in KEYWORDS

    def value(self) -> str:
        """A constant's value: one token, or up to the bracket that closes it."""
        first = self.take("a value")
        if first.text in KEYWORDS:
            raise self.error(first, f"The keyword {first.text} stands where a value should")
        taken, open_brackets = [first], [_BRACKETS[first.text]] if first.text in _BRACKETS else []
        if first.text == "-":
            taken.append(self.take("a number"))
        while open_brackets or self._goes_on():
            token = self.take(f"the closing {open_brackets[-1]}" if open_brackets else "the rest of the value")
            taken.append(token)
            if token.text in _BRACKETS:
                open_brackets.append(_BRACKETS[token.text])
            elif open_brackets and token.text == open_brackets[-1]:
                open_brackets.pop()
            elif token.text in KEYWORDS:
                raise self.error(token, f"The value that starts in line {first.line} is not closed before {token.text}")
        return _join(taken)

    def _goes_on(self) -> bool:
        token, before = self.peek(), self.tokens[self.index - 1]
        return token is not None and (token.text == ".." or before.text == "..")


def _join(tokens: list[_Token]) -> str:
    """Tokens on one line, with a blank only where it separates: the same value has one text."""
    text = ""
    for token in tokens:
        if token.text in (",", "|->", ":>", "@@"):
            text += ", " if token.text == "," else f" {token.text} "
        elif text and token.kind in ("name", "number") and re.search(r"\w$", text):
            text += f" {token.text}"
        else:
            text += token.text
    return text


def parse_cfg(text: str, *, where: str) -> Cfg:
    """The configuration in ``text``; ``where`` names the file in errors.

    Raises:
        VstackError: with ``file:line``: a bad keyword (and the nearest one), a
            missing name or value, something given twice that TLC takes once.
    """
    reader = _Reader(text, where)
    singles: dict[str, str | bool] = {}
    lists: dict[str, list[str]] = {field: [] for field in _LISTS}
    constants: list[Assignment | Override] = []
    while (token := reader.peek()) is not None:
        reader.index += 1
        field = KEYWORDS.get(token.text)
        if field is None:
            near = difflib.get_close_matches(token.text.upper(), KEYWORDS, n=1)
            raise reader.error(
                token,
                f"{token.text} is not a keyword of a TLC configuration",
                f"The nearest keyword is {near[0]}" if near else "Start with a keyword such as SPECIFICATION",
            )
        if field == "constants":
            # A replaced operator may be a sign, known by the arrow after it.
            while reader.at_name() or ((after := reader.peek(1)) is not None and after.kind == "arrow"):
                constants.append(_constant(reader))
        elif field in lists:
            while reader.at_name():
                lists[field].append(reader.name("a name"))
        else:
            given: str | bool = reader.name(f"the name after {token.text}")
            if field == "check_deadlock":
                if given not in ("TRUE", "FALSE"):
                    raise reader.error(token, f"CHECK_DEADLOCK is TRUE or FALSE, not {given}")
                given = given == "TRUE"
            if field in singles:
                raise reader.error(token, f"{token.text} is given twice", "TLC takes one: remove the other")
            singles[field] = given
    if "specification" in singles and ("init" in singles or "next" in singles):
        raise VstackError("SPECIFICATION stands next to INIT or NEXT; TLC takes one or the other", where=where)
    return Cfg(constants=tuple(constants), **singles, **{field: tuple(names) for field, names in lists.items()})  # type: ignore[arg-type]


def _constant(reader: _Reader) -> Assignment | Override:
    name = reader.take("a constant's name").text
    arguments: list[str] = []
    sign = reader.take(f"= or <- after {name}")
    if sign.text == "(":
        while sign.text != ")":
            arguments.append(reader.value())
            sign = reader.take(")")
            if sign.text not in (",", ")"):
                raise reader.error(sign, f"{sign.text} stands where , or ) should")
        sign = reader.take(f"= after {name}(...)")
    if sign.text != "=" and (sign.kind != "arrow" or arguments):
        near = difflib.get_close_matches(name.upper(), KEYWORDS, n=1, cutoff=0.75)
        hint = f"If {name} is meant as a keyword: the nearest is {near[0]}" if near else None
        raise reader.error(sign, f"{sign.text} stands after {name} where = or <- should", hint)
    module = None
    if (bracket := reader.peek()) is not None and bracket.text == "[":
        reader.index += 1
        module = reader.name("a module's name")
        closing = reader.take("]")
        if closing.text != "]":
            raise reader.error(closing, f"{closing.text} stands where ] should")
    if sign.text == "=":
        return Assignment(name, reader.value(), tuple(arguments), module)
    return Override(name, reader.name(f"the operator that replaces {name}"), module)


def format_cfg(cfg: Cfg, *, old_jar: bool) -> tuple[str, CfgNeeds]:
    """``cfg`` as TLC reads it, and what must be given otherwise.

    With ``old_jar`` (TLC 2.15) CHECK_DEADLOCK, ALIAS and POSTCONDITION, which
    it doesn't know, are left out and returned as needs.
    """
    lines: list[str] = []
    if cfg.constants:
        lines.append("CONSTANTS")
    for item in cfg.constants:
        if isinstance(item, Assignment):
            called = f"({', '.join(item.arguments)})" if item.arguments else ""
            place = f"[{item.module}]" if item.module else ""
            lines.append(f"  {item.name}{called} = {place}{item.value}")
        else:
            lines.append(f"  {item.name} <- " + (f"[{item.module}]" if item.module else "") + item.operator)
    for field in _SINGLES:
        if getattr(cfg, field) and not (old_jar and field in _NEW_FIELDS):
            lines.append(f"{_WORDS[field]} {getattr(cfg, field)}")
    for field in _LISTS:
        lines += [f"{_WORDS[field]} {name}" for name in getattr(cfg, field)]
    if not old_jar:
        if cfg.check_deadlock is not None:
            lines.append(f"CHECK_DEADLOCK {'TRUE' if cfg.check_deadlock else 'FALSE'}")
        return "\n".join(lines) + "\n", CfgNeeds()
    return "\n".join(lines) + "\n", CfgNeeds(cfg.check_deadlock is False, cfg.alias, cfg.postcondition)
