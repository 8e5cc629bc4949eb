"""What a mutation operator sees and what it proposes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from vstack.files import sha256_bytes
from vstack.tla.edit import Edit, apply_edits
from vstack.tla.places import offsets
from vstack.tla.tree import Definition
from vstack.validate.mutants.layout import flat


@dataclass(frozen=True)
class Unit:
    """A definition that may be mutated: an action of Next, or a helper that only such actions use.

    ``source`` is the text of the module that holds it; ``role`` is ``action`` or ``helper``.
    """

    definition: Definition
    source: str
    role: str = "action"

    @property
    def name(self) -> str:
        """The definition's name."""
        return self.definition.name

    @property
    def where(self) -> str:
        """Module and line of the definition."""
        return f"{self.definition.span.module}.tla:{self.definition.span.line}"


@dataclass(frozen=True)
class Proposal:
    """Edits that make one mutant. ``unit`` names it, ``others`` are changed too; ``before`` and ``after`` show how."""

    unit: Unit
    edits: tuple[Edit, ...]
    before: str
    after: str
    others: tuple[Unit, ...] = ()


@dataclass(frozen=True)
class Example:
    """Definitions before a mutation and after it, as a test compares them: comments and layout don't count."""

    before: str
    after: str


class Operator(Protocol):
    """One way to break a model. The class's docstring says what real fault it stands for."""

    @property
    def name(self) -> str:
        """The operator's name, that of its module."""
        ...

    @property
    def examples(self) -> tuple[Example, ...]:
        """What it does, shown."""
        ...

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """The proposals over ``units``, in the order of the text."""
        ...


@dataclass(frozen=True)
class Mutant:
    """One mutant of a model.

    ``id`` hangs on the operator, the definition's name and the changed text,
    never on lines; equal changes in one definition are told apart by ordinal.
    """

    id: str
    operator: str
    unit: Unit
    edits: tuple[Edit, ...]
    before: str
    after: str
    others: tuple[Unit, ...] = ()

    @property
    def units(self) -> tuple[Unit, ...]:
        """All definitions that the mutant changes."""
        return (self.unit, *self.others)

    @property
    def where(self) -> str:
        """Module and line of the first change."""
        span = self.edits[0].span
        return f"{span.module}.tla:{span.line}"

    def apply(self, sources: Mapping[str, str]) -> dict[str, str]:
        """The texts of the changed modules, by module name."""
        touched = {edit.span.module for edit in self.edits}
        return {
            name: apply_edits(sources[name], [edit for edit in self.edits if edit.span.module == name])
            for name in sorted(touched)
        }


def name_mutant(operator: str, proposal: Proposal, taken: set[str]) -> Mutant:
    """The proposal with an id that is not in ``taken``; the id is added to it."""
    unit = proposal.unit
    ordinal = 1
    while True:
        content = "\n".join([operator, unit.name, flat(proposal.before), flat(proposal.after), str(ordinal)])
        name = f"{operator}-{unit.name}-{sha256_bytes(content.encode())[:8]}"
        if name not in taken:
            taken.add(name)
            return Mutant(name, operator, unit, proposal.edits, proposal.before, proposal.after, proposal.others)
        ordinal += 1


def definition_text(unit: Unit, edits: Sequence[Edit] = ()) -> str:
    """The text of the unit's definition, with those of ``edits`` that lie in it applied."""
    start, end = offsets(unit.source, unit.definition.span)
    inside = []
    for edit in edits:
        if edit.span.module == unit.definition.span.module:
            first, last = offsets(unit.source, edit.span)
            if start <= first and last <= end:
                inside.append(edit)
    changed = apply_edits(unit.source, inside)
    return changed[start : end + len(changed) - len(unit.source)]
