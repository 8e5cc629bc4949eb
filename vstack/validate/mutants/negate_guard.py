"""Mutation operator: an enabling or branch condition turned into its opposite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vstack.tla.edit import Edit
from vstack.tla.tree import Apply
from vstack.validate.mutants.base import Example, Proposal, Unit
from vstack.validate.mutants.clauses import clauses
from vstack.validate.mutants.layout import beside, block, enclosed


class NegateGuard:
    """A test is written the wrong way round: the step is taken exactly where it should not be."""

    name = "negate_guard"
    examples = (
        Example("NegateA == x < 3 /\\ x' = x + 1", "NegateA == ~(x < 3) /\\ x' = x + 1"),
        Example(
            "NegateB == IF x = y THEN x' = 0 ELSE x' = x + 1", "NegateB == IF ~(x = y) THEN x' = 0 ELSE x' = x + 1"
        ),
        Example("NegateC == ~(x < 3) /\\ x' = 0", "NegateC == (x < 3) /\\ x' = 0"),
    )

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """One proposal for each guard and each condition of a branch between steps."""
        for unit in units:
            for clause in clauses(unit.definition):
                if clause.kind not in ("guard", "condition"):
                    continue
                node = clause.node
                if isinstance(node, Apply) and node.operator.name == "\\lnot":
                    negated = enclosed(unit.source, node.operands[0])
                else:
                    negated = beside("~", enclosed(unit.source, node))
                yield Proposal(unit, (Edit(node.span, negated),), block(unit.source, node), negated)
