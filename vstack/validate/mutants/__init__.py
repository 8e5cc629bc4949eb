"""Mutation operators, one file each: how a model is broken to see whether its goals notice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vstack.errors import VstackError
from vstack.validate.mutants.alter_update import AlterUpdate
from vstack.validate.mutants.base import Mutant, Operator, Proposal, Unit, definition_text, name_mutant
from vstack.validate.mutants.delete_action import DeleteAction
from vstack.validate.mutants.drop_conjunct import DropConjunct
from vstack.validate.mutants.drop_update import DropUpdate
from vstack.validate.mutants.layout import flat
from vstack.validate.mutants.negate_guard import NegateGuard
from vstack.validate.mutants.swap_steps import SwapSteps
from vstack.validate.mutants.weaken_comparison import WeakenComparison

OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        DropConjunct(),
        NegateGuard(),
        DropUpdate(),
        AlterUpdate(),
        DeleteAction(),
        WeakenComparison(),
        SwapSteps(),
    )
}


def make_mutants(units: Sequence[Unit], operators: Iterable[str] = ()) -> tuple[Mutant, ...]:
    """All mutants of ``units``, those of equal text once, in the order of OPERATORS and of the text.

    Raises:
        VstackError: an operator of that name does not exist.
    """
    names = tuple(operators) or tuple(OPERATORS)
    for name in names:
        if name not in OPERATORS:
            raise VstackError(
                f"There is no mutation operator `{name}`",
                where="vstack.yaml, mutation.operators",
                todo=f"The operators are {', '.join(OPERATORS)}",
            )
    taken: set[str] = set()
    seen: set[tuple[tuple[str, str], ...]] = set()
    found = []
    for name, operator in OPERATORS.items():
        if name not in names:
            continue
        for proposal in operator.propose(units):
            text = _changed(proposal)
            if text and text not in seen:
                seen.add(text)
                found.append(name_mutant(name, proposal, taken))
    return tuple(found)


def _changed(proposal: Proposal) -> tuple[tuple[str, str], ...]:
    """The definitions that the proposal changes, by name, as they become; nothing if all stay what they are."""
    units = (proposal.unit, *proposal.others)
    after = tuple((unit.name, flat(definition_text(unit, proposal.edits))) for unit in units)
    before = tuple((unit.name, flat(definition_text(unit))) for unit in units)
    return () if after == before else after


__all__ = ["OPERATORS", "Mutant", "Operator", "Unit", "definition_text", "make_mutants"]
