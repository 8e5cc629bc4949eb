r"""Rules on what the specification takes for granted: fairness is of Next's own actions, and of no fault unless that is listed.

``WF_v(A)`` and ``SF_v(A)`` where each A is a step of Next take nothing away from
what can happen at first: every finite behaviour can be continued so that they
hold (Abadi and Lamport, "The Existence of Refinement Mappings", 1991). Any other
temporal conjunct can forbid behaviours, or all of them, without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vstack.project import Project
from vstack.results import Finding
from vstack.tla.actions import split_next
from vstack.tla.behaviour import behaviour
from vstack.tla.conjuncts import CONJUNCTION, DISJUNCTION, EXISTS, is_operator
from vstack.tla.tree import Apply, Definition, Label, Let, Node, OperatorArgument, Spec, children

_FAIR = ("$WF", "$SF")
_FORALL = ("$BoundedForall",)
# An action with what its parameters range over, as text; and all that Next takes, as far as it does so under no condition.
_Call = tuple[int, tuple[str, ...]]
_Taken = Mapping[int, set[tuple[str, ...]]]


@dataclass(frozen=True)
class FairConjunct:
    """One temporal conjunct of the specification beside ``[][Next]_v``.

    ``kind``: ``step``, fairness of what is a step of Next whatever the state;
    ``fair``, fairness of actions of Next that may be none of its steps (under a
    condition that Next adds, or for other arguments); ``other``, anything else.
    ``faults`` are the environment's actions that it makes happen.
    """

    text: str
    where: str
    kind: str
    faults: tuple[str, ...] = ()


def read_fairness(project: Project, spec: Spec) -> tuple[FairConjunct, ...]:
    """The temporal conjuncts of the specification formula, taken apart."""
    relation = spec.definition(project.model.next)
    taken: dict[int, set[tuple[str, ...]]] = {relation.uid: {()}}
    for action in split_next(spec, project.model.next):
        if action.definition is not None:
            taken.setdefault(action.definition.uid, set())
    for uid, ranges in _steps(spec, relation.body, {}, ()) if relation.body is not None else ():
        taken.setdefault(uid, set()).add(ranges)
    faults = {spec.definition(name).uid: name for name in project.file.environment_actions if spec.has(name)}
    return tuple(
        found
        for node in behaviour(spec, project.model.spec).rest
        for found in _read(project, spec, node, {}, taken, faults)
    )


def check_fairness(project: Project, spec: Spec) -> tuple[Finding, ...]:
    """Temporal conjuncts that are not fairness, and faults that must happen though no environment says so."""
    findings = []
    for each in read_fairness(project, spec):
        if each.kind == "other" and project.model.fairness_excuse is None:
            findings.append(
                Finding(
                    rule="fairness-shape",
                    where=each.where,
                    message=f"The specification has the temporal conjunct `{each.text}`, which is no weak or strong fairness"
                    " of actions that Next takes by name: it may forbid what Next allows, or make a fault happen",
                    todo="State what makes progress as WF or SF of actions of Next, or say under `model.fairness_excuse`"
                    " why it must be so, and have that approved",
                )
            )
        if project.file.policy.get("unlisted_fairness", "refuse") == "refuse":
            findings += [
                Finding(
                    rule="fair-environment",
                    where=each.where,
                    message=f"`{each.text}` makes the fault {fault} happen, and environment {name} does not list it",
                    todo=f"Leave the fault free not to happen, or list it under `environments.{name}.fair` and have that approved",
                )
                for name, fault in unlisted(project, each)
            ]
    return tuple(findings)


@dataclass(frozen=True)
class _Called:
    """A definition of the project's own, where it is used."""

    definition: Definition
    body: Node
    operands: tuple[Node, ...]

    def call(self, spec: Spec, ranges: Mapping[int, str]) -> _Call:
        """The definition with what each argument ranges over."""
        return self.definition.uid, tuple(_range(spec, operand, ranges) for operand in self.operands)

    def ranges(self, spec: Spec, ranges: Mapping[int, str]) -> dict[int, str]:
        """What the definition's parameters range over, inside its body."""
        texts = self.call(spec, ranges)[1]
        return {parameter.uid: text for parameter, text in zip(self.definition.params, texts, strict=True)}


def unlisted(project: Project, conjunct: FairConjunct) -> list[tuple[str, str]]:
    """The environments, with the fault, in which ``conjunct`` makes a fault happen that they don't list under `fair`."""
    return [
        (name, fault)
        for fault in conjunct.faults
        for name, environment in project.file.environments.items()
        if fault not in environment.fair and fault not in environment.lacks
    ]


def _read(
    project: Project, spec: Spec, node: Node, ranges: Mapping[int, str], taken: _Taken, faults: Mapping[int, str]
) -> Iterator[FairConjunct]:
    if isinstance(node, Apply) and is_operator(node, *CONJUNCTION):
        for operand in node.operands:
            yield from _read(project, spec, operand, ranges, taken, faults)
        return
    if isinstance(node, Apply) and is_operator(node, *_FORALL):
        yield from _read(project, spec, node.operands[0], {**ranges, **_bound(spec, node)}, taken, faults)
        return
    if isinstance(node, Let | Label):
        yield from _read(project, spec, node.body, ranges, taken, faults)
        return
    text, where = _text(spec, node), _place(project, spec, node)
    if not (isinstance(node, Apply) and is_operator(node, *_FAIR)):
        opened = _called(spec, node)
        if opened is not None:
            yield from _read(project, spec, opened.body, opened.ranges(spec, ranges), taken, faults)
            return
        yield FairConjunct(text, where, "other", _faults(spec, node, faults))
        return
    action = node.operands[1]
    kind = "other"
    for name, at_all in (("fair", True), ("step", False)):
        kind = name if _is_step(spec, action, ranges, taken, (), at_all) else kind
    yield FairConjunct(text, where, kind, _faults(spec, action, faults))


def _steps(spec: Spec, node: Node, ranges: Mapping[int, str], visiting: tuple[int, ...]) -> Iterator[_Call]:
    """The calls that are steps of Next under no condition: through ``\\/``, ``\\E``, LET and definitions."""
    if isinstance(node, Let | Label):
        yield from _steps(spec, node.body, ranges, visiting)
    elif isinstance(node, Apply) and is_operator(node, *DISJUNCTION):
        for operand in node.operands:
            yield from _steps(spec, operand, ranges, visiting)
    elif isinstance(node, Apply) and is_operator(node, *EXISTS):
        yield from _steps(spec, node.operands[0], {**ranges, **_bound(spec, node)}, visiting)
    elif (target := _called(spec, node)) is not None and target.definition.uid not in visiting:
        yield target.call(spec, ranges)
        yield from _steps(spec, target.body, target.ranges(spec, ranges), (*visiting, target.definition.uid))


def _is_step(
    spec: Spec, node: Node, ranges: Mapping[int, str], taken: _Taken, visiting: tuple[int, ...], at_all: bool
) -> bool:
    """Whether the form of ``node`` shows that each of its steps is one of Next; ``at_all``: of an action of Next, whatever its arguments."""

    def inside(node: Node, ranges: Mapping[int, str]) -> bool:
        return _is_step(spec, node, ranges, taken, visiting, at_all)

    if isinstance(node, Let | Label):
        return inside(node.body, ranges)
    if isinstance(node, Apply) and is_operator(node, *DISJUNCTION):
        return all(inside(operand, ranges) for operand in node.operands)
    if isinstance(node, Apply) and is_operator(node, *CONJUNCTION):
        return any(inside(operand, ranges) for operand in node.operands)
    if isinstance(node, Apply) and is_operator(node, *EXISTS):
        return inside(node.operands[0], {**ranges, **_bound(spec, node)})
    target = _called(spec, node)
    if target is None or target.definition.uid in visiting:
        return False
    uid, given = target.call(spec, ranges)
    if uid in taken and (at_all or given in taken[uid]):
        return True
    return _is_step(spec, target.body, target.ranges(spec, ranges), taken, (*visiting, uid), at_all)


def _bound(spec: Spec, node: Apply) -> dict[int, str]:
    """What the names that a quantifier binds range over, as text."""
    return {
        symbol.uid: f"in {_text(spec, group.domain)}" if group.domain is not None else "anything"
        for group in node.bound
        for symbol in group.symbols
    }


def _range(spec: Spec, operand: Node, ranges: Mapping[int, str]) -> str:
    """What an argument ranges over: the domain of a bound name, else its own text."""
    if isinstance(operand, Apply) and not operand.operands and operand.operator.uid in ranges:
        return ranges[operand.operator.uid]
    return _text(spec, operand)


def _called(spec: Spec, node: Node) -> _Called | None:
    """The definition that ``node`` is a use of, if it is one of the project's own with a body."""
    if not isinstance(node, Apply) or node.operator.kind != "definition":
        return None
    if any(isinstance(operand, OperatorArgument) for operand in node.operands):
        return None
    target = spec.resolve(node.operator)
    if not isinstance(target, Definition) or target.body is None or target.recursive or spec.standard_name(target):
        return None
    return _Called(target, target.body, node.operands)


def _faults(spec: Spec, node: Node, faults: Mapping[int, str]) -> tuple[str, ...]:
    """The environment's actions that ``node`` reaches, through any definition."""
    seen: set[int] = set()
    pending = [node]
    while pending:
        each = pending.pop()
        pending += children(each)
        if isinstance(each, Let):
            references = each.definitions
        elif isinstance(each, Apply | OperatorArgument):
            references = (each.operator,)
        else:
            continue
        for reference in references:
            target = spec.symbols.get(reference.uid)
            if isinstance(target, Definition) and target.body is not None and target.uid not in seen:
                seen.add(target.uid)
                pending.append(target.body)
    return tuple(name for uid, name in faults.items() if uid in seen)


def _text(spec: Spec, node: Node) -> str:
    return " ".join(spec.text(node.span).split())


def _place(project: Project, spec: Spec, node: Node) -> str:
    path = spec.modules[node.span.module].path
    return f"{path or project.model_path}:{node.span.line}"
