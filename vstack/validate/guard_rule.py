"""Rule: a guard's constant may only enable a step or choose a branch of one; a bug can't be wired in by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vstack.project import Project
from vstack.results import Finding
from vstack.tla.actions import Action
from vstack.tla.comments import comments_above
from vstack.tla.places import Span
from vstack.tla.tree import Apply, Definition, Node, Spec, children
from vstack.validate.guard_uses import Use, step_uses
from vstack.validate.mutants.clauses import CONJUNCTIONS, DISJUNCTIONS
from vstack.validate.mutants.units import used

_MARKS = ("@anchor", "@ours")


def check_guard_constants(project: Project, spec: Spec, actions: Sequence[Action]) -> tuple[Finding, ...]:
    """What stands against the rule, each once, in the order of the modules' text.

    A guard's constant may occur in enabling conditions (conjuncts without
    primes) and in conditions of IF and CASE, of actions of Next that carry an
    anchor. It may not occur in Init, a goal, an environment action, fairness, an
    ASSUME, a constraint, a view or a symmetry; not as part of a written value
    other than in the condition of a branch; and not where all that it decides is
    what is written to variables that no action reads (history: only goals look
    at them). Operators are followed.
    """
    constants = {guard.constant: name for name, guard in project.file.guards.items()}
    if not constants:
        return ()
    rule = _Rule(project, spec, constants)
    found = [*rule.outside(actions), *rule.inside(actions)]
    unique = {(item.rule, item.where, item.message): item for item in found}
    return tuple(unique.values())


class _Rule:
    def __init__(self, project: Project, spec: Spec, constants: Mapping[str, str]) -> None:
        self.project, self.spec, self.constants = project, spec, constants
        self.environment = set(project.file.environment_actions)

    def outside(self, actions: Sequence[Action]) -> Iterator[Finding]:
        """Uses where no guard's constant belongs at all."""
        model = self.project.model
        stops = {action.definition.uid for action in actions if action.definition is not None}
        for place, names in self._forbidden().items():
            for name in names:
                if self.spec.has(name):
                    yield from self._anywhere(self.spec.definition(name), place)
        for action in actions:
            if action.name in self.environment and action.definition is not None:
                yield from self._anywhere(action.definition, f"the environment action {action.name}")
        for module in self.spec.modules.values():
            for assumption in module.assumptions:
                yield from self._uses(assumption.body, "an ASSUME", set(), set())
        if self.spec.has(model.spec):
            for node in self._fairness(self.spec.definition(model.spec)):
                yield from self._uses(node, "a fairness condition", stops, set())
        for name in model.overrides:
            if name in self.constants:
                yield self._finding(None, f"Guard {self.constants[name]}'s constant {name} is overridden under `model`")

    def inside(self, actions: Sequence[Action]) -> Iterator[Finding]:
        """Uses inside the actions that are neither enabling conditions nor branches, or decide only what goals see."""
        own = [action for action in actions if action.name not in self.environment]
        history = unread_variables(self.spec, actions)
        for action in own:
            for use in step_uses(self.spec, action.node, frozenset(self.constants), history):
                yield self._of_use(action, use)
            if action.definition is not None and not self._is_anchored(action.definition):
                for span, name in self._found(action.node, set(), set()):
                    text = f"{name} is used by action {action.name}, which carries no anchor"
                    yield self._finding(span, text, "Anchor the action to the code that the guard is in")

    def _of_use(self, action: Action, use: Use) -> Finding:
        where = f"in action {action.name}"
        if use.kind == "value":
            text = f"{use.constant} is part of what is written {where}, other than in the condition of a branch"
            return self._finding(
                use.span, text, "Let it enable a step, or be the condition of an IF between two updates"
            )
        if use.kind == "step":
            text = f"{use.constant} stands {where} where it is neither an enabling condition nor that of a branch"
            return self._finding(use.span, text, "Make it a conjunct without primes, or the condition of an IF")
        text = (
            f"all that {use.constant} decides {where} is what is written to {', '.join(use.variables)},"
            " which no action reads: only goals see it"
        )
        return self._finding(use.span, text, "Let the guard change what the code does, not what is recorded of it")

    def _forbidden(self) -> dict[str, list[str]]:
        model = self.project.model
        places = {"Init": [model.init]}
        for name, goal in self.project.file.goals.items():
            if goal.is_searched and goal.formula:
                places[f"goal {name}"] = [goal.formula]
        places["a constraint"] = [*model.constraints, *model.action_constraints]
        places["the view"] = [model.view] if model.view else []
        places["the symmetry"] = [model.symmetry] if model.symmetry else []
        places["an override"] = list(model.overrides.values())
        return places

    def _anywhere(self, definition: Definition, place: str) -> Iterator[Finding]:
        if definition.body is not None:
            yield from self._uses(definition.body, place, set(), {definition.uid})

    def _uses(self, node: Node, place: str, stops: set[int], seen: set[int]) -> Iterator[Finding]:
        for span, name in self._found(node, stops, seen):
            text = f"{name} is used in {place}"
            yield self._finding(span, text, "Use it only in enabling conditions and branches of anchored actions")

    def _found(self, node: Node, stops: set[int], seen: set[int]) -> Iterator[tuple[Span, str]]:
        """Each use of a guard's constant under ``node``, definitions followed except ``stops``."""
        if isinstance(node, Apply) and node.operator.kind == "constant" and node.operator.name in self.constants:
            yield node.span, f"Guard {self.constants[node.operator.name]}'s constant {node.operator.name}"
        for child in children(node):
            yield from self._found(child, stops, seen)
        for definition in _named(self.spec, node):
            if definition.uid not in stops and definition.uid not in seen and definition.body is not None:
                seen.add(definition.uid)
                yield from self._found(definition.body, stops, seen)

    def _fairness(self, specification: Definition) -> Iterator[Node]:
        """The conjuncts of Spec (and of the definitions that it names) that are neither Init nor ``[][Next]_v``."""
        pending = [specification.body] if specification.body is not None else []
        while pending:
            node = pending.pop()
            if not isinstance(node, Apply):
                yield node
            elif node.operator.name in CONJUNCTIONS:
                pending.extend(node.operands)
            elif node.operator.name not in ("[]", self.project.model.init):
                yield node

    def _is_anchored(self, definition: Definition) -> bool:
        module = self.spec.modules.get(definition.module)
        if module is None:
            return False
        above = comments_above(module.text, definition.span)
        return any(line.text.startswith(_MARKS) for line in above)

    def _finding(self, span: Span | None, text: str, todo: str = "") -> Finding:
        where = str(self.project.root / "vstack.yaml")
        if span is not None:
            module = self.spec.modules.get(span.module)
            where = f"{module.path if module is not None and module.path else span.module}:{span.line}"
        return Finding(rule="guard-constant", where=where, message=text[0].upper() + text[1:], todo=todo)


def _named(spec: Spec, node: Node) -> Iterable[Definition]:
    """The definitions that ``node`` itself names, not those its operands do."""
    below = {definition.uid for child in children(node) for definition in used(spec, child)}
    return [definition for definition in used(spec, node) if definition.uid not in below]


def unread_variables(spec: Spec, actions: Sequence[Action]) -> frozenset[str]:
    """The variables that no action reads, but for their own next value: history that only goals look at."""
    read: set[str] = set()
    for action in actions:
        _read_by(spec, action.node, None, read, set())
    return frozenset(variable.name for variable in spec.root.variables) - read


def _read_by(spec: Spec, node: Node, own: str | None, read: set[str], seen: set[tuple[int, str | None]]) -> None:
    """Add to ``read`` the variables that ``node`` reads; inside the update of ``own`` that one does not count.

    What decides nothing by its form is no reading: ``v = v``, ``TRUE \\/ ...``,
    the condition of an IF whose branches are the same.
    """
    if isinstance(node, Apply):
        name = node.operator.name
        if _decides_nothing(spec, node):
            return
        if name == "$IfThenElse" and _same(spec, node.operands[1], node.operands[2]):
            _read_by(spec, node.operands[1], own, read, seen)
            return
        if node.operator.kind == "variable" and name != own:
            read.add(name)
        if name == "UNCHANGED" or name == "'":
            return
        if name == "=" and _is_primed_variable(node.operands[0]):
            target = node.operands[0]
            assert isinstance(target, Apply) and isinstance(target.operands[0], Apply)
            _read_by(spec, node.operands[1], target.operands[0].operator.name, read, seen)
            return
    for child in children(node):
        _read_by(spec, child, own, read, seen)
    for definition in _named(spec, node):
        if (definition.uid, own) not in seen and definition.body is not None:
            seen.add((definition.uid, own))
            _read_by(spec, definition.body, own, read, seen)


def _decides_nothing(spec: Spec, node: Apply) -> bool:
    """Whether a formula is true or false by its form alone."""
    name, operands = node.operator.name, node.operands
    if node.operator.kind != "builtin":
        return False
    if name in ("=", "<=>", "=>", "#", "/=") and len(operands) == 2 and _same(spec, *operands):
        return True
    if name in DISJUNCTIONS:
        return any(_is_literal(operand, "TRUE") for operand in operands)
    if name in CONJUNCTIONS:
        return any(_is_literal(operand, "FALSE") for operand in operands)
    return name == "=>" and (_is_literal(operands[0], "FALSE") or _is_literal(operands[1], "TRUE"))


def _same(spec: Spec, left: Node, right: Node) -> bool:
    return spec.text(left.span).split() == spec.text(right.span).split() and left.level == right.level


def _is_literal(node: Node, name: str) -> bool:
    return isinstance(node, Apply) and node.operator.kind == "builtin" and node.operator.name == name


def _is_primed_variable(node: Node) -> bool:
    return (
        isinstance(node, Apply)
        and node.operator.name == "'"
        and isinstance(node.operands[0], Apply)
        and node.operands[0].operator.kind == "variable"
    )
