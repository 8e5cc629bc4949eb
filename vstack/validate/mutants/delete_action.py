"""Mutation operator: an action that never happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vstack.tla.edit import Edit
from vstack.validate.mutants.base import Example, Proposal, Unit
from vstack.validate.mutants.layout import block


class DeleteAction:
    """A step of the code is missing: the action's body becomes FALSE.

    What it breaks are goals that need the step to be taken; a goal about states
    alone can't notice.
    """

    name = "delete_action"
    examples = (Example("DeleteA == x < 3 /\\ x' = x + 1", "DeleteA == FALSE"),)

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """One proposal for each action; helpers are not deleted."""
        for unit in units:
            body = unit.definition.body
            if unit.role == "action" and body is not None:
                yield Proposal(unit, (Edit(body.span, "FALSE"),), block(unit.source, body), "FALSE")
