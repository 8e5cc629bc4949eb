"""What of a model may be mutated: the actions of Next and their helpers; never goals, Init or environment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vstack.tla.actions import Action
from vstack.tla.tree import Apply, Definition, Let, Node, OperatorArgument, Spec, children
from vstack.validate.mutants.base import Unit
from vstack.validate.mutants.clauses import clauses


@dataclass(frozen=True)
class Units:
    """The definitions to mutate, and those of Next left alone, each with the reason."""

    units: tuple[Unit, ...]
    skipped: dict[str, str]


def find_units(
    spec: Spec, actions: Iterable[Action], *, protected: Iterable[str], environment_actions: Iterable[str]
) -> Units:
    """The actions of Next with a name of their own, then the helpers that their conditions and steps consist of.

    ``protected`` are definitions (goals, Init, view, constraints) that must stay
    what they are, with all they use. A helper that a protected definition or an
    environment action uses is left alone, for a mutant of it would change those.
    """
    names = list(environment_actions)
    kept = reached(spec, (spec.definition(name) for name in protected if spec.has(name)))
    kept |= reached(spec, (spec.definition(name) for name in names if spec.has(name)))
    found: dict[int, Unit] = {}
    skipped: dict[str, str] = {}
    for action in actions:
        definition = action.definition
        if action.name in names:
            skipped[action.name] = "an environment action"
        elif definition is None:
            skipped[action.name] = "written out in another definition: give it a name"
        elif definition.uid in kept:
            skipped[action.name] = "a goal, Init or an environment action uses it"
        elif not _is_plain(spec, definition):
            skipped[action.name] = "recursive, or not a definition of the root module's own scope"
        else:
            found.setdefault(definition.uid, Unit(definition, spec.modules[definition.module].text, "action"))
    pending = list(found.values())
    while pending:
        unit = pending.pop(0)
        for helper in _helpers(spec, unit.definition):
            if helper.uid not in found and helper.uid not in kept and _is_plain(spec, helper):
                found[helper.uid] = Unit(helper, spec.modules[helper.module].text, "helper")
                pending.append(found[helper.uid])
    return Units(tuple(found.values()), skipped)


def _helpers(spec: Spec, definition: Definition) -> Iterator[Definition]:
    """The definitions that are, whole, a condition or a step of ``definition``."""
    for clause in clauses(definition):
        node = clause.node
        if clause.kind in ("guard", "condition", "call") and isinstance(node, Apply):
            while node.operator.name == "\\lnot" and isinstance(node.operands[0], Apply):
                node = node.operands[0]
            if node.operator.kind == "definition":
                helper = spec.resolve(node.operator)
                if isinstance(helper, Definition):
                    yield helper


def _is_plain(spec: Spec, definition: Definition) -> bool:
    module = spec.modules.get(definition.module)
    return (
        module is not None
        and not module.is_standard
        and definition.kind == "operator"
        and definition.body is not None
        and not definition.recursive
        and definition.name.isidentifier()
        and spec.has(definition.name)
        and spec.definition(definition.name).uid == definition.uid
    )


def reached(spec: Spec, roots: Iterable[Definition]) -> set[int]:
    """The keys of the definitions that ``roots`` use, at any depth, themselves included."""
    found: set[int] = set()
    pending = list(roots)
    while pending:
        definition = pending.pop()
        if definition.uid in found:
            continue
        found.add(definition.uid)
        if definition.body is not None:
            pending.extend(used(spec, definition.body))
    return found


def used(spec: Spec, node: Node) -> Iterator[Definition]:
    """The definitions that ``node`` names, LET and LAMBDA included."""
    references = []
    if isinstance(node, Apply | OperatorArgument):
        references.append(node.operator)
    if isinstance(node, Let):
        references.extend(node.definitions)
    for reference in references:
        target = spec.symbols.get(reference.uid)
        if isinstance(target, Definition):
            yield target
    for child in children(node):
        yield from used(spec, child)
