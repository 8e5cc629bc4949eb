"""Theorems that say nothing: the statement is itself assumed, or a hypothesis is plainly false."""

from __future__ import annotations

from collections.abc import Iterator

from vstack.results import Finding
from vstack.tla.conjuncts import CONJUNCTION, DISJUNCTION, is_operator
from vstack.tla.normal import Normalizer
from vstack.tla.tree import Apply, AssumeProve, Definition, Node, Spec, Substituted, Theorem
from vstack.tla.xml import deep_recursion
from vstack.verify.tlaps_spec import own_modules

_DEPTH = 200


def hypothesis_findings(spec: Spec, goal_name: str, theorem: Theorem) -> Iterator[Finding]:
    """What makes the theorem of a goal worth nothing, whoever has approved it."""
    where = f"{spec.modules[theorem.module].path}:{theorem.span.line}"
    with deep_recursion():
        stated = _forms(spec, theorem.body)
        for module in own_modules(spec):
            for assumption in module.assumptions:
                called = assumption.name or "without a name"
                if stated & _forms(spec, assumption.body):
                    yield Finding(
                        rule="tlaps-assumed",
                        where=f"{module.path}:{assumption.span.line}",
                        message=f"The assumption {called} says what goal {goal_name} is to prove",
                        todo="Prove it; an assumption is for what the code can't decide",
                    )
                if _is_false(spec, assumption.body):
                    yield Finding(
                        rule="tlaps-vacuous",
                        where=f"{module.path}:{assumption.span.line}",
                        message=f"The assumption {called} is false: anything follows from it",
                        todo="Assume what can be",
                    )
        for hypothesis in hypotheses(spec, theorem.body):
            if _is_false(spec, hypothesis):
                yield Finding(
                    rule="tlaps-vacuous",
                    where=where,
                    message=f"A hypothesis of the theorem {theorem.name} of goal {goal_name} is false, so that it says nothing",
                    todo="State it under hypotheses that some behaviour meets",
                )


def _forms(spec: Spec, node: Node) -> set[str]:
    """Digests of a statement and of what it is once names without parameters are replaced by what they stand for."""
    found = {Normalizer(spec, {}, {}).statement(node).digest}
    while (body := _body(spec, node)) is not None:
        found.add(Normalizer(spec, {}, {}).statement(body).digest)
        node = body
    return found


def _body(spec: Spec, node: Node, *, visible: bool = False) -> Node | None:
    """What a name without parameters stands for; with ``visible`` only if the root module has it in its scope."""
    if isinstance(node, Apply) and not node.operands:
        symbol = spec.symbols.get(node.operator.uid)
        if isinstance(symbol, Definition) and not symbol.params and not symbol.recursive:
            there = spec.has(symbol.name) and spec.definition(symbol.name).uid == symbol.uid and "!" not in symbol.name
            return symbol.body if there or not visible else None
    return None


def unfolded(spec: Spec, node: Node) -> Node:
    """What a name of the root module's scope stands for in the end; any other formula itself."""
    for _ in range(_DEPTH):
        body = _body(spec, node, visible=True)
        if body is None:
            break
        node = body
    return node


def hypotheses(spec: Spec, node: Node, *, visible: bool = False) -> Iterator[Node]:
    """All that a statement is under: what stands after ASSUME, left of `=>`, and so on inside its conclusion.

    With ``visible`` only through names that the root module has in its scope.
    """
    for _ in range(_DEPTH):
        if isinstance(node, AssumeProve):
            yield from node.assumes
            node = node.prove
        elif is_operator(node, "=>") and isinstance(node, Apply):
            yield node.operands[0]
            node = node.operands[1]
        else:
            body = _body(spec, node, visible=visible)
            if body is None:
                return
            node = body


def _is_false(spec: Spec, node: Node, depth: int = 0) -> bool:
    """Whether a formula is false by its form alone; False says only that this was not seen."""
    return depth < _DEPTH and _constant(spec, node, depth) is False


def _constant(spec: Spec, node: Node, depth: int) -> bool | None:
    """The value of a formula where its form alone gives it."""
    if depth >= _DEPTH:
        return None
    body = _body(spec, node)
    if body is not None:
        return _constant(spec, body, depth + 1)
    if isinstance(node, Substituted):
        return _constant(spec, node.body, depth + 1)
    if not isinstance(node, Apply):
        return None
    name = node.operator.name
    if name in ("TRUE", "FALSE") and node.operator.kind == "builtin":
        return name == "TRUE"
    if is_operator(node, *CONJUNCTION) or is_operator(node, *DISJUNCTION):
        deciding = not is_operator(node, *CONJUNCTION)
        values = [_constant(spec, operand, depth + 1) for operand in node.operands]
        if deciding in values:
            return deciding
        if not deciding and _contradict(spec, node.operands):
            return False
        return None if None in values else not deciding
    if node.operator.kind == "builtin" and len(node.operands) == 1 and name in ("\\lnot", "[]", "<>"):
        value = _constant(spec, node.operands[0], depth + 1)
        return None if value is None else not value if name == "\\lnot" else value
    if node.operator.kind == "builtin" and len(node.operands) == 2:
        return _relation(spec, name, node.operands)
    return None


def _relation(spec: Spec, name: str, operands: tuple[Node, ...]) -> bool | None:
    left, right = operands
    if name in ("=", "/=", "#", "\\equiv", "<=>") and _same(spec, left, right):
        return name not in ("/=", "#")
    if (
        name in ("\\in", "\\notin")
        and isinstance(right, Apply)
        and right.operator.name == "$SetEnumerate"
        and not right.operands
    ):
        return name == "\\notin"
    return None


def _contradict(spec: Spec, operands: tuple[Node, ...]) -> bool:
    """Whether one of the formulas is the negation of another."""
    plain = {Normalizer(spec, {}, {}).statement(item).digest for item in operands}
    return any(
        Normalizer(spec, {}, {}).statement(item.operands[0]).digest in plain
        for item in operands
        if isinstance(item, Apply) and item.operator.name == "\\lnot"
    )


def _same(spec: Spec, left: Node, right: Node) -> bool:
    normalizer = Normalizer(spec, {}, {})
    return normalizer.statement(left).digest == normalizer.statement(right).digest
