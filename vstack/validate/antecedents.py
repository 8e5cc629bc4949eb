r"""The conditions under which a goal says anything: what stands before ``=>`` and ``~>``, as formulas of their own.

Of ``\A x \in S : A => B`` that is ``\E x \in S : A``. If it is never true, the goal
holds whatever the model does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from vstack.tla.conjuncts import CONJUNCTION, is_operator
from vstack.tla.places import offsets
from vstack.tla.tree import ACTION_LEVEL, Apply, Definition, Label, Let, Node, Spec, children

_FORALL = ("$BoundedForall",)


@dataclass(frozen=True)
class Antecedent:
    """``text`` is TLA+ that sees what the root module sees, ``words`` the condition as written.

    ``step`` says that it speaks of a step, ``inner`` that it stands in what another condition implies.
    """

    text: str
    words: str
    step: bool
    inner: bool = False


def antecedents(spec: Spec, formula: str) -> tuple[Antecedent, ...]:
    """The antecedents of the goal ``formula``, outer ones first; none where it is not made of implications."""
    if not spec.has(formula):
        return ()
    definition = spec.definition(formula)
    if definition.body is None or definition.params:
        return ()
    return tuple(_of(spec, definition.body, step=False, visiting=(definition.uid,)))


def _of(spec: Spec, node: Node, *, step: bool, visiting: tuple[int, ...]) -> Iterator[Antecedent]:
    if isinstance(node, Label):
        yield from _of(spec, node.body, step=step, visiting=visiting)
    elif isinstance(node, Let):
        head = _between(spec, node, node.body)
        for inner in _of(spec, node.body, step=step, visiting=visiting):
            yield replace(inner, text=f"({head}\n({inner.text}))")
    elif not isinstance(node, Apply):
        return
    elif is_operator(node, *CONJUNCTION):
        for operand in node.operands:
            yield from _of(spec, operand, step=step, visiting=visiting)
    elif is_operator(node, *_FORALL):
        bounds = _bounds(spec, node)
        if bounds is not None:
            for inner in _of(spec, node.operands[0], step=step, visiting=visiting):
                yield replace(inner, text=f"(\\E {bounds} :\n({inner.text}))")
    elif is_operator(node, "[]"):
        yield from _of(spec, node.operands[0], step=step, visiting=visiting)
    elif is_operator(node, "$SquareAct"):
        yield from _of(spec, node.operands[0], step=True, visiting=visiting)
    elif is_operator(node, "=>", "~>"):
        yield from _implication(spec, node, step=step, visiting=visiting)
    elif node.operator.kind == "definition" and not node.operands:
        target = spec.resolve(node.operator)
        if isinstance(target, Definition) and _is_seen(spec, target) and target.uid not in visiting:
            assert target.body is not None
            yield from _of(spec, target.body, step=step, visiting=(*visiting, target.uid))


def _implication(spec: Spec, node: Apply, *, step: bool, visiting: tuple[int, ...]) -> Iterator[Antecedent]:
    condition, consequence = node.operands
    level = getattr(condition, "level", 0)
    if level > ACTION_LEVEL or (level == ACTION_LEVEL and not step) or _uses_local(spec, condition):
        return
    text = _chunk(spec, condition)
    yield Antecedent(text, " ".join(spec.text(condition.span).split()), step)
    if is_operator(node, "=>"):
        for inner in _of(spec, consequence, step=step, visiting=visiting):
            yield replace(inner, text=f"({text})\n/\\ ({inner.text})", inner=True)


def _uses_local(spec: Spec, node: Node) -> bool:
    """Whether a LOCAL definition is called in ``node``: the root module can't say its name."""
    if isinstance(node, Apply) and node.operator.kind == "definition":
        target = spec.resolve(node.operator)
        if isinstance(target, Definition) and target.local and spec.standard_name(target) is None:
            return True
    return any(_uses_local(spec, child) for child in children(node))


def _is_seen(spec: Spec, definition: Definition) -> bool:
    """Whether the root module sees this very definition, with a body of the project's own."""
    return (
        definition.body is not None
        and not definition.recursive
        and spec.has(definition.name)
        and spec.definition(definition.name).uid == definition.uid
        and spec.standard_name(definition) is None
    )


def _chunk(spec: Spec, node: Node) -> str:
    """The source text of ``node`` on lines of its own, at its own columns: lists of ``/\\`` hang on them."""
    return "\n" + " " * (node.span.column - 1) + spec.text(node.span) + "\n"


def _between(spec: Spec, node: Node, body: Node) -> str:
    """The text of ``node`` up to ``body``, as a chunk: ``LET ... IN``."""
    source = spec.modules[node.span.module].text
    start, _ = offsets(source, node.span)
    end, _ = offsets(source, body.span)
    return "\n" + " " * (node.span.column - 1) + source[start:end]


def _bounds(spec: Spec, node: Apply) -> str | None:
    r"""``x \in S, y \in T`` of a quantifier; None where it can't be cut out of the text."""
    source = spec.modules[node.span.module].text
    start, _ = offsets(source, node.span)
    end, _ = offsets(source, node.operands[0].span)
    text = source[start:end].rstrip()
    # A body in parentheses or with a comment before it has more in front of it than the colon.
    cut = text.rfind(":")
    rest = text[cut + 1 :].strip()
    if not text.startswith("\\A") or cut < 0 or rest.strip("(") or "\\*" in text or "(*" in text:
        return None
    return " ".join(text[2:cut].split())
