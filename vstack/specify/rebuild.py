"""A pinned formula as a module of its own again, proved by its hash to be the one that was approved."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from vstack.errors import VstackError
from vstack.specify.pins import Pin, PinnedDefinition, Pins
from vstack.specify.words import words_of
from vstack.tla.closure import closure
from vstack.tla.places import Span, text_of
from vstack.tla.sany import load
from vstack.tla.tree import STATE_LEVEL, Apply, Spec
from vstack.tools.find import Tools

HOLDS = "VstackHolds"
_PLAIN = re.compile(r"[A-Za-z0-9_]*[A-Za-z][A-Za-z0-9_]*")


class NotComparable(Exception):
    """Why a formula can't be rebuilt or compared; the text is for the user."""


def rebuild(module: str, pins: Pins, pin: Pin, scope: Spec, tools: Tools) -> tuple[str, str]:
    """The text of ``module`` that states the formula of ``pin``, and its shape: ``state`` or ``step``.

    The module declares the constants and variables of ``scope``'s root module,
    so that an INSTANCE of it there means the same as the formula did. Its
    ``VstackHolds`` is the formula itself, the ``P`` of a formula ``[]P``, or
    the step predicate of ``[][A]_v``.

    Raises:
        NotComparable: a definition goes through an INSTANCE, the text no longer
            parses in this scope, its hash is not the pinned one, or it is
            temporal in another way.
    """
    definitions = {key: pins.definitions[key] for key in pin.definitions}
    formula = _name(pin.definitions[0])
    text = _module_text(module, definitions, scope)
    with tempfile.TemporaryDirectory(prefix="vstack-rebuild-") as folder:
        path = Path(folder) / f"{module}.tla"
        path.write_text(text, encoding="utf-8")
        try:
            spec = load(path, search=(), java=tools.java, jar=tools.jar)
        except VstackError as error:
            raise NotComparable(f"the formula does not stand in the model as it is now: {error.what}") from None
        if closure(spec, formula).digest != pins.definitions[pin.definitions[0]].digest:
            raise NotComparable(
                "the formula that its text gives is not the one that was hashed (an override, or another module)"
            )
    holds, shape = _holds(spec, formula, text)
    return text.replace("\n====", f"\n{holds}\n===="), shape


def _name(key: str) -> str:
    return key.partition("!")[2]


def _module_text(module: str, definitions: Mapping[str, PinnedDefinition], scope: Spec) -> str:
    names = [_name(key) for key in definitions]
    for name in names:
        if not _PLAIN.fullmatch(name):
            raise NotComparable(
                f"it rests on {name}, which is not a plain definition (an INSTANCE or an infix operator)"
            )
    if len(set(names)) < len(names):
        raise NotComparable("two definitions behind it have one name")
    standard = [name for name, item in scope.modules.items() if item.is_standard]
    lines = [f"---- MODULE {module} ----"]
    lines += [f"EXTENDS {', '.join(standard)}"] if standard else []
    constants = [
        item.name + (f"({', '.join('_' * item.arity)})" if item.arity else "") for item in scope.root.constants
    ]
    lines += [f"CONSTANTS {', '.join(constants)}"] if constants else []
    variables = [item.name for item in scope.root.variables]
    lines += [f"VARIABLES {', '.join(variables)}"] if variables else []
    texts = {_name(key): definition.text for key, definition in definitions.items()}
    for name in _ordered(texts):
        # A definition that uses itself must be announced; a function (`f[x \in S] ==`) may always.
        if name in _used(texts, name) and not _is_function(texts[name]):
            lines.append(f"RECURSIVE {name}{_arguments(texts[name])}")
        lines += ["", texts[name]]
    return "\n".join([*lines, "===="]) + "\n"


def _used(texts: Mapping[str, str], name: str) -> set[str]:
    """The definitions that the body of ``name`` mentions (its head does not count)."""
    words = [item.text for item in words_of(texts[name])]
    body = words[words.index("==") + 1 :] if "==" in words else words
    return set(body) & texts.keys()


def _ordered(texts: Mapping[str, str]) -> list[str]:
    """Names with what each uses before it.

    Raises:
        NotComparable: definitions use each other in a circle.
    """
    order: list[str] = []
    open_names: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        if name in open_names:
            raise NotComparable(f"{name} and {open_names[-1]} use each other")
        open_names.append(name)
        for used in sorted(_used(texts, name) - {name}):
            visit(used)
        open_names.pop()
        order.append(name)

    for name in texts:
        visit(name)
    return order


def _is_function(text: str) -> bool:
    words = [item.text for item in words_of(text) if item.text != "LOCAL"]
    return words[1:2] == ["["]


def _arguments(text: str) -> str:
    words = [item.text for item in words_of(text) if item.text != "LOCAL"]
    if words[1:2] != ["("]:
        return ""
    head = words[2 : words.index("==")]
    depth, count = 0, 1
    for word in head:
        depth += {"(": 1, ")": -1}.get(word, 0)
        count += word == "," and depth == 0
    return f"({', '.join('_' * count)})"


def _holds(spec: Spec, formula: str, text: str) -> tuple[str, str]:
    """The definition of ``VstackHolds`` and its shape."""
    definition = spec.definition(formula)
    body = definition.body
    if definition.level <= STATE_LEVEL:
        return f"{HOLDS} == {formula}", "state"
    if isinstance(body, Apply) and body.operator.name == "[]" and isinstance(body.operands[0], Apply):
        inner = body.operands[0]
        if inner.operator.name == "$SquareAct":
            action, subscript = (operand.span for operand in inner.operands)
            lines = [_in_place("VstackAction", text, action), _in_place("VstackSubscript", text, subscript)]
            return "\n".join([*lines, f"{HOLDS} == VstackAction \\/ UNCHANGED VstackSubscript"]), "step"
        if inner.level <= STATE_LEVEL:
            return _in_place(HOLDS, text, inner.span), "state"
    raise NotComparable("it is a temporal formula other than []P and [][A]_v, and TLC compares only states and steps")


def _in_place(name: str, text: str, span: Span) -> str:
    """A definition of the text at ``span``, its columns kept: bulleted lists hang on them."""
    return f"{name} ==\n{' ' * (span.column - 1)}{text_of(text, span)}"
