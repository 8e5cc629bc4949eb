"""An action taken apart: enabling conditions, branch conditions, updates of variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from vstack.tla.tree import ACTION_LEVEL, Apply, Definition, Label, Let, Node, String

CONJUNCTIONS = ("$ConjList", "\\land")
DISJUNCTIONS = ("$DisjList", "\\lor")
OTHER_BRANCH = "$Other"


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of an action.

    ``guard``: a conjunct without primes; ``condition``: what an IF or CASE over
    steps branches on; ``update``: ``x' = e`` or ``x' \\in S``; ``unchanged``;
    ``call``: a definition that holds primes; ``other``: anything else with primes.
    ``names`` are those bound around it, outermost first.
    """

    node: Node
    kind: Literal["guard", "condition", "update", "unchanged", "call", "other"]
    names: tuple[str, ...]


def clauses(definition: Definition) -> Iterator[Clause]:
    """The clauses of a definition's body, in the order of the text."""
    if definition.body is not None:
        yield from _clauses(definition.body, tuple(parameter.name for parameter in definition.params))


def _clauses(node: Node, names: tuple[str, ...]) -> Iterator[Clause]:
    match node:
        case Apply() if node.operator.name in CONJUNCTIONS:
            for operand in node.operands:
                yield from _clauses(operand, names)
        case Let() | Label():
            yield from _clauses(node.body, names)
        case _ if node.level < ACTION_LEVEL:
            yield Clause(node, "guard", names)
        case Apply() if node.operator.name in DISJUNCTIONS:
            for operand in node.operands:
                yield from _clauses(operand, names)
        case Apply() if node.operator.name == "$BoundedExists":
            bound = tuple(symbol.name for group in node.bound for symbol in group.symbols)
            yield from _clauses(node.operands[0], names + bound)
        case Apply() if node.operator.name == "$IfThenElse":
            decides, then, otherwise = node.operands
            if decides.level < ACTION_LEVEL:
                yield Clause(decides, "condition", names)
            yield from _clauses(then, names)
            yield from _clauses(otherwise, names)
        case Apply() if node.operator.name == "$Case":
            for condition, branch in case_pairs(node):
                if condition is not None and condition.level < ACTION_LEVEL:
                    yield Clause(condition, "condition", names)
                yield from _clauses(branch, names)
        case Apply() if updated(node) is not None:
            yield Clause(node, "update", names)
        case Apply() if node.operator.name == "UNCHANGED":
            yield Clause(node, "unchanged", names)
        case Apply() if node.operator.kind == "definition":
            yield Clause(node, "call", names)
        case _:
            yield Clause(node, "other", names)


def case_pairs(case: Apply) -> Iterator[tuple[Node | None, Node]]:
    """Condition and branch of each arm of a CASE; None stands for OTHER."""
    for pair in case.operands:
        if isinstance(pair, Apply):
            condition, branch = pair.operands
            yield (None if isinstance(condition, String) and condition.value == OTHER_BRANCH else condition), branch


def updated(node: Node) -> str | None:
    """The variable that ``x' = e`` or ``x' \\in S`` gives its next value, or None."""
    if isinstance(node, Apply) and node.operator.name in ("=", "\\in") and len(node.operands) == 2:
        left = node.operands[0]
        if isinstance(left, Apply) and left.operator.name == "'":
            target = left.operands[0]
            if isinstance(target, Apply) and target.operator.kind == "variable":
                return target.operator.name
    return None
