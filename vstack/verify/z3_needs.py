"""What a proved obligation rests on: the assumptions it needs, and whether it says more than they do.

Runs in the deciding process. Every answer here comes from further checks of the
same solver; one that the solver can't give leaves a word unsaid, never a goal proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

from vstack.verify.z3_digest import below

# Asks whether formulas can be met together: `sat`, `unsat` or `unknown`.
Ask = Callable[[list[z3.BoolRef]], str]


@dataclass(frozen=True)
class Part:
    """One conjunct of the assumption ``name``."""

    name: str
    term: z3.BoolRef


def needs(names: list[str], terms: list[z3.BoolRef], ask: Ask) -> dict[str, Any]:
    """Of a goal (the last of ``terms``) that follows from the assumptions before it, what it needs of them.

    - ``without any``: whether the goal's negation can be met at all (``unsat``: it is true of all values);
    - ``dispensable``, ``untried``: assumptions it can do without, each dropped alone;
    - ``core``: assumptions of a smallest set of conjuncts from which it still follows;
    - ``restating``: those of them with a conjunct that, given the rest, says just what the goal says,
      of the same symbols; ``rephrasing``: the same, of other symbols;
    - ``vacuous``: parts of the goal whose condition is never met, in words; ``idle``: conditions it doesn't need.
    """
    assumptions, goal = terms[:-1], terms[-1]
    negated = z3.Not(goal)
    found: dict[str, Any] = {"dispensable": [], "untried": [], "without any": ask([negated])}
    for position, name in enumerate(names):
        answer = ask([*(term for place, term in enumerate(assumptions) if place != position), negated])
        if answer != "sat":
            found["dispensable" if answer == "unsat" else "untried"].append(name)
    if found["without any"] == "unsat":
        return found | {"core": [], "restating": [], "rephrasing": [], "vacuous": [], "idle": []}
    parts = [Part(name, term) for name, whole in zip(names, assumptions, strict=True) for term in conjuncts(whole)]
    core = _smallest(parts, negated, ask)
    same, other = _saying_the_same(core, goal, ask)
    vacuous, idle = _vacuous(assumptions, goal, ask)
    return found | {
        "core": list(dict.fromkeys(part.name for part in core)),
        "restating": same,
        "rephrasing": other,
        "vacuous": vacuous,
        "idle": idle,
    }


def conjuncts(term: z3.BoolRef) -> list[z3.BoolRef]:
    """The conjuncts of ``term``, negations pushed inwards as far as conjunctions need it."""
    if z3.is_and(term):
        return [part for child in term.children() for part in conjuncts(child)]
    if z3.is_not(term):
        inner = term.arg(0)
        if z3.is_not(inner):
            return conjuncts(inner.arg(0))
        if z3.is_or(inner):
            return [part for child in inner.children() for part in conjuncts(z3.Not(child))]
        if z3.is_implies(inner):
            return [*conjuncts(inner.arg(0)), *conjuncts(z3.Not(inner.arg(1)))]
    if z3.is_app_of(term, z3.Z3_OP_ITE):
        condition, then, other = term.children()
        return [z3.Implies(condition, then), z3.Implies(z3.Not(condition), other)]
    return [term]


def _smallest(parts: list[Part], negated: z3.BoolRef, ask: Ask) -> list[Part]:
    """Conjuncts none of which can be left out (or of which the solver could not say so)."""
    core = list(parts)
    for part in parts:
        rest = [each for each in core if each is not part]
        if ask([*(each.term for each in rest), negated]) == "unsat":
            core = rest
    return core


def _saying_the_same(core: list[Part], goal: z3.BoolRef, ask: Ask) -> tuple[list[str], list[str]]:
    """Assumptions that given the rest of ``core`` follow from the goal: of its symbols, and of others.

    An invariant's step whose variables stay as they are is of the second kind:
    the assumption speaks of the state before, the goal of the one after.
    """
    same: list[str] = []
    other: list[str] = []
    spoken_of = _symbols(goal)
    for part in core:
        rest = [each.term for each in core if each is not part]
        if ask([*rest, goal, z3.Not(part.term)]) == "unsat":
            (same if spoken_of <= _symbols(part.term) else other).append(part.name)
    return list(dict.fromkeys(same)), list(dict.fromkeys(other))


def _symbols(term: z3.BoolRef) -> set[str]:
    return {
        node.decl().name() for node in below(term) if z3.is_app(node) and node.decl().kind() == z3.Z3_OP_UNINTERPRETED
    }


def _vacuous(assumptions: list[z3.BoolRef], goal: z3.BoolRef, ask: Ask) -> tuple[list[str], list[str]]:
    """Parts of the goal whose condition is never met, and conditions that a part does not need."""
    vacuous: list[str] = []
    idle: list[str] = []
    for part in conjuncts(_opened(goal)):
        for alternatives in _clauses(part):
            if len(alternatives) < 2:
                continue
            for place, (term, is_condition) in enumerate(alternatives):
                rest = [each for number, (each, _) in enumerate(alternatives) if number != place]
                if ask([*assumptions, *(z3.Not(each) for each in rest)]) != "unsat":
                    continue
                text = " ".join(str(term).split())[:200]
                if is_condition:
                    idle.append(text)
                else:
                    vacuous.append(text)
    return vacuous, idle


def _opened(term: z3.BoolRef) -> z3.BoolRef:
    """``term`` with its outermost universal quantifiers replaced by symbols of their own."""
    while z3.is_quantifier(term) and term.is_forall():
        fresh = [z3.FreshConst(term.var_sort(place), term.var_name(place)) for place in range(term.num_vars())]
        term = z3.substitute_vars(term.body(), *reversed(fresh))
    return term


def _clauses(term: z3.BoolRef) -> Iterator[list[tuple[z3.BoolRef, bool]]]:
    """The alternatives of each conjunct of ``term``, and whether each is the negation of a condition."""
    term = _opened(term)
    if z3.is_implies(term):
        condition = [(z3.Not(each), True) for each in conjuncts(term.arg(0))]
        for part in conjuncts(term.arg(1)):
            for alternatives in _clauses(part):
                yield [*condition, *alternatives]
    elif z3.is_or(term):
        yield _told_apart([(each, z3.is_not(each)) for each in term.children()])
    elif z3.is_not(term) and z3.is_and(term.arg(0)):
        yield _told_apart([(z3.Not(each), not z3.is_not(each)) for each in term.arg(0).children()])
    else:
        yield [(term, False)]


def _told_apart(alternatives: list[tuple[z3.BoolRef, bool]]) -> list[tuple[z3.BoolRef, bool]]:
    """Negated alternatives are conditions of the others; where all are negated, none is a condition."""
    if all(is_condition for _, is_condition in alternatives):
        return [(term, False) for term, _ in alternatives]
    return alternatives
