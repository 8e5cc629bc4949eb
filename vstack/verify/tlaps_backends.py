"""Which back-ends a proof may call: pragmas on an approved list, none made by the project itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vstack.results import Finding
from vstack.sections import Goal
from vstack.tla.lexer import lexemes
from vstack.tla.places import Span
from vstack.tla.tree import Apply, Module, Node, Proof, Spec, String, Theorem, UseOrHide
from vstack.verify.tlaps_library import DEFAULT, PRAGMAS
from vstack.verify.tlaps_spec import own_modules, own_theorems

# A comment of this form tells tlapm how to prove what names the definition under it.
_PRAGMA = re.compile(r"\(\*\{")
# Methods of Isabelle that search; a tactic of other words could be any command, `sorry` among them.
_METHODS = frozenset({"auto", "blast", "force", "fast", "fastforce", "simp", "clarsimp", "clarify", "safe", "best"})


def backend_findings(spec: Spec, goal_name: str, goal: Goal) -> Iterator[Finding]:
    """Back-ends that are not allowed, tactics of unknown words, pragmas of the project's own."""
    allowed = set(goal.proof.backends) or set(DEFAULT)
    for name in sorted(allowed - PRAGMAS.keys()):
        yield Finding(
            rule="tlaps-backend",
            where=f"{spec.root.path}:1",
            message=f"Goal {goal_name} lists the back-end {name}, and module TLAPS has no such operator",
            todo="Mend `proof.backends` in vstack.yaml",
        )
    for module in own_modules(spec):
        for fact in _facts(module):
            yield from _judge(spec, fact, allowed, goal_name)
        for item in lexemes(module.text) if module.path is not None else ():
            if item.kind == "block" and _PRAGMA.match(item.text):
                yield Finding(
                    rule="tlaps-backend",
                    where=f"{module.path}:{module.text.count(chr(10), 0, item.start) + 1}",
                    message="A comment of the form `(*{ ... }*)` gives tlapm a command of the project's own",
                    todo="Name the operators of module TLAPS instead",
                )


def _judge(spec: Spec, fact: Node, allowed: set[str], goal_name: str) -> Iterator[Finding]:
    if not isinstance(fact, Apply) or not _is_pragma(spec, fact):
        return
    name, where = fact.operator.name, _where(spec, fact.span)
    if name not in allowed:
        yield Finding(
            rule="tlaps-backend",
            where=where,
            message=f"The proof of goal {goal_name} calls the back-end {name}, which is not allowed",
            todo="Use another, or list all that it may call under `proof.backends` and have that approved",
        )
    for operand in fact.operands:
        words = set(re.findall(r"\w+", operand.value)) if isinstance(operand, String) else set()
        if words - _METHODS or (isinstance(operand, String) and not re.fullmatch(r"[\w ,]+", operand.value)):
            yield Finding(
                rule="tlaps-backend",
                where=where,
                message=f"The tactic of {name} is not made of Isabelle's search methods alone ({', '.join(sorted(_METHODS))})",
                todo="Split the step until a method finds its proof",
            )


def _is_pragma(spec: Spec, fact: Apply) -> bool:
    symbol = spec.symbols.get(fact.operator.uid)
    return fact.operator.name in PRAGMAS and getattr(symbol, "module", "") == "TLAPS"


def _facts(module: Module) -> Iterator[Node]:
    for use in module.uses:
        yield from use.facts
    for theorem in own_theorems(module):
        if theorem.proof is not None:
            yield from _of_proof(theorem.proof)


def _of_proof(proof: Proof) -> Iterator[Node]:
    yield from proof.facts
    for step in proof.steps:
        if isinstance(step, UseOrHide):
            yield from step.facts
        elif isinstance(step, Theorem) and step.proof is not None:
            yield from _of_proof(step.proof)


def _where(spec: Spec, span: Span) -> str:
    module = spec.modules.get(span.module, spec.root)
    return f"{module.path}:{span.line}"
