"""The hash of a definition through everything it uses: what an approval pins."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vstack.errors import VstackError
from vstack.tla.normal import Form, Normalized, Normalizer, Use, digest_of
from vstack.tla.places import Span
from vstack.tla.tree import Assumption, Declaration, Definition, Spec, Theorem
from vstack.tla.values import format_value, parse_value
from vstack.tla.xml import deep_recursion

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Member:
    """A definition in a closure, outside the jar: its own digest covers all it uses."""

    name: str
    module: str
    digest: str
    span: Span


@dataclass(frozen=True, slots=True)
class Closure:
    """``digest`` covers the definition and all it uses; ``members`` are these, by module and name."""

    digest: str
    members: tuple[Member, ...]


def closure(spec: Spec, name: str, *, overrides: Mapping[str, str] = {}, constants: Mapping[str, str] = {}) -> Closure:
    """The closure of the definition, theorem or assumption ``name`` of the root module.

    ``overrides`` (``X`` or ``[M]X`` to the operator that replaces it) and
    ``constants`` (``N`` or ``[M]N`` to a value's text) are a configuration's:
    ``Cfg.overrides`` and ``Cfg.assignments``. They count where the closure
    reaches what they change, and an overridden definition's own body doesn't
    count, as TLC never reads it.

    These change the digest: an operator body, a substitution of an INSTANCE
    that the body reaches, the name of a CONSTANT or VARIABLE, the order of
    conjuncts. These don't: comments, layout, bulleted or infix lists, the
    names of bound symbols, parameters, LET definitions and helpers, the order
    of definitions, what is not reached. An operator of the jar's modules counts
    by module and name.

    Raises:
        VstackError: the name, or one that the configuration gives, is not defined.
    """
    with deep_recursion():
        normalizer = _normalizer(spec, overrides, constants)
        top = _top(spec, name, normalizer)
        reached = _reached(spec, name, top, normalizer)
    members = sorted(
        (Member(item.name, item.module, done.digest, item.span) for item, done in reached),
        key=lambda member: (member.module, member.name, member.span.line, member.span.column),
    )
    return Closure(top.digest, tuple(members))


def normal_text(spec: Spec, name: str, *, overrides: Mapping[str, str] = {}, constants: Mapping[str, str] = {}) -> str:
    """The closure's normal forms as text for line-by-line comparison: helpers by name, bound symbols by depth."""
    with deep_recursion():
        normalizer = _normalizer(spec, overrides, constants)
        top = _top(spec, name, normalizer)
        reached = _reached(spec, name, top, normalizer)
        blocks = [_block(item.name, done.form) for item, done in reached if item.name != name]
        forms = [top.form, *(done.form for _, done in reached)]
        blocks += {_block(f"LET {use.name}", normalizer.let_forms[use.digest]) for use in _lets(forms, normalizer)}
        return "\n".join([_block(name, top.form), *sorted(blocks)])


def _normalizer(spec: Spec, overrides: Mapping[str, str], constants: Mapping[str, str]) -> Normalizer:
    overridden = {_symbol(spec, name): spec.definition(operator) for name, operator in overrides.items()}
    assigned: dict[int, list[str]] = {}
    for name, value in constants.items():
        called, bracket, arguments = name.partition("(")
        assigned.setdefault(_symbol(spec, called), []).append(bracket + arguments + "=" + _value(value))
    return Normalizer(spec, overridden, {uid: ";".join(sorted(values)) for uid, values in assigned.items()})


def _value(text: str) -> str:
    """A value's text in one form: ``{2,1}`` and ``{1, 2}`` are the same set."""
    try:
        return format_value(parse_value(text))
    except VstackError:
        return " ".join(text.split())


def _symbol(spec: Spec, name: str) -> int:
    """The key of the constant or definition that a configuration calls ``name`` or ``[Module]name``."""
    module, bare = spec.root, name
    if name.startswith("["):
        wanted, _, bare = name[1:].partition("]")
        if wanted not in spec.modules:
            near = difflib.get_close_matches(wanted, spec.modules, n=1)
            raise VstackError(
                f"The configuration names module {wanted}, which is not part of {spec.root.name}",
                where=str(spec.root.path),
                todo=f"The nearest name is {near[0]}" if near else None,
            )
        module = spec.modules[wanted]
    named: dict[str, Declaration | Definition] = {}
    named.update((item.name, item) for item in module.definitions)
    named.update((item.name, item) for item in module.constants)
    if bare not in named:
        near = difflib.get_close_matches(bare, named, n=1)
        raise VstackError(
            f"The configuration names {bare}, which module {module.name} neither declares nor defines",
            where=str(spec.root.path),
            todo=f"The nearest name is {near[0]}" if near else None,
        )
    return named[bare].uid


def _statement(spec: Spec, name: str) -> Theorem | Assumption | None:
    statements: tuple[Theorem | Assumption, ...] = (*spec.root.theorems, *spec.root.assumptions)
    return next((item for item in statements if item.name == name), None)


def _top(spec: Spec, name: str, normalizer: Normalizer) -> Normalized:
    statement = None if spec.has(name) else _statement(spec, name)
    if statement is not None:
        return normalizer.statement(statement.body)
    definition = spec.definition(name)
    definition = normalizer.overridden.get(definition.uid, definition)
    if definition.uid in normalizer.assigned:
        form = ("assigned", definition.name, normalizer.assigned[definition.uid])
        return Normalized(form, digest_of(form), frozenset(), ())
    if definition.body is None:
        raise VstackError(f"{name} is an instance, not a formula", where=f"{definition.module}:{definition.span.line}")
    return normalizer.definition(definition)


def _reached(spec: Spec, name: str, top: Normalized, normalizer: Normalizer) -> list[tuple[Definition, Normalized]]:
    """The definitions in the closure, ``name`` itself first if it is one."""
    found: dict[int, tuple[Definition, Normalized]] = {}
    if spec.has(name):
        definition = spec.definition(name)
        definition = normalizer.overridden.get(definition.uid, definition)
        found[definition.uid] = (definition, top)
    pending = list(top.uses)
    while pending:
        uid = pending.pop()
        symbol = spec.symbols[uid]
        if uid in found or not isinstance(symbol, Definition):
            continue
        done = normalizer.definition(symbol)
        found[uid] = (symbol, done)
        pending += done.uses
    return list(found.values())


def _lets(forms: Sequence[Form], normalizer: Normalizer) -> Iterator[Use]:
    """The uses of LET definitions in ``forms``, those inside LET definitions included."""
    for form in forms:
        if isinstance(form, Use) and form.digest in normalizer.let_forms:
            yield form
            yield from _lets([normalizer.let_forms[form.digest]], normalizer)
        elif isinstance(form, tuple):
            yield from _lets(form, normalizer)


def _block(name: str, form: Form) -> str:
    return f"{name} ==\n{_pretty(form, 1)}\n"


def _pretty(form: Form, depth: int) -> str:
    """A form in lines: one that is too long for a line has its parts on lines of their own."""
    flat = _flat(form)
    if isinstance(form, str | Use) or len(flat) + 2 * depth <= _WIDTH:
        return "  " * depth + flat
    head, *rest = form
    if not isinstance(head, str):
        head, rest = "", list(form)
    return "\n".join(["  " * depth + f"({head}", *(_pretty(part, depth + 1) for part in rest)]) + ")"


def _flat(form: Form) -> str:
    if isinstance(form, Use):
        return form.name
    if isinstance(form, str):
        return form or '""'
    return f"({' '.join(_flat(part) for part in form)})"
