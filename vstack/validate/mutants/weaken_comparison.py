"""Mutation operator: a comparison inside a condition made easier to meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vstack.tla.edit import Edit
from vstack.tla.tree import Apply, Node
from vstack.validate.mutants.base import Example, Proposal, Unit
from vstack.validate.mutants.clauses import CONJUNCTIONS, DISJUNCTIONS, clauses
from vstack.validate.mutants.layout import block, joined

_LOOSER = {"<": "<=", ">": ">="}
_TIGHTER = {"\\leq": "<", "\\geq": ">"}
_COMPARISONS = (*_LOOSER, *_TIGHTER, "=", "/=", "\\in", "\\notin", "\\subseteq")


class WeakenComparison:
    """A bound is off by one, or a comparison inside a longer condition is missing.

    ``<`` becomes ``<=`` and ``>`` becomes ``>=``; every other comparison becomes
    TRUE. Under a negation the condition is weakened by tightening: ``<=``
    becomes ``<``, ``>=`` becomes ``>``, every other comparison FALSE. A
    comparison that is a whole conjunct is not replaced by TRUE: `drop_conjunct`
    does that.
    """

    name = "weaken_comparison"
    examples = (
        Example("WeakenA == x < 3 /\\ x' = x + 1", "WeakenA == x <= 3 /\\ x' = x + 1"),
        Example("WeakenB == (x = 3 \\/ y > 1) /\\ x' = 0", "WeakenB == (TRUE \\/ y > 1) /\\ x' = 0"),
        Example("WeakenC == ~(x = 3 \\/ y <= 1) /\\ x' = 0", "WeakenC == ~(FALSE \\/ y <= 1) /\\ x' = 0"),
        Example("WeakenD == ~(x = 3 \\/ y <= 1) /\\ x' = 0", "WeakenD == ~(x = 3 \\/ y < 1) /\\ x' = 0"),
    )

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """One proposal for each comparison that stands in a guard or branch condition with a definite sign."""
        for unit in units:
            for clause in clauses(unit.definition):
                if clause.kind in ("guard", "condition"):
                    for node, positive in comparisons(clause.node, True):
                        whole = node is clause.node and clause.kind == "guard"
                        after = _weaker(unit.source, node, positive, whole)
                        if after is not None:
                            yield Proposal(unit, (Edit(node.span, after),), block(unit.source, node), after)


def comparisons(node: Node, positive: bool) -> Iterator[tuple[Apply, bool]]:
    """The comparisons under ``node`` and whether making each truer makes the whole truer."""
    if not isinstance(node, Apply):
        return
    name = node.operator.name
    if name in _COMPARISONS:
        yield node, positive
    elif name in (*CONJUNCTIONS, *DISJUNCTIONS, "$BoundedExists", "$BoundedForall"):
        for operand in node.operands:
            yield from comparisons(operand, positive)
    elif name == "\\lnot":
        yield from comparisons(node.operands[0], not positive)
    elif name == "=>":
        yield from comparisons(node.operands[0], not positive)
        yield from comparisons(node.operands[1], positive)


def _weaker(source: str, node: Apply, positive: bool, whole: bool) -> str | None:
    name = node.operator.name
    sign = (_LOOSER if positive else _TIGHTER).get(name)
    if sign is not None:
        return joined(source, node.operands[0], sign, node.operands[1])
    if not positive:
        return "FALSE"
    return None if whole else "TRUE"
