"""The parts of a specification formula: initial predicate, next-state relation, fairness."""

from __future__ import annotations

from dataclasses import dataclass

from vstack.errors import VstackError
from vstack.tla.conjuncts import CONJUNCTION, is_operator
from vstack.tla.tree import TEMPORAL_LEVEL, Apply, Definition, Label, Let, Node, Spec


@dataclass(frozen=True, slots=True)
class Behaviour:
    r"""``Init /\ [][Next]_vars /\ fairness`` taken apart.

    ``init_name`` and ``next_name`` are None where the formula doesn't name a
    definition there; ``rest`` is what is neither: fairness and other temporal
    conjuncts.
    """

    init: tuple[Node, ...]
    init_name: str | None
    next: Node
    next_name: str | None
    subscript: Node
    rest: tuple[Node, ...]


def behaviour(spec: Spec, name: str) -> Behaviour:
    """The parts of the specification formula ``name``.

    Raises:
        VstackError: the name is not defined, or its formula has not exactly one ``[][N]_v``.
    """
    definition = spec.definition(name)
    conjuncts = _flat(spec, definition)
    boxes = [node for node in conjuncts if _is_next(node)]
    if len(boxes) != 1:
        raise VstackError(
            f"{name} is not of the form Init /\\ [][Next]_vars: it has {len(boxes)} conjuncts [][...]_...",
            where=f"{definition.module}:{definition.span.line}",
        )
    box = boxes[0]
    assert isinstance(box, Apply) and isinstance(box.operands[0], Apply)
    relation, subscript = box.operands[0].operands
    init = tuple(node for node in conjuncts if getattr(node, "level", 0) < TEMPORAL_LEVEL)
    rest = tuple(node for node in conjuncts if node is not box and node not in init)
    return Behaviour(init, _named(init[0]) if len(init) == 1 else None, relation, _named(relation), subscript, rest)


def _is_next(node: Node) -> bool:
    return is_operator(node, "[]") and isinstance(node, Apply) and is_operator(node.operands[0], "$SquareAct")


def _named(node: Node) -> str | None:
    if isinstance(node, Apply) and node.operator.kind == "definition" and not node.operands:
        return node.operator.name
    return None


def _flat(spec: Spec, definition: Definition) -> list[Node]:
    """The conjuncts of a formula, definitions of temporal formulas without parameters opened."""
    found: list[Node] = []
    pending: list[Node] = [definition.body] if definition.body is not None else []
    while pending:
        node = pending.pop(0)
        if is_operator(node, *CONJUNCTION):
            assert isinstance(node, Apply)
            pending = [*node.operands, *pending]
        elif isinstance(node, Let | Label):
            pending.insert(0, node.body)
        elif isinstance(node, Apply) and node.level >= TEMPORAL_LEVEL and _named(node):
            target = spec.resolve(node.operator)
            if isinstance(target, Definition) and target.body is not None:
                pending.insert(0, target.body)
        else:
            found.append(node)
    return found
