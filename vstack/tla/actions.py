"""The next-state relation split into its named actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vstack.errors import VstackError
from vstack.tla.conjuncts import (
    CONJUNCTION,
    DISJUNCTION,
    EMPTY,
    EXISTS,
    Bound,
    Part,
    Scope,
    Update,
    bounds,
    called,
    classify,
    is_action,
    is_operator,
    substituted,
)
from vstack.tla.places import Span
from vstack.tla.tree import Apply, Definition, Label, Let, Node, Spec, Substituted
from vstack.tla.xml import deep_recursion


@dataclass(frozen=True, slots=True)
class Action:
    """One disjunct of the next-state relation.

    ``name`` is that of the innermost definition reached through disjunctions,
    quantifiers and calls alone, which is the one TLC reports; a disjunct
    written out in definition D is ``D@line`` (``D@line:column`` where one line
    holds several), and TLC reports it as D. A definition called from two places gives two actions of
    one name. ``params`` are the names bound on the way and inside,
    ``arguments`` the texts given to the definition. ``call_span`` is where the
    disjunct stands in the relation, ``span`` its definition (or, unnamed, the
    disjunct). ``guards`` have no primed variable, and hold those under an inner
    quantifier too; ``other`` is what is none of the rest: branches, primed
    conditions. Helpers are followed: their parts have their own modules' spans.
    """

    name: str
    params: tuple[Bound, ...]
    arguments: tuple[str, ...]
    definition: Definition | None
    call_span: Span
    span: Span
    node: Node
    guards: tuple[Part, ...]
    updates: tuple[Update, ...]
    unchanged: tuple[str, ...]
    other: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class _Outside:
    """A conjunct that stands next to the disjunction in the relation itself, or a condition of IF (negated in ELSE)."""

    node: Node
    scope: Scope
    negated: bool = False


@dataclass(frozen=True, slots=True)
class _Path:
    """How a disjunct was reached: the definition around it, the call of that, names bound, conjuncts outside."""

    definition: Definition
    call: Node
    arguments: tuple[str, ...]
    params: tuple[Bound, ...]
    outside: tuple[_Outside, ...]
    visiting: tuple[int, ...]


def split_next(spec: Spec, next_name: str, *, variables: Sequence[str] | None = None) -> tuple[Action, ...]:
    """The actions of the next-state relation ``next_name``, in the order of the text.

    ``variables`` are the ones that count in ``updates`` and ``unchanged``
    (those of the root module, if not given).

    Raises:
        VstackError: the name is not defined, or takes parameters.
    """
    relation = spec.definition(next_name)
    if relation.body is None or relation.params:
        raise VstackError(
            f"{next_name} can't be a next-state relation: it takes parameters or has no body",
            where=f"{relation.module}:{relation.span.line}",
        )
    names = {item.name for item in spec.root.variables} if variables is None else set(variables)
    with deep_recursion():
        start = _Path(relation, relation.body, (), (), (), (relation.uid,))
        found = _split(spec, relation.body, EMPTY, start)
        actions = [_action(spec, node, scope, path, names) for node, scope, path in found]
    taken = Counter(action.name for action in actions if action.definition is None)
    return tuple(
        replace(action, name=f"{action.name}:{action.span.column}")
        if action.definition is None and taken[action.name] > 1
        else action
        for action in actions
    )


_Found = list[tuple[Node, Scope, _Path]]


def _split(spec: Spec, node: Node, scope: Scope, path: _Path) -> _Found:
    """The disjuncts of ``node``: through ``\\/``, ``\\E``, LET, and calls of definitions that are made of these."""
    if not is_action(spec, node, scope):
        return [(node, scope, path)]
    if is_operator(node, *DISJUNCTION):
        assert isinstance(node, Apply)
        return [found for operand in node.operands for found in _split(spec, operand, scope, path)]
    if is_operator(node, *EXISTS):
        assert isinstance(node, Apply)
        inner = replace(path, params=path.params + bounds(spec, node))
        return _split(spec, node.operands[0], scope, inner)
    if isinstance(node, Let | Label):
        return _split(spec, node.body, scope, path)
    if isinstance(node, Substituted):
        return _split(spec, node.body, substituted(node, scope), path)
    if is_operator(node, *CONJUNCTION) and len(path.visiting) == 1:
        return _distributed(spec, node, scope, path)
    if is_operator(node, "$IfThenElse") and len(path.visiting) == 1:
        arms = _arms(spec, node, scope, path)
        if all(_is_named(found, path) for found in arms):
            return arms
    target = called(spec, node, scope)
    if target is not None and target[0].uid not in path.visiting:
        assert isinstance(node, Apply) and target[0].body is not None
        definition, inside = target
        texts = tuple(spec.text(operand.span) for operand in node.operands)
        visiting = (*path.visiting, definition.uid)
        inner = replace(path, definition=definition, call=node, arguments=texts, visiting=visiting)
        return _split(spec, target[0].body, inside, inner)
    return [(node, scope, path)]


def _is_named(found: tuple[Node, Scope, _Path], path: _Path) -> bool:
    return found[2].definition is not path.definition


def _arms(spec: Spec, node: Node, scope: Scope, path: _Path) -> _Found:
    """The disjuncts of IF in the relation itself: each arm's, with the condition or its negation."""
    assert isinstance(node, Apply)
    condition, *arms = node.operands
    return [
        found
        for arm, negated in zip(arms, (False, True), strict=True)
        for found in _split(
            spec, arm, scope, replace(path, outside=(*path.outside, _Outside(condition, scope, negated)))
        )
    ]


def _distributed(spec: Spec, node: Node, scope: Scope, path: _Path) -> _Found:
    """``C /\\ (A \\/ B)`` in the relation itself: A and B, each with C; a conjunction of any other shape is one action.

    Only a disjunction or quantifier over named actions is taken apart: in
    ``A /\\ UNCHANGED x`` A is a helper.
    """
    assert isinstance(node, Apply)
    for place, operand in enumerate(node.operands):
        if not is_action(spec, operand, scope):
            continue
        others = tuple(_Outside(other, scope) for at, other in enumerate(node.operands) if at != place)
        found = _split(spec, operand, scope, replace(path, outside=path.outside + others))
        splits = len(found) > 1 or any(item[2].params != path.params for item in found)
        if splits and all(_is_named(item, path) for item in found):
            return found
    return [(node, scope, path)]


def _opened(body: Node | None, node: Node) -> Node | None:
    """What a definition's body is under its LET, label, INSTANCE and quantifiers, down to ``node`` at most."""
    while body is not node:
        if isinstance(body, Let | Label | Substituted):
            body = body.body
        elif isinstance(body, Apply) and is_operator(body, *EXISTS):
            body = body.operands[0]
        else:
            break
    return body


def _action(spec: Spec, node: Node, scope: Scope, path: _Path, variables: set[str]) -> Action:
    parts = classify(spec, node, scope)
    for outside in path.outside:
        if outside.negated:
            text = f"~({spec.text(outside.node.span)})"
            parts.guards.append(Part(text, outside.node.span, outside.node))
            continue
        around = classify(spec, outside.node, outside.scope)
        parts.guards += around.guards
        parts.updates += around.updates
        parts.unchanged += around.unchanged
        parts.other += around.other
    # The body of a definition is its action; a disjunct written out inside one has no definition of its own.
    named = _opened(path.definition.body, node) is node
    changed = {update.variable for update in parts.updates}
    return Action(
        path.definition.name if named else f"{path.definition.name}@{node.span.line}",
        path.params + tuple(parts.params),
        path.arguments if named else (),
        path.definition if named else None,
        path.call.span if named else node.span,
        path.definition.span if named else node.span,
        node,
        tuple(parts.guards),
        tuple(update for update in parts.updates if update.variable in variables),
        tuple(name for name in dict.fromkeys(parts.unchanged) if name in variables and name not in changed),
        tuple(parts.other),
    )
