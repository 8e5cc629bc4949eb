"""Mutation operator: an update of a variable, or of one component of it, left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vstack.tla.edit import Edit
from vstack.tla.places import offsets
from vstack.tla.tree import Apply, At, Node
from vstack.validate.mutants.base import Example, Proposal, Unit
from vstack.validate.mutants.clauses import clauses, updated
from vstack.validate.mutants.layout import block
from vstack.validate.mutants.values import components


class DropUpdate:
    """A write is forgotten: the variable, or one component of an EXCEPT with several, keeps its value."""

    name = "drop_update"
    examples = (
        Example("ForgetA == x' = x + 1 /\\ y' = y", "ForgetA == x' = x /\\ y' = y"),
        Example("ForgetB == f' = [f EXCEPT ![1] = x, ![2] = y]", "ForgetB == f' = [f EXCEPT ![1] = @, ![2] = y]"),
    )

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """One proposal for each update, and for each component where an EXCEPT has several."""
        for unit in units:
            for clause in clauses(unit.definition):
                variable = updated(clause.node)
                if clause.kind != "update" or variable is None:
                    continue
                assert isinstance(clause.node, Apply)
                value = clause.node.operands[1]
                if not _is_variable(value, variable):
                    kept = f"{variable}' = {variable}"
                    yield Proposal(unit, (Edit(clause.node.span, kept),), block(unit.source, clause.node), kept)
                pairs = components(value)
                for pair in pairs if len(pairs) > 1 else ():
                    right = pair.operands[1]
                    if not isinstance(right, At):
                        path = unit.source[offsets(unit.source, pair.span)[0] : offsets(unit.source, right.span)[0]]
                        yield Proposal(
                            unit, (Edit(right.span, "@"),), block(unit.source, pair), path.rstrip("( \n") + " @"
                        )


def _is_variable(value: Node, variable: str) -> bool:
    return isinstance(value, Apply) and value.operator.kind == "variable" and value.operator.name == variable
