"""SMT-LIB text read by vstack itself: which commands it may hold, and its named assumptions and goals.

Only declarations, definitions and named assertions pass. A command that
changes the solver's state or options (`push`, `exit`, `set-option`, ...) is
refused, because what is decided must be what stands there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from vstack.errors import RefusedError, VstackError

_TOKEN = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|\\]*\||[()]|[^\s();"|]+|\s+')
_DECLARING = frozenset(
    {
        "declare-const",
        "declare-fun",
        "declare-sort",
        "declare-datatype",
        "declare-datatypes",
        "define-fun",
        "define-const",
        "define-sort",
    }
)
_IGNORED = frozenset({"check-sat", "set-logic", "set-info"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Obligation:
    """``goal`` under ``assumptions`` (name and term), all SMT-LIB text over ``declarations``."""

    name: str
    declarations: str
    assumptions: tuple[tuple[str, str], ...]
    goal: str


@dataclass(frozen=True)
class Command:
    """One top-level command: its head, its arguments' texts, its own text, its line (from 1)."""

    head: str
    arguments: tuple[str, ...]
    text: str
    line: int


def commands(text: str, where: str) -> tuple[Command, ...]:
    """The commands of ``text``, comments dropped.

    Raises:
        VstackError: parentheses, strings or quoted symbols are not closed.
    """
    found: list[Command] = []
    stack: list[tuple[int, list[str]]] = []
    pieces: list[str] = []
    position, line, started = 0, 1, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise VstackError(
                "A string or quoted symbol is not closed", where=f"{where}:{line}", todo="Mend the SMT-LIB text"
            )
        token = match.group()
        position = match.end()
        if token.isspace() or token.startswith(";"):
            line += token.count("\n")
            if stack:
                pieces.append(" ")
            continue
        if token == "(":
            if not stack:
                started, pieces = line, []
            stack.append((len(pieces), []))
            pieces.append(token)
        elif not stack:
            raise VstackError(
                f"`{token}` stands outside of any command", where=f"{where}:{line}", todo="Mend the SMT-LIB text"
            )
        elif token == ")":
            pieces.append(token)
            start, parts = stack.pop()
            whole = "".join(pieces[start:])
            if stack:
                stack[-1][1].append(whole)
            else:
                found.append(Command(parts[0] if parts else "", tuple(parts[1:]), whole, started))
        else:
            pieces.append(token)
            stack[-1][1].append(token)
        line += token.count("\n")
    if stack:
        raise VstackError("A parenthesis is not closed", where=f"{where}:{started}", todo="Mend the SMT-LIB text")
    return tuple(found)


def read_obligations(text: str, where: str) -> tuple[Obligation, ...]:
    """The obligations of an `.smt2` goal: each assertion named `goal` or `goal_X`, under all named `assume_X`.

    Raises:
        RefusedError: a command that is not a declaration, a definition or a named assertion.
        VstackError: not SMT-LIB, no goal, or a name given twice.
    """
    declared: list[str] = []
    named: dict[str, str] = {}
    for command in commands(text, where):
        place = f"{where}:{command.line}"
        if command.head in _DECLARING:
            declared.append(command.text)
        elif command.head == "assert":
            name, term = _named(command, place)
            if name in named:
                raise VstackError(f"Two assertions are named `{name}`", where=place, todo="Give each its own name")
            named[name] = term
        elif command.head not in _IGNORED:
            raise RefusedError(
                f"[z3-text] The command `{command.head}` may not stand in a goal",
                where=place,
                todo="Only declarations, definitions (not recursive ones) and named assertions may",
            )
    assumptions = tuple(
        (name.removeprefix("assume_"), term) for name, term in named.items() if name.startswith("assume_")
    )
    goals = [
        (name.removeprefix("goal").removeprefix("_") or "goal", term)
        for name, term in named.items()
        if name.startswith("goal")
    ]
    if not goals:
        raise VstackError(
            "No assertion is named `goal`",
            where=where,
            todo="Write `(assert (! FORMULA :named goal))`: the goal itself, not its negation",
        )
    return tuple(Obligation(name, "\n".join(declared), assumptions, term) for name, term in goals)


def _named(command: Command, place: str) -> tuple[str, str]:
    inner = (
        commands(command.arguments[0], place)
        if len(command.arguments) == 1 and command.arguments[0].startswith("(")
        else ()
    )
    if len(inner) == 1 and inner[0].head == "!" and len(inner[0].arguments) == 3 and inner[0].arguments[1] == ":named":
        term, _, name = inner[0].arguments
        if re.fullmatch(r"assume_[A-Za-z0-9_.-]+|goal(_[A-Za-z0-9_.-]+)?", name):
            return name, term
    raise RefusedError(
        "[z3-text] An assertion has no name that says what it is",
        where=place,
        todo="Write `(assert (! FORMULA :named assume_X))` for an assumption, `:named goal` for the goal",
    )


def exported_obligation(name: str, assumptions: list[str], text: str, where: str) -> Obligation:
    """An obligation as a script's process wrote it: one assertion for each assumption, then the goal's.

    Raises:
        RefusedError: other commands, or another number of assertions.
        VstackError: a name that is empty, odd or given twice.
    """
    for each in (name, *assumptions):
        if not _NAME.fullmatch(each):
            raise VstackError(
                f"`{each}` can't be the name of an obligation or assumption",
                where=where,
                todo="Use letters, digits, `_`, `.` and `-`",
            )
    if len(set(assumptions)) < len(assumptions):
        raise VstackError(f"Obligation {name} has two assumptions of one name", where=where)
    declared: list[str] = []
    terms: list[str] = []
    for command in commands(text, where):
        if command.head in _DECLARING:
            declared.append(command.text)
        elif command.head == "assert" and len(command.arguments) == 1:
            terms.append(command.arguments[0])
        else:
            raise RefusedError(
                f"[z3-text] The export of obligation {name} holds `{command.head}`, which may not stand in a goal",
                where=where,
                todo="Recursive definitions can't be pinned: state what is needed of them as assumptions",
            )
    if len(terms) != len(assumptions) + 1:
        raise RefusedError(
            f"[z3-text] Obligation {name} has {len(assumptions)} assumptions and a goal, but {len(terms)} assertions were exported",
            where=where,
            todo="A script must leave the z3 module as it is",
        )
    return Obligation(name, "\n".join(declared), tuple(zip(assumptions, terms[:-1], strict=True)), terms[-1])
