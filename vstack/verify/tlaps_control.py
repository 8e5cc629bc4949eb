"""The control of a proof: its theorem with FALSE for the conclusion, which must not be provable.

Where it is, the hypotheses or the assumptions contradict each other, or the
formula they speak of is met by nothing, and the theorem says nothing.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from vstack.tla.closure import closure
from vstack.tla.conjuncts import CONJUNCTION, is_operator
from vstack.tla.places import Span, offsets
from vstack.tla.tree import ACTION_LEVEL, Apply, AssumeProve, NewSymbol, Node, Spec, Theorem
from vstack.verify.tlaps_hypotheses import unfolded
from vstack.verify.tlaps_protocol import parse

NAME = "VstackControl"
_PLAIN = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Control:
    """The root module with the controls before its end, and the lines of each of them (first and last)."""

    text: str
    theorems: tuple[tuple[int, int], ...]

    @property
    def lines(self) -> tuple[int, int]:
        """The lines that tlapm is asked about."""
        return self.theorems[0][0], self.theorems[-1][1]


def control_of(spec: Spec, theorem: Theorem) -> Control:
    """The controls of ``theorem``: by back-ends for first-order logic and, for temporal ones, for temporal logic."""
    named = (item.name for item in spec.root.assumptions if item.name and _PLAIN.fullmatch(item.name))
    facts = list(dict.fromkeys(named))
    names = {member.name for member in closure(spec, str(theorem.name)).members}
    definitions = sorted(name for name in names if _PLAIN.fullmatch(name) and spec.has(name))
    lines = spec.root.text.splitlines()
    before, end = lines[: spec.root.span.end_line - 1], lines[spec.root.span.end_line - 1 :]
    added: list[str] = []
    places: list[tuple[int, int]] = []
    for number, (statement, extra) in enumerate(_statements(spec, theorem), start=1):
        first = len(before) + len(added) + 1
        added += [f"THEOREM {NAME}{number} ==", *statement.splitlines()]
        by = ", ".join([*facts, *extra])
        using = f" DEF {', '.join(definitions)}" if definitions else ""
        proof = f"BY {by}{using}" if by else f"BY{using}" if using else "OBVIOUS"
        added += textwrap.wrap(proof, 100, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
        places.append((first, len(before) + len(added)))
    return Control("\n".join([*before, *added, *end]) + "\n", tuple(places))


def proved_controls(control: Control, output: str) -> tuple[int, ...]:
    """The numbers of the controls that a run proved, all obligations of each of them."""
    found = []
    obligations = parse(output).obligations.values()
    for number, (first, last) in enumerate(control.theorems, start=1):
        mine = [item for item in obligations if first <= item.start[0] and item.end[0] <= last]
        if mine and all(item.status in ("proved", "trivial") for item in mine):
            found.append(number)
    return tuple(found)


def tried_controls(control: Control, output: str) -> bool:
    """Whether each control was given to a back-end and has an answer."""
    obligations = parse(output).obligations.values()
    ended = [item for item in obligations if item.status in ("proved", "trivial", "failed")]
    return all(any(first <= item.start[0] <= last for item in ended) for first, last in control.theorems)


def _statements(spec: Spec, theorem: Theorem) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each control's statement, its columns kept, with the back-end that it names."""
    conclusion = _conclusion(theorem.body)
    whole = _without(spec, theorem.body, conclusion)
    if theorem.level <= ACTION_LEVEL:
        yield whole, ()
    else:
        yield whole, ("PTL",)
        parts = list(_state_parts(spec, theorem.body))
        if parts:
            assumed = ",\n".join(_in_place(spec, part) for part in parts)
            yield f"ASSUME\n{assumed}\nPROVE FALSE", ()


def _conclusion(node: Node) -> Node:
    while True:
        if isinstance(node, AssumeProve):
            node = node.prove
        elif is_operator(node, "=>") and isinstance(node, Apply):
            node = node.operands[1]
        else:
            return node


def _without(spec: Spec, body: Node, conclusion: Node) -> str:
    """The statement's text with FALSE in the place of its conclusion."""
    text = spec.root.text
    start, _ = offsets(text, body.span)
    cut, _ = offsets(text, conclusion.span)
    return " " * (body.span.column - 1) + text[start:cut] + "FALSE"


def _state_parts(spec: Spec, body: Node) -> Iterator[Node]:
    """The hypotheses' conjuncts that are about a state or a step: what a solver without temporal logic can refute."""
    node, declares = body, False
    while isinstance(node, AssumeProve) or is_operator(node, "=>"):
        if isinstance(node, AssumeProve):
            declares = declares or any(isinstance(item, NewSymbol) for item in node.assumes)
            given, node = node.assumes, node.prove
        else:
            assert isinstance(node, Apply)
            given, node = node.operands[:1], node.operands[1]
        if not declares:
            for item in given:
                yield from _conjuncts(spec, item)


def _conjuncts(spec: Spec, node: Node) -> Iterator[Node]:
    opened = unfolded(spec, node)
    if is_operator(opened, *CONJUNCTION) and isinstance(opened, Apply):
        for operand in opened.operands:
            yield from _conjuncts(spec, operand)
    elif node.level <= ACTION_LEVEL and spec.text(node.span):
        yield node


def _in_place(spec: Spec, node: Node) -> str:
    span: Span = node.span
    return " " * (span.column - 1) + spec.text(span)
