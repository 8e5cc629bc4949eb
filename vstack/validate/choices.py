r"""Rule: a step does not take one of several values with CHOOSE, for TLC then never tries the others."""

from __future__ import annotations

from collections.abc import Iterator

from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.tla.tree import Apply, Definition, Let, Node, Spec, children, references
from vstack.validate.mutants.clauses import CONJUNCTIONS

_CHOOSE = "$BoundedChoose"
_FORALL = "$BoundedForall"
_ONE = "$SetEnumerate"
_ORDER = frozenset({"<", ">", "<=", ">=", "\\leq", "\\geq", "=<"})


def check_choices(project: Project, spec: Spec) -> tuple[Finding, ...]:
    r"""Each CHOOSE over a set in what Init and Next reach that may have several values to take.

    Free of an excuse are those that have one value by their form: over a set
    of one element, ``x = e``, and the least or greatest element of the very
    set, ``\A y \in S : x <= y``. A CHOOSE without a set is no choice in TLC,
    which can't evaluate it. Goals are not looked through: a choice in them
    leaves no step out.
    """
    excused = project.file.model.choices if project.file.model is not None else {}
    found: dict[str, Finding] = {}
    used: set[str] = set()
    for name in (project.model.init, project.model.next):
        if spec.has(name):
            for holder, node in _choices(spec, spec.definition(name)):
                used.add(holder.name)
                if holder.name not in excused and not _one_value(spec, node):
                    finding = _finding(spec, holder, node)
                    found.setdefault(finding.where, finding)
    idle = [
        Finding(
            rule="choice-narrowed",
            where=str(project.root / PROJECT_FILE),
            message=f"`model.choices` excuses {name}, in which nothing is chosen",
            todo="Take the entry out",
        )
        for name in excused
        if name not in used
    ]
    return (*found.values(), *idle)


def _choices(spec: Spec, root: Definition) -> Iterator[tuple[Definition, Apply]]:
    """Each bounded CHOOSE that ``root`` reaches, with the definition it stands in; what the jar defines is left out."""
    seen = {root.uid}
    pending: list[tuple[Definition, Node]] = [(root, root.body)] if root.body is not None else []
    while pending:
        holder, node = pending.pop()
        if isinstance(node, Apply) and node.operator.name == _CHOOSE and node.operator.kind == "builtin":
            yield holder, node
        pending += [(holder, child) for child in children(node)]
        for reference in references(node):
            target = spec.symbols.get(reference.uid)
            if not isinstance(target, Definition) or target.uid in seen or target.body is None:
                continue
            seen.add(target.uid)
            if spec.standard_name(target) is None:
                # A LET's definition, or a LAMBDA, is part of the definition around it.
                inner = target.kind == "lambda" or isinstance(node, Let)
                pending.append((holder if inner else target, target.body))


def _one_value(spec: Spec, choose: Apply) -> bool:
    (group,) = choose.bound
    domain = group.domain
    if group.is_tuple or domain is None or len(group.symbols) != 1:
        return False
    if isinstance(domain, Apply) and domain.operator.name == _ONE and len(domain.operands) == 1:
        return True
    chosen = group.symbols[0].uid
    return any(_fixes(spec, clause, chosen, domain) for clause in _conjuncts(choose.operands[0]))


def _conjuncts(node: Node) -> Iterator[Node]:
    if isinstance(node, Apply) and node.operator.name in CONJUNCTIONS:
        for operand in node.operands:
            yield from _conjuncts(operand)
    else:
        yield node


def _fixes(spec: Spec, clause: Node, chosen: int, domain: Node) -> bool:
    if not isinstance(clause, Apply):
        return False
    if clause.operator.name == "=" and clause.operator.kind == "builtin":
        sides = [_is(side, chosen) for side in clause.operands]
        return sum(sides) == 1 and not any(
            _mentions(side, chosen) for side, alone in zip(clause.operands, sides, strict=True) if not alone
        )
    return clause.operator.name == _FORALL and _extreme(spec, clause, chosen, domain)


def _extreme(spec: Spec, forall: Apply, chosen: int, domain: Node) -> bool:
    r"""``\A y \in S : x <= y`` over the set that x is chosen from."""
    body = forall.operands[0]
    if len(forall.bound) != 1 or len(forall.bound[0].symbols) != 1 or forall.bound[0].domain is None:
        return False
    if _words(spec, forall.bound[0].domain) != _words(spec, domain) or not isinstance(body, Apply):
        return False
    other = forall.bound[0].symbols[0].uid
    target = spec.symbols.get(body.operator.uid)
    if body.operator.name not in _ORDER or not isinstance(target, Definition) or spec.standard_name(target) is None:
        return False
    left, right = body.operands
    return (_is(left, chosen) and _is(right, other)) or (_is(left, other) and _is(right, chosen))


def _is(node: Node, uid: int) -> bool:
    return isinstance(node, Apply) and node.operator.uid == uid and not node.operands


def _mentions(node: Node, uid: int) -> bool:
    return _is(node, uid) or any(_mentions(child, uid) for child in children(node))


def _words(spec: Spec, node: Node) -> str:
    return " ".join(spec.text(node.span).split())


def _finding(spec: Spec, holder: Definition, node: Apply) -> Finding:
    module = spec.modules.get(node.span.module)
    path = module.path if module is not None and module.path else node.span.module
    return Finding(
        rule="choice-narrowed",
        where=f"{path}:{node.span.line}",
        message=f"{holder.name} chooses with `{_words(spec, node)[:120]}`: where several values fit, TLC takes one and"
        " never tries the others, so steps that the code can take go unexplored",
        todo="Model the choice with \\E, or, where one value fits or the choice does not matter, have the reason approved:"
        f" `model.choices: {{{holder.name}: why}}`",
    )
