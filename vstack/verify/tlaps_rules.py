"""Rules on proof modules that need no tlapm: gaps, admitted lemmas, unsafe strings and pragmas, restated and empty hypotheses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from vstack.project import Project
from vstack.results import Finding
from vstack.sections import Goal
from vstack.tla.lexer import lexemes
from vstack.tla.places import Span, offsets
from vstack.tla.tree import Module, Proof, Spec, Theorem, UseOrHide
from vstack.verify.tlaps_backends import backend_findings
from vstack.verify.tlaps_hypotheses import hypothesis_findings
from vstack.verify.tlaps_spec import own_modules, own_theorems, read_proof, theorem_of

# What tlapm replaces, or what means nothing in a name: the rest (`|`, a backslash, `;`, a quote) can end one.
_SAFE = re.compile(r'"[A-Za-z0-9 ,_\-+*/%&@#$.:?!<>=^]*"')
_HEADER = re.compile(r"-{4,} *MODULE")
# Steps that assert nothing have no proof of their own.
_WITHOUT_PROOF = frozenset({"$Have", "$Take", "$Witness"})


def check_proofs(project: Project) -> tuple[Finding, ...]:
    """What the rules find in the modules of all theorem goals, each place once.

    Raises:
        RefusedError: a theorem is missing, or a file has the name of a library module.
        VstackError: a module or tool is missing, or a module doesn't parse.
    """
    found: dict[tuple[str, str, str], Finding] = {}
    for name, goal in project.file.goals.items():
        if goal.kind == "theorem":
            for finding in check_proof(project, name, goal):
                found.setdefault((finding.rule, finding.where, finding.message), finding)
    return tuple(found.values())


def check_proof(project: Project, name: str, goal: Goal) -> Iterator[Finding]:
    """What the rules find in the modules of one theorem goal."""
    spec = read_proof(project, name)
    theorem = theorem_of(spec, name, goal)
    if theorem.proof is None or theorem.proof.kind == "omitted":
        yield _finding(
            "tlaps-theorem", spec, theorem.span, f"The theorem {theorem.name} of goal {name} has no proof of its own",
            "Prove it there", 
        )  # fmt: skip
    for module in own_modules(spec):
        yield from _gaps(spec, module)
        yield from _texts(module)
        yield from _readings(module)
        yield from _inner(module)
    yield from backend_findings(spec, name, goal)
    yield from hypothesis_findings(spec, name, theorem)
    yield from _lost_modules(project, spec, name, goal)


def leaf_proofs(module: Module) -> Iterator[Proof]:
    """The proofs of ``module`` that give obligations: OBVIOUS, BY, and each of their kind inside steps."""
    for theorem in own_theorems(module):
        if theorem.proof is not None:
            yield from _leaves(theorem.proof)


def use_places(module: Module) -> Iterator[Span]:
    """Where a USE stands: its facts give obligations too."""
    for use in module.uses:
        yield use.span
    for theorem in own_theorems(module):
        if theorem.proof is not None:
            yield from _uses(theorem.proof)


def _uses(proof: Proof) -> Iterator[Span]:
    for step in proof.steps:
        if isinstance(step, UseOrHide):
            yield step.span
        elif isinstance(step, Theorem) and step.proof is not None:
            yield from _uses(step.proof)


def _leaves(proof: Proof) -> Iterator[Proof]:
    if proof.kind in ("by", "obvious"):
        yield proof
    for step in proof.steps:
        if isinstance(step, Theorem) and step.proof is not None:
            yield from _leaves(step.proof)


def _gaps(spec: Spec, module: Module) -> Iterator[Finding]:
    """Whatever stands unproved: an admitted lemma proves every goal that cites it."""
    for theorem in own_theorems(module):
        called = f"theorem {theorem.name}" if theorem.name else "a theorem without a name"
        if theorem.proof is None:
            yield _unproved(spec, theorem.span, f"{called} has no proof: it is admitted")
        else:
            yield from _inside(spec, theorem.proof, called)


def _inside(spec: Spec, proof: Proof, called: str) -> Iterator[Finding]:
    if proof.kind == "omitted":
        yield _unproved(spec, proof.span, f"the proof of {called} is OMITTED")
    if proof.kind == "steps" and not _ends(proof):
        yield _unproved(spec, proof.span, f"the proof of {called} has no QED")
    for step in proof.steps:
        if not isinstance(step, Theorem):
            continue
        operator = getattr(getattr(step.body, "operator", None), "name", "")
        if step.proof is not None:
            yield from _inside(spec, step.proof, f"step {step.name or ''} of {called}")
        elif operator not in _WITHOUT_PROOF:
            yield _unproved(spec, step.span, f"step {step.name or ''} of {called} has no proof")


def _ends(proof: Proof) -> bool:
    last = proof.steps[-1] if proof.steps else None
    return isinstance(last, Theorem) and getattr(getattr(last.body, "operator", None), "name", "") == "$Qed"


def _texts(module: Module) -> Iterator[Finding]:
    """Strings that would reach a solver's input as more than a string, and definitions that tlapm can't read."""
    text = module.text
    for item in lexemes(text) if module.path is not None else ():
        line = text.count("\n", 0, item.start) + 1
        if item.kind == "string" and not _SAFE.fullmatch(item.text):
            yield Finding(
                rule="tlaps-string",
                where=f"{module.path}:{line}",
                message=f"The string {item.text} holds a character that tlapm passes on as it is: in a solver's input it can"
                " end a name, and what follows it is read as formulas",
                todo="Use letters, digits, blanks and `,_-+*/%&@#$.:?!<>=^` in the strings of proofs and of what they extend",
            )
        if item.kind == "word" and item.text == "RECURSIVE":
            yield Finding(
                rule="tlaps-recursive",
                where=f"{module.path}:{line}",
                message="tlapm does not read RECURSIVE operators, so nothing in this module can be proved with it",
                todo="State it as a recursive function (`f[x \\in S] == ...`), or keep it out of what the proof extends",
                outcome="undecided",
            )


def _inner(module: Module) -> Iterator[Finding]:
    """A module inside another: SANY's export leaves out what stands in it, and no run is about it."""
    words = [item for item in lexemes(module.text) if item.kind in ("rule", "word")] if module.path is not None else []
    for before, item in itertools.pairwise(words[1:]):
        if before.kind == "rule" and item.text == "MODULE":
            yield Finding(
                rule="tlaps-unproved",
                where=f"{module.path}:{module.text.count(chr(10), 0, item.start) + 1}",
                message=f"In module {module.name}, another module stands inside: what it proves is checked by no run of its own",
                todo="Put it into a file of its own",
            )


def _readings(module: Module) -> Iterator[Finding]:
    """A file that SANY and tlapm would read differently: what is pinned is then not what is proved."""
    if module.path is None or module.span.module != module.name:
        return
    text = module.text
    opening, first = _HEADER.search(text), next(lexemes(text), None)
    line = text.count("\n", 0, opening.start()) + 1 if opening else 0
    start = offsets(text, module.span)[0]
    what = ""
    if opening is None or first is None or not opening.start() == first.start == start:
        what = "tlapm takes the first `---- MODULE` on one line for its beginning"
    elif re.search(r"\r(?!\n)", text):
        what = "a carriage return ends a comment for one of them"
    if what:
        yield Finding(
            rule="tlaps-readings",
            where=f"{module.path}:{line or 1}",
            message=f"SANY and tlapm read the file of module {module.name} differently: {what}",
            todo="Begin the file with `---- MODULE NAME ----` on one line, and use plain line ends",
        )


def _lost_modules(project: Project, spec: Spec, name: str, goal: Goal) -> Iterator[Finding]:
    reached = {module.name for module in own_modules(spec)}
    for wanted in goal.proof.modules:
        if Path(wanted).stem not in reached:
            yield Finding(
                rule="tlaps-floor",
                where=str(spec.root.path),
                message=f"The proof of goal {name} no longer reaches the module {wanted}, which was approved as part of it",
                todo="Extend it again, or have its removal from `proof.modules` approved",
            )


def _unproved(spec: Spec, span: Span, what: str) -> Finding:
    return _finding(
        "tlaps-unproved", spec, span, f"In module {span.module}, {what}", "Prove it, or take it out of the modules that the proof reaches"
    )  # fmt: skip


def _finding(rule: str, spec: Spec, span: Span, message: str, todo: str) -> Finding:
    module = spec.modules.get(span.module, spec.root)
    return Finding(rule=rule, where=f"{module.path}:{span.line}", message=message, todo=todo)
