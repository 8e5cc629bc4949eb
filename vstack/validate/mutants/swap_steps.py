"""Mutation operator: two atomic steps that follow each other taken in the other order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vstack.tla.edit import Edit
from vstack.tla.tree import CONSTANT_LEVEL, Apply, Let, Node, Number, String, children
from vstack.validate.mutants.base import Example, Proposal, Unit
from vstack.validate.mutants.clauses import clauses, updated
from vstack.validate.mutants.layout import block, flat
from vstack.validate.mutants.values import written


@dataclass(frozen=True)
class _Step:
    """A guard that tests a variable for one value, and the update of that variable in the same action."""

    unit: Unit
    variable: str
    guard: Node
    update: Node
    source: str
    targets: frozenset[str]
    names: frozenset[str]


class SwapSteps:
    """Two writes of one process are made in the wrong order.

    A step here is an action with a guard ``e = c`` (``e`` over one variable,
    ``c`` a constant) and an update of that variable: its place in the program.
    Where an action A writes the value that B waits for, B follows A. The mutant
    exchanges A's guard with B's and A's update of that variable with B's, so that
    B's other effects happen where A's did and A's follow. Nothing else moves.
    The exchanged text must make sense where it goes: every name bound in one
    action that it uses must be bound by the same name in the other.
    """

    name = "swap_steps"
    examples = (
        Example(
            'SwapA == z = "one" /\\ x\' = x + 1 /\\ z\' = "two"\nSwapB == z = "two" /\\ y\' = x /\\ z\' = "three"',
            'SwapA == z = "two" /\\ x\' = x + 1 /\\ z\' = "three"\nSwapB == z = "one" /\\ y\' = x /\\ z\' = "two"',
        ),
        Example(
            "SwapC(i) == f[i] = 5 /\\ f' = [f EXCEPT ![i] = 6] /\\ x' = i\n"
            "SwapD(i) == f[i] = 6 /\\ f' = [f EXCEPT ![i] = 7] /\\ y' = x",
            "SwapC(i) == f[i] = 6 /\\ f' = [f EXCEPT ![i] = 7] /\\ x' = i\n"
            "SwapD(i) == f[i] = 5 /\\ f' = [f EXCEPT ![i] = 6] /\\ y' = x",
        ),
    )

    def propose(self, units: Sequence[Unit]) -> Iterator[Proposal]:
        """One proposal for each pair of actions of which the second follows the first."""
        steps = [step for unit in units if unit.role == "action" for step in _steps(unit)]
        for first in steps:
            for second in steps:
                if _follows(first, second):
                    edits = (
                        *_put(first, second.unit.source, second.guard, second.update),
                        *_put(second, first.unit.source, first.guard, first.update),
                    )
                    before = f"{_shown(first)}; {_shown(second)}"
                    after = f"{second.unit.name} before {first.unit.name}"
                    yield Proposal(first.unit, edits, before, after, (second.unit,))


def _follows(first: _Step, second: _Step) -> bool:
    return (
        first.unit != second.unit
        and first.variable == second.variable
        and second.source in first.targets
        and first.source != second.source
        and _bound(first.guard, first.update) <= second.names
        and _bound(second.guard, second.update) <= first.names
    )


def _steps(unit: Unit) -> Iterator[_Step]:
    parts = list(clauses(unit.definition))
    local = _local_names(unit.definition.body)
    for guard in parts:
        place = _place(guard.node) if guard.kind == "guard" else None
        if place is None:
            continue
        variable, constant = place
        for update in parts:
            if (
                update.kind != "update"
                or updated(update.node) != variable
                or update.names[: len(guard.names)] != guard.names
            ):
                continue
            if _references(guard.node, update.node) & local:
                continue
            assert isinstance(update.node, Apply)
            targets = frozenset(_constants(unit.source, update.node.operands[1]))
            names = frozenset(guard.names)
            yield _Step(
                unit, variable, guard.node, update.node, flat(block(unit.source, constant)), targets, names
            )


def _place(node: Node) -> tuple[str, Node] | None:
    """The variable and the constant of a guard ``e = c``."""
    if not isinstance(node, Apply) or node.operator.name != "=":
        return None
    tested, constant = node.operands
    if constant.level != CONSTANT_LEVEL:
        tested, constant = constant, tested
    variables = set(_variables(tested))
    if constant.level != CONSTANT_LEVEL or len(variables) != 1 or not _is_literal(constant):
        return None
    return variables.pop(), constant


def _is_literal(node: Node) -> bool:
    if isinstance(node, (String, Number)):
        return True
    return isinstance(node, Apply) and not node.operands and node.operator.kind in ("constant", "builtin", "definition")


def _constants(source: str, value: Node) -> Iterator[str]:
    """The texts of the constants that end up in a written value."""
    if _is_literal(value) and value.level == CONSTANT_LEVEL:
        yield flat(block(source, value))
    for child in written(value):
        yield from _constants(source, child)


def _variables(node: Node) -> Iterator[str]:
    if isinstance(node, Apply) and node.operator.kind == "variable":
        yield node.operator.name
    for child in children(node):
        yield from _variables(child)


def _bound(*nodes: Node) -> frozenset[str]:
    """Parameters and names bound outside ``nodes`` that they use."""
    found: set[str] = set()
    for node in nodes:
        inner: set[str] = set()
        if isinstance(node, Apply):
            if node.operator.kind == "parameter":
                found.add(node.operator.name)
            inner = {symbol.name for group in node.bound for symbol in group.symbols}
        found |= _bound(*children(node)) - inner
    return frozenset(found)


def _references(*nodes: Node) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Apply):
            found.add(node.operator.name)
        found |= _references(*children(node))
    return found


def _local_names(node: Node | None) -> set[str]:
    if node is None:
        return set()
    here = {ref.name for ref in node.definitions} if isinstance(node, Let) else set()
    return here.union(*(_local_names(child) for child in children(node)))


def _put(step: _Step, source: str, guard: Node, update: Node) -> tuple[Edit, Edit]:
    return (Edit(step.guard.span, block(source, guard)), Edit(step.update.span, block(source, update)))


def _shown(step: _Step) -> str:
    source = step.unit.source
    return f"{step.unit.name}: {flat(block(source, step.guard))}, {flat(block(source, step.update))}"
