"""The parts of an expression that end up in the value it gives."""

from __future__ import annotations

from collections.abc import Iterator

from vstack.tla.tree import Apply, At, Node, children

# What these give is no part of their operands: a truth value, a selection, an application.
_CLOSED = (
    "=",
    "/=",
    "\\in",
    "\\notin",
    "\\subseteq",
    "<",
    ">",
    "\\leq",
    "\\geq",
    "$RcdSelect",
    "$FcnApply",
    "$SubsetOf",
)


def components(value: Node) -> tuple[Apply, ...]:
    """The ``![..] = ..`` parts of an EXCEPT, or nothing; each has its path and its new value as operands."""
    if isinstance(value, Apply) and value.operator.name == "$Except":
        return tuple(part for part in value.operands[1:] if isinstance(part, Apply))
    return ()


def written(node: Node) -> Iterator[Node]:
    """The operands of ``node`` that its value is made of: no paths, field names, conditions or domains."""
    if isinstance(node, At):
        return
    if not isinstance(node, Apply):
        yield from children(node)
        return
    name = node.operator.name
    if name in _CLOSED:
        return
    if name == "$IfThenElse":
        yield from node.operands[1:]
    elif name in ("$Except", "$RcdConstructor", "$Case"):
        for pair in node.operands:
            if isinstance(pair, Apply) and pair.operator.name == "$Pair":
                yield pair.operands[1]
    else:
        yield from node.operands
