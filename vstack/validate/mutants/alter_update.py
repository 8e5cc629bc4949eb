"""Mutation operator: an update that writes something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vstack.tla.edit import Edit
from vstack.tla.tree import ACTION_LEVEL, Apply, Node, String
from vstack.validate.mutants.base import Example, Proposal, Unit
from vstack.validate.mutants.clauses import clauses, updated
from vstack.validate.mutants.layout import beside, block, enclosed
from vstack.validate.mutants.values import written

_KEEPS_LEFT = ("\\union", "\\", "+", "-", "\\o", "\\circ", "Append", "@@")


class AlterUpdate:
    """A write puts the wrong value: something is not added or removed, a branch is exchanged, a mark is another.

    Inside the right-hand side of an update: ``A \\cup B``, ``A \\ B``, ``a + b``,
    ``Append(s, e)`` and their like become their left operand; ``Tail(s)``
    becomes ``s``; the branches of an IF are exchanged; TRUE becomes FALSE and
    FALSE TRUE; a string becomes the next one, in the order of the alphabet,
    that the model writes to the same variable. A change that leaves the whole
    update as it is without it (``x' = x``) belongs to `drop_update`.
    """

    name = "alter_update"
    examples = (
        Example("AlterA == f' = [f EXCEPT ![1] = @ \\cup {x}]", "AlterA == f' = [f EXCEPT ![1] = @]"),
        Example("AlterB == x' = IF y = 0 THEN 1 ELSE y", "AlterB == x' = IF y = 0 THEN y ELSE 1"),
        Example("AlterC == f' = [f EXCEPT ![1] = TRUE]", "AlterC == f' = [f EXCEPT ![1] = FALSE]"),
        Example("AlterD == x' = (y + 1) - x", "AlterD == x' = (y + 1)"),
        Example(
            "AlterG == f' = [f EXCEPT ![x] = IF @ = 1 THEN 2 ELSE @]",
            "AlterG == f' = [f EXCEPT ![x] = IF @ = 1 THEN @ ELSE 2]",
        ),
        Example('AlterE == z\' = "idle"\nAlterF == z\' = "busy"', 'AlterE == z\' = "busy"\nAlterF == z\' = "busy"'),
    )

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """The proposals over every update of every unit."""
        marks = _marks(units)
        for unit in units:
            for clause in clauses(unit.definition):
                variable = updated(clause.node)
                if clause.kind != "update" or variable is None:
                    continue
                assert isinstance(clause.node, Apply)
                value = clause.node.operands[1]
                for node, after in _alterations(unit.source, value, marks.get(variable, ())):
                    if node is value and after.strip("()") == variable:
                        continue
                    yield Proposal(unit, (Edit(node.span, after),), block(unit.source, node), after)


def _alterations(source: str, node: Node, marks: Sequence[str]) -> Iterator[tuple[Node, str]]:
    if node.level >= ACTION_LEVEL and not isinstance(node, Apply):
        return
    match node:
        case String() if len(marks) > 1 and node.value in marks:
            yield node, f'"{marks[(marks.index(node.value) + 1) % len(marks)]}"'
            return
        case Apply():
            name, operands = node.operator.name, node.operands
            if name in ("TRUE", "FALSE"):
                yield node, "FALSE" if name == "TRUE" else "TRUE"
            elif (
                name in _KEEPS_LEFT
                and len(operands) == 2
                and node.operator.kind in ("builtin", "definition")
                or name == "Tail"
                and len(operands) == 1
            ):
                yield node, _alone(source, operands[0])
            elif name == "$IfThenElse":
                condition, then, otherwise = (block(source, operand) for operand in operands)
                parts = (beside("IF ", condition), beside("THEN ", otherwise), beside("ELSE ", then))
                yield node, ("\n" if any("\n" in part for part in parts) else " ").join(parts)
    for child in written(node):
        yield from _alterations(source, child, marks)


def _alone(source: str, node: Node) -> str:
    text = block(source, node)
    return text if text == "@" or text.isidentifier() else enclosed(source, node)


def _marks(units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    """The strings that the units write to each variable, sorted."""
    found: dict[str, set[str]] = {}
    for unit in units:
        for clause in clauses(unit.definition):
            variable = updated(clause.node)
            if clause.kind == "update" and variable is not None:
                assert isinstance(clause.node, Apply)
                found.setdefault(variable, set()).update(_strings(clause.node.operands[1]))
    return {variable: tuple(sorted(strings)) for variable, strings in found.items()}


def _strings(node: Node) -> Iterator[str]:
    if isinstance(node, String):
        yield node.value
    for child in written(node):
        yield from _strings(child)
