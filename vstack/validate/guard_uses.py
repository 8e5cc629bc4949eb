"""How a step uses constants: as an enabling condition, a branch condition, part of a value, or otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from vstack.tla.places import Span
from vstack.tla.tree import ACTION_LEVEL, Apply, At, Definition, Label, Let, Node, Spec, Substituted, children
from vstack.validate.mutants.clauses import CONJUNCTIONS, DISJUNCTIONS, case_pairs, updated

_QUANTIFIERS = ("$BoundedExists", "$UnboundedExists", "$BoundedForall")


@dataclass(frozen=True, slots=True)
class Use:
    """A use that the rule forbids.

    ``value``: part of a written value; ``step``: in a place of a step that is
    neither a condition nor an update; ``history``: it decides only what is
    written to ``variables``, which nothing reads.
    """

    kind: Literal["value", "step", "history"]
    constant: str
    span: Span
    variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Scope:
    """What parameters stand for: the argument and the scope that it is read in."""

    values: Mapping[int, tuple[Node, _Scope]]


def step_uses(spec: Spec, node: Node, constants: frozenset[str], history: frozenset[str]) -> Iterator[Use]:
    """The forbidden uses of ``constants`` in the step ``node``, operators followed."""
    walk = _Walk(spec, constants, history)
    scope = _Scope({})
    yield from walk.step(node, scope)
    yield from walk.decided(node, scope)


class _Walk:
    def __init__(self, spec: Spec, constants: frozenset[str], history: frozenset[str]) -> None:
        self.spec, self.constants, self.history = spec, constants, history
        self.visiting: list[int] = []

    def step(self, node: Node, scope: _Scope) -> Iterator[Use]:
        """Uses in a formula that takes a step."""
        match node:
            case _ if not self.is_step(node, scope):
                return
            case Let() | Label() | Substituted():
                yield from self.step(node.body, scope)
            case Apply() if node.operator.name in (*CONJUNCTIONS, *DISJUNCTIONS):
                for operand in node.operands:
                    yield from self.step(operand, scope)
            case Apply() if node.operator.name in _QUANTIFIERS:
                for group in node.bound:
                    if group.domain is not None:
                        yield from self.value(group.domain, scope)
                yield from self.step(node.operands[0], scope)
            case Apply() if node.operator.name == "=>":
                if self.is_step(node.operands[0], scope):
                    yield from self.anywhere(node.operands[0], scope, "step")
                yield from self.step(node.operands[1], scope)
            case Apply() if node.operator.name in ("$IfThenElse", "$Case"):
                yield from self.branches(node, scope)
            case Apply() if updated(node) is not None:
                yield from self.update(node, scope)
            case Apply() if node.operator.name == "UNCHANGED":
                return
            case Apply() if node.operator.uid in scope.values:
                argument, outer = scope.values[node.operator.uid]
                yield from self.step(argument, outer)
            case _:
                entered = self.entered(node, scope)
                if entered is None:
                    yield from self.anywhere(node, scope, "step")
                    return
                body, inner, uid = entered
                self.visiting.append(uid)
                yield from self.step(body, inner)
                self.visiting.pop()

    def branches(self, node: Apply, scope: _Scope) -> Iterator[Use]:
        """The branches of an IF or CASE over steps; its conditions are free."""
        for branch in _branches(node):
            yield from self.step(branch, scope)
        variables = self.written(node, scope)
        if variables and variables <= self.history:
            for condition in _conditions(node):
                yield from self.anywhere(condition, scope, "history", tuple(sorted(variables)))

    def update(self, node: Apply, scope: _Scope) -> Iterator[Use]:
        """An update: its value; and where the variable is history, the conditions in it as well."""
        yield from self.value(node.operands[1], scope)
        variable = updated(node)
        if variable in self.history:
            assert variable is not None
            yield from self.anywhere(node.operands[1], scope, "history", (variable,))

    def decided(self, node: Node, scope: _Scope) -> Iterator[Use]:
        """Enabling conditions of a step that writes nothing but history."""
        variables = self.written(node, scope)
        if variables and variables <= self.history:
            for guard in self.guards(node, scope):
                yield from self.anywhere(guard[0], guard[1], "history", tuple(sorted(variables)))

    def guards(self, node: Node, scope: _Scope) -> Iterator[tuple[Node, _Scope]]:
        """The conjuncts without primes of a step."""
        if not self.is_step(node, scope):
            yield node, scope
        elif isinstance(node, Let | Label | Substituted):
            yield from self.guards(node.body, scope)
        elif isinstance(node, Apply) and node.operator.name in (*CONJUNCTIONS, *_QUANTIFIERS):
            for operand in node.operands:
                yield from self.guards(operand, scope)
        else:
            entered = self.entered(node, scope)
            if entered is not None:
                self.visiting.append(entered[2])
                yield from self.guards(entered[0], entered[1])
                self.visiting.pop()

    def value(self, node: Node, scope: _Scope) -> Iterator[Use]:
        """Uses in an expression whose value is written: conditions of IF and CASE are free."""
        if isinstance(node, Apply):
            if node.operator.uid in scope.values:
                argument, outer = scope.values[node.operator.uid]
                yield from self.value(argument, outer)
                return
            if node.operator.kind == "constant" and node.operator.name in self.constants:
                yield Use("value", node.operator.name, node.span)
                return
            if node.operator.name in ("$IfThenElse", "$Case"):
                for branch in _branches(node):
                    yield from self.value(branch, scope)
                return
            entered = self.entered(node, scope)
            if entered is not None:
                self.visiting.append(entered[2])
                yield from self.value(entered[0], entered[1])
                self.visiting.pop()
                return
        if isinstance(node, At):
            return
        for child in children(node):
            yield from self.value(child, scope)

    def anywhere(
        self,
        node: Node,
        scope: _Scope,
        kind: Literal["value", "step", "history"],
        variables: tuple[str, ...] = (),
    ) -> Iterator[Use]:
        """Every use under ``node``."""
        if isinstance(node, Apply):
            if node.operator.uid in scope.values:
                argument, outer = scope.values[node.operator.uid]
                yield from self.anywhere(argument, outer, kind, variables)
            if node.operator.kind == "constant" and node.operator.name in self.constants:
                yield Use(kind, node.operator.name, node.span, variables)
            entered = self.entered(node, scope)
            if entered is not None:
                self.visiting.append(entered[2])
                yield from self.anywhere(entered[0], entered[1], kind, variables)
                self.visiting.pop()
        for child in children(node):
            yield from self.anywhere(child, scope, kind, variables)

    def written(self, node: Node, scope: _Scope) -> frozenset[str]:
        """The variables that a step gives a next value; a form that is not understood counts as all of them."""
        if not self.is_step(node, scope):
            return frozenset()
        if isinstance(node, Let | Label | Substituted):
            return self.written(node.body, scope)
        if isinstance(node, Apply):
            name = node.operator.name
            variable = updated(node)
            if variable is not None:
                return frozenset() if _keeps(node, variable) else frozenset({variable})
            if name == "UNCHANGED":
                return frozenset()
            if name in (*CONJUNCTIONS, *DISJUNCTIONS, *_QUANTIFIERS, "=>"):
                return frozenset().union(*(self.written(operand, scope) for operand in node.operands))
            if name in ("$IfThenElse", "$Case"):
                return frozenset().union(*(self.written(branch, scope) for branch in _branches(node)))
            if node.operator.uid in scope.values:
                argument, outer = scope.values[node.operator.uid]
                return self.written(argument, outer)
            entered = self.entered(node, scope)
            if entered is not None:
                self.visiting.append(entered[2])
                found = self.written(entered[0], entered[1])
                self.visiting.pop()
                return found
        return frozenset(variable.name for variable in self.spec.root.variables)

    def is_step(self, node: Node, scope: _Scope) -> bool:
        """Whether ``node`` speaks of the next state, by its own level or that of an argument it uses."""
        if node.level >= ACTION_LEVEL:
            return True
        if not scope.values:
            return False
        if isinstance(node, Apply) and node.operator.uid in scope.values:
            argument, outer = scope.values[node.operator.uid]
            if self.is_step(argument, outer):
                return True
        return any(self.is_step(child, scope) for child in children(node))

    def entered(self, node: Node, scope: _Scope) -> tuple[Node, _Scope, int] | None:
        """The body of the definition that ``node`` applies, with its parameters bound; None for anything else."""
        if not isinstance(node, Apply) or node.operator.kind != "definition":
            return None
        target = self.spec.symbols.get(node.operator.uid)
        if not isinstance(target, Definition) or target.body is None or target.uid in self.visiting:
            return None
        module = self.spec.modules.get(target.module)
        if module is None or module.is_standard:
            return None
        bound = {
            parameter.uid: (operand, scope) for parameter, operand in zip(target.params, node.operands, strict=False)
        }
        return target.body, _Scope({**scope.values, **bound}), target.uid


def _branches(node: Apply) -> tuple[Node, ...]:
    if node.operator.name == "$IfThenElse":
        return node.operands[1:]
    return tuple(branch for _, branch in case_pairs(node))


def _conditions(node: Apply) -> tuple[Node, ...]:
    if node.operator.name == "$IfThenElse":
        return node.operands[:1]
    return tuple(condition for condition, _ in case_pairs(node) if condition is not None)


def _keeps(update: Apply, variable: str) -> bool:
    value = update.operands[1]
    return (
        update.operator.name == "="
        and isinstance(value, Apply)
        and value.operator.kind == "variable"
        and value.operator.name == variable
    )
