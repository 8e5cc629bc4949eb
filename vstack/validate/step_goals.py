"""Goals about steps as predicates: ``[][A]_v`` with its box taken off, to be checked on each transition."""

from __future__ import annotations

from dataclasses import dataclass

from vstack.tla.places import Span, offsets
from vstack.tla.tree import Apply, Definition, Node, Spec
from vstack.validate.mutants.clauses import CONJUNCTIONS
from vstack.validate.surgery import renamed, spliced


@dataclass(frozen=True)
class StepGoal:
    """An action property and its predicate: ``text`` is the goal's definition followed by that of ``operator``."""

    definition: Definition
    operator: str
    text: str


def step_goal(spec: Spec, formula: str) -> StepGoal | None:
    """The goal named ``formula`` as a predicate over steps, or None where it is more than that.

    A box goes through conjunctions and through ``\\A`` over a constant set, so
    a goal made of these over ``[][A]_v`` holds exactly where each step meets
    what is left when the boxes are taken off.
    """
    if not spec.has(formula) or not formula.isidentifier():
        return None
    definition = spec.definition(formula)
    module = spec.modules.get(definition.module)
    if definition.params or definition.body is None or module is None or module.is_standard:
        return None
    boxes = _boxes(definition.body)
    if boxes is None:
        return None
    signs = [Span(box.module, box.line, box.column, box.line, box.column + 1) for box in boxes]
    source = module.text
    if any(spec.text(sign) != "[]" for sign in signs):
        return None
    operator = f"vs_step_{formula}"
    # The box is two characters: blanks in its place leave all columns as they are.
    unboxed = spliced(source, [(sign, "  ") for sign in signs])
    start, end = offsets(source, definition.span)
    changed = renamed(source, definition, unboxed[start:end], operator)
    return StepGoal(definition, operator, f"{source[start:end]}\n{changed}")


def _boxes(node: Node) -> list[Span] | None:
    if not isinstance(node, Apply):
        return None
    if node.operator.name == "[]":
        inner = node.operands[0]
        return [node.span] if isinstance(inner, Apply) and inner.operator.name == "$SquareAct" else None
    if node.operator.name in (*CONJUNCTIONS, "$BoundedForall"):
        found: list[Span] = []
        for operand in node.operands:
            boxes = _boxes(operand)
            if boxes is None:
                return None
            found += boxes
        return found
    return None
