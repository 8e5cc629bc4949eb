"""Hashes of what has no name (assumptions), and of formulas whose closure must not swallow the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vstack.tla.normal import Normalized, Normalizer, digest_of
from vstack.tla.tree import Apply, Assumption, Definition, Node, Spec
from vstack.tla.xml import deep_recursion


@dataclass(frozen=True)
class Formed:
    """A digest, and the definitions behind it with theirs, its own first if it has one."""

    digest: str
    definitions: tuple[tuple[Definition, str], ...]


def assumption_form(spec: Spec, assumption: Assumption, overrides: Mapping[str, str]) -> Formed:
    """The form of an ASSUME or AXIOM with all that it uses."""
    with deep_recursion():
        normalizer = Normalizer(spec, _overridden(spec, overrides), {})
        done = normalizer.statement(assumption.body)
        return Formed(done.digest, _behind(spec, normalizer, done, ()))


def shape_form(spec: Spec, name: str, *, by_name: Iterable[Definition], overrides: Mapping[str, str]) -> Formed:
    """The form of a formula in which the definitions ``by_name`` count by name alone, their bodies not at all.

    So the specification formula is pinned without its actions (which conjuncts
    it has, which actions are fair and how), and the next-state relation too (in
    which ways it takes each action, under which conditions around it). The
    tuple of all variables counts by name as well: a model may add one.
    """
    hidden = {definition.uid: definition for definition in by_name}
    with deep_recursion():
        normalizer = Normalizer(spec, _overridden(spec, overrides), {})
        for definition in hidden.values():
            normalizer.done[definition.uid] = _by_name(definition.name)
        for definition in spec.root.definitions:
            if definition.body is not None and _is_all_variables(spec, definition.body):
                normalizer.done[definition.uid] = _by_name("all variables")
        top = spec.definition(name)
        done = normalizer.definition(top)
        behind = _behind(spec, normalizer, done, hidden)
    return Formed(done.digest, ((top, done.digest), *(item for item in behind if item[0].uid != top.uid)))


def _by_name(name: str) -> Normalized:
    form = ("by name", name)
    return Normalized(form, digest_of(form), frozenset(), ())


def _overridden(spec: Spec, overrides: Mapping[str, str]) -> dict[int, Definition]:
    found: dict[int, Definition] = {}
    for name, operator in overrides.items():
        wanted, _, bare = name.rpartition("]")
        for module in spec.modules.values():
            if wanted and module.name != wanted[1:]:
                continue
            named = [item.uid for item in module.definitions if item.name == bare]
            named += [item.uid for item in module.constants if item.name == bare]
            found |= dict.fromkeys(named, spec.definition(operator))
    return found


def _behind(
    spec: Spec, normalizer: Normalizer, done: Normalized, hidden: Iterable[int]
) -> tuple[tuple[Definition, str], ...]:
    found: dict[int, tuple[Definition, str]] = {}
    pending = list(done.uses)
    while pending:
        uid = pending.pop(0)
        symbol = spec.symbols[uid]
        if uid in found or uid in hidden or not isinstance(symbol, Definition):
            continue
        inner = normalizer.definition(symbol)
        found[uid] = symbol, inner.digest
        pending += inner.uses
    return tuple(found.values())


def _is_all_variables(spec: Spec, body: Node) -> bool:
    """Whether ``body`` is a tuple (of tuples) of exactly the variables that the root module has."""
    seen: set[int] = set()

    def only_variables(node: Node) -> bool:
        if not isinstance(node, Apply):
            return False
        if node.operator.kind == "variable":
            seen.add(node.operator.uid)
            return True
        if node.operator.name == "$Tuple":
            return all(only_variables(operand) for operand in node.operands)
        inner = spec.symbols.get(node.operator.uid)
        return (
            isinstance(inner, Definition) and not inner.params and inner.body is not None and only_variables(inner.body)
        )

    return only_variables(body) and seen == {item.uid for item in spec.root.variables}
