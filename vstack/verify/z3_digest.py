"""Hashes of Z3 formulas by their structure: names of bound variables, layout and sharing don't matter, sorts do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import z3

DIGEST_FORMAT = "z3-formula-1"


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def sort_words(sort: z3.SortRef) -> Any:
    """A sort as data: a datatype with its constructors and fields, an array with its domains and range."""
    return _sort(sort, ())


def _sort(sort: z3.SortRef, inside: tuple[str, ...]) -> Any:
    if isinstance(sort, z3.DatatypeSortRef):
        name = sort.sexpr()
        if name in inside:
            return ["datatype", name]
        within = (*inside, name)
        constructors = []
        for index in range(sort.num_constructors()):
            constructor = sort.constructor(index)
            fields = [
                [(field := sort.accessor(index, i)).name(), _sort(field.range(), within)]
                for i in range(constructor.arity())
            ]
            constructors.append([constructor.name(), fields])
        return ["datatype", name, constructors]
    if isinstance(sort, z3.ArraySortRef):
        domains = [_sort(sort.domain_n(i), inside) for i in range(_arity(sort))]
        return ["array", domains, _sort(sort.range(), inside)]
    return [sort.sexpr()]


def _arity(sort: z3.ArraySortRef) -> int:
    arity = 0
    while True:
        try:
            sort.domain_n(arity)
        except z3.Z3Exception:
            return arity
        arity += 1


def below(root: z3.ExprRef) -> Iterator[z3.ExprRef]:
    """Every distinct term of ``root``, each after all the terms under it."""
    done: set[int] = set()
    stack: list[tuple[z3.ExprRef, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if node.get_id() in done:
            continue
        if ready:
            done.add(node.get_id())
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in _children(node))


def _children(node: z3.ExprRef) -> list[z3.ExprRef]:
    return [node.body()] if z3.is_quantifier(node) else list(node.children())


def digest(root: z3.ExprRef) -> str:
    """Hex SHA-256 of ``root``; it does not depend on what else was parsed, nor on names of bound variables."""
    known: dict[int, str] = {}
    for node in below(root):
        children = [known[child.get_id()] for child in _children(node)]
        known[node.get_id()] = _hash(*_own(node), children)
    return _hash(DIGEST_FORMAT, known[root.get_id()])


def _own(node: z3.ExprRef) -> list[Any]:
    if z3.is_quantifier(node):
        kind = "lambda" if node.is_lambda() else "forall" if node.is_forall() else "exists"
        return [kind, [sort_words(node.var_sort(i)) for i in range(node.num_vars())]]
    if z3.is_var(node):
        return ["bound", z3.get_var_index(node), sort_words(node.sort())]
    declared = node.decl()
    parameters = [sort_words(p) if isinstance(p, z3.SortRef) else str(p) for p in declared.params()]
    domain = [sort_words(declared.domain(i)) for i in range(declared.arity())]
    value = node.sexpr() if not node.children() and declared.kind() != z3.Z3_OP_UNINTERPRETED else None
    own = "free" if declared.kind() == z3.Z3_OP_UNINTERPRETED else "op"
    return [own, declared.name(), parameters, domain, sort_words(declared.range()), value]


def is_closed_ground(root: z3.ExprRef) -> bool:
    """Whether ``root`` speaks of nothing: no free symbol and no quantifier."""
    return not any(
        z3.is_quantifier(node) or (z3.is_app(node) and node.decl().kind() == z3.Z3_OP_UNINTERPRETED)
        for node in below(root)
    )


def logic(roots: list[z3.ExprRef]) -> str:
    """The theories and quantifiers of ``roots`` in words: `quantifier-free, Int, BitVec 8`."""
    quantified, sorts = False, dict[str, None]()
    for root in roots:
        for node in below(root):
            sorts[str(node.sort())] = None
            if z3.is_quantifier(node):
                quantified = True
                sorts |= {str(node.var_sort(i)): None for i in range(node.num_vars())}
    names = [name for name in sorts if name != "Bool"]
    return ", ".join(["quantifiers" if quantified else "quantifier-free", *(sorted(names) or ["Bool"])])
