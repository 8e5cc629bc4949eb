"""The conjuncts of one action: guards, updates, what stays unchanged, and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vstack.tla.places import Span
from vstack.tla.tree import ACTION_LEVEL, Apply, Definition, Label, Let, Node, Spec, Substituted, children


@dataclass(frozen=True, slots=True)
class Bound:
    """A parameter of an action: a name that ``\\E`` binds and the text of its domain (empty if there is none)."""

    name: str
    domain_text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A conjunct: its text as it stands in its module, its place, its node."""

    text: str
    span: Span
    node: Node


@dataclass(frozen=True, slots=True)
class Update:
    """``variable' = expression``, or ``variable' \\in expression`` or under an inner ``\\E`` if ``nondeterministic``.

    ``span`` is the whole conjunct's, ``expression_span`` the right side's.
    ``conditional`` marks an update in a branch of IF, CASE or an inner
    disjunction: the same variable then has one per branch.
    """

    variable: str
    expression: str
    span: Span
    nondeterministic: bool
    expression_span: Span
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """What parameters and substituted constants and variables stand for, by key, with the scope of the value."""

    values: Mapping[int, tuple[Node, Scope | None]]

    def entered(self, params: tuple[int, ...], arguments: tuple[Node, ...]) -> Scope:
        """This scope with ``params`` standing for ``arguments``, which are read in it."""
        added = {uid: (value, self) for uid, value in zip(params, arguments, strict=False)}
        return Scope({**self.values, **added})


EMPTY = Scope({})


@dataclass(slots=True)
class Conjuncts:
    """What has been found so far in one action."""

    guards: list[Part] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    other: list[Part] = field(default_factory=list)
    params: list[Bound] = field(default_factory=list)


def bounds(spec: Spec, node: Apply) -> tuple[Bound, ...]:
    """The names that the quantifier ``node`` binds."""
    return tuple(
        Bound(symbol.name, spec.text(group.domain.span) if group.domain is not None else "")
        for group in node.bound
        for symbol in group.symbols
    )


def called(spec: Spec, node: Node, scope: Scope) -> tuple[Definition, Scope] | None:
    """The definition that ``node`` applies, if it is not one of the jar's, and the scope of its body."""
    if not isinstance(node, Apply) or node.operator.kind != "definition":
        return None
    target = spec.resolve(node.operator)
    if not isinstance(target, Definition) or target.body is None or spec.standard_name(target) is not None:
        return None
    return target, scope.entered(tuple(item.uid for item in target.params), node.operands)


def substituted(node: Substituted, scope: Scope) -> Scope:
    """The scope of an instantiated body."""
    return scope.entered(
        tuple(item.declared.uid for item in node.substitutions), tuple(item.value for item in node.substitutions)
    )


def is_action(spec: Spec, node: Node, scope: Scope) -> bool:
    """Whether ``node`` speaks of the next state: by its own level, or by an argument that it is given."""
    if getattr(node, "level", 0) >= ACTION_LEVEL:
        return True
    if not scope.values:
        return False
    if isinstance(node, Apply) and node.operator.uid in scope.values:
        value, outer = scope.values[node.operator.uid]
        if is_action(spec, value, outer or EMPTY):
            return True
    return any(is_action(spec, child, scope) for child in children(node))


def variable_of(node: Node, scope: Scope) -> str | None:
    """The variable that ``node`` is, seen through parameters and substitutions."""
    if not isinstance(node, Apply) or node.operands:
        return None
    if node.operator.uid in scope.values:
        value, outer = scope.values[node.operator.uid]
        return variable_of(value, outer or EMPTY)
    return node.operator.name if node.operator.kind == "variable" else None


def variables_of(spec: Spec, node: Node, scope: Scope) -> tuple[str, ...] | None:
    """The variables in the tuple ``node`` (or the definition of one); None if it holds anything else."""
    single = variable_of(node, scope)
    if single is not None:
        return (single,)
    if isinstance(node, Apply) and node.operator.name == "$Tuple":
        names: list[str] = []
        for operand in node.operands:
            inner = variables_of(spec, operand, scope)
            if inner is None:
                return None
            names += inner
        return tuple(names)
    if isinstance(node, Apply) and node.operator.uid in scope.values:
        value, outer = scope.values[node.operator.uid]
        return variables_of(spec, value, outer or EMPTY)
    if isinstance(node, Substituted):
        return variables_of(spec, node.body, substituted(node, scope))
    target = called(spec, node, scope)
    return variables_of(spec, target[0].body, target[1]) if target and target[0].body is not None else None


def is_operator(node: Node, *names: str) -> bool:
    """Whether ``node`` applies the built-in operator of one of these names."""
    return isinstance(node, Apply) and node.operator.kind == "builtin" and node.operator.name in names


CONJUNCTION, DISJUNCTION = ("$ConjList", "\\land"), ("$DisjList", "\\lor")
EXISTS = ("$BoundedExists", "$UnboundedExists")


class _Reader:
    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.visiting: list[int] = []

    def part(self, node: Node) -> Part:
        return Part(self.spec.text(node.span), node.span, node)

    def read(self, node: Node, scope: Scope, found: Conjuncts, chosen: bool) -> None:
        """Add ``node`` to ``found``; ``chosen`` if it stands under an inner quantifier."""
        if is_operator(node, *CONJUNCTION):  # first: a /\ b /\ c' is (a /\ b) /\ c', and holds two guards
            assert isinstance(node, Apply)
            for operand in node.operands:
                self.read(operand, scope, found, chosen)
        elif not is_action(self.spec, node, scope):
            found.guards.append(self.part(node))
        elif is_operator(node, *EXISTS):
            assert isinstance(node, Apply)
            found.params += bounds(self.spec, node)
            self.read(node.operands[0], scope, found, True)
        elif is_operator(node, *DISJUNCTION):
            assert isinstance(node, Apply)
            self.branches(node, node.operands, scope, found, True)
        elif is_operator(node, "$IfThenElse"):
            assert isinstance(node, Apply)
            self.branches(node, node.operands[1:], scope, found, chosen)
        elif is_operator(node, "$Case"):
            assert isinstance(node, Apply)
            arms = tuple(arm.operands[1] for arm in node.operands if isinstance(arm, Apply))
            self.branches(node, arms, scope, found, chosen)
        elif isinstance(node, Let | Label):
            self.read(node.body, scope, found, chosen)
        elif isinstance(node, Substituted):
            self.read(node.body, substituted(node, scope), found, chosen)
        elif not self.frame(node, scope, found) and not self.update(node, scope, found, chosen):
            self.call(node, scope, found, chosen)

    def call(self, node: Node, scope: Scope, found: Conjuncts, chosen: bool) -> None:
        if isinstance(node, Apply) and not node.operands and node.operator.uid in scope.values:
            value, outer = scope.values[node.operator.uid]
            self.read(value, outer or EMPTY, found, chosen)
            return
        target = called(self.spec, node, scope)
        if target is None or target[0].uid in self.visiting:
            found.other.append(self.part(node))
            return
        definition, inside = target
        assert definition.body is not None
        self.visiting.append(definition.uid)
        self.read(definition.body, inside, found, chosen)
        self.visiting.pop()

    def branches(self, node: Node, arms: tuple[Node, ...], scope: Scope, found: Conjuncts, chosen: bool) -> None:
        """A conditional: its updates each under a condition, unchanged only what every branch leaves so."""
        results = []
        for arm in arms:
            inner = Conjuncts()
            self.read(arm, scope, inner, chosen)
            results.append(inner)
        found.other.append(self.part(node))
        for inner in results:
            for item in inner.updates:
                found.updates.append(
                    Update(item.variable, item.expression, item.span, item.nondeterministic, item.expression_span, True)
                )
        changed = {item.variable for inner in results for item in inner.updates}
        for name in results[0].unchanged if results else ():
            if name not in changed and all(name in inner.unchanged for inner in results):
                found.unchanged.append(name)

    def frame(self, node: Node, scope: Scope, found: Conjuncts) -> bool:
        """Take ``UNCHANGED e`` or ``x' = x``."""
        names: tuple[str, ...] | None = None
        if is_operator(node, "UNCHANGED"):
            assert isinstance(node, Apply)
            names = variables_of(self.spec, node.operands[0], scope)
        elif is_operator(node, "="):
            assert isinstance(node, Apply)
            left, right = node.operands
            if is_operator(left, "'"):
                assert isinstance(left, Apply)
                primed = variables_of(self.spec, left.operands[0], scope)
                names = primed if primed and primed == variables_of(self.spec, right, scope) else None
        if names is None:
            return False
        found.unchanged += names
        return True

    def update(self, node: Node, scope: Scope, found: Conjuncts, chosen: bool) -> bool:
        """Take ``x' = e`` or ``x' \\in S``."""
        if not is_operator(node, "=", "\\in"):
            return False
        assert isinstance(node, Apply)
        left, right = node.operands
        if not is_operator(left, "'"):
            return False
        assert isinstance(left, Apply)
        variable = variable_of(left.operands[0], scope)
        if variable is None:
            return False
        found.updates.append(
            Update(
                variable,
                self.spec.text(right.span),
                node.span,
                chosen or node.operator.name == "\\in",
                right.span,
            )
        )
        return True


def classify(spec: Spec, node: Node, scope: Scope) -> Conjuncts:
    """The conjuncts of the action ``node``, helpers it calls followed into their bodies."""
    found = Conjuncts()
    _Reader(spec).read(node, scope, found, False)
    return found
