"""Mutation operator: an enabling condition dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vstack.tla.edit import Edit
from vstack.validate.mutants.base import Example, Proposal, Unit
from vstack.validate.mutants.clauses import clauses
from vstack.validate.mutants.layout import block


class DropConjunct:
    """A condition of the code is forgotten: the conjunct becomes TRUE, the step is taken where it should wait."""

    name = "drop_conjunct"
    examples = (
        Example("DropA == /\\ x < 3 /\\ y = 0\n         /\\ x' = x + 1", "DropA == /\\ TRUE /\\ y = 0 /\\ x' = x + 1"),
        Example("DropB == /\\ x < 3 /\\ y = 0\n         /\\ x' = x + 1", "DropB == /\\ x < 3 /\\ TRUE /\\ x' = x + 1"),
    )

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """One proposal for each conjunct without primes."""
        for unit in units:
            for clause in clauses(unit.definition):
                if clause.kind == "guard":
                    node = clause.node
                    yield Proposal(unit, (Edit(node.span, "TRUE"),), block(unit.source, node), "TRUE")
