"""Rule: no formula of a run depends on how or when TLC evaluates it, or acts on TLC (random draws, TLCGet, Print)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.tla.places import Span
from vstack.tla.tree import Definition, Node, Spec, Substituted, children, references
from vstack.validate.cells import Setting, cell_cfg


@dataclass(frozen=True, slots=True)
class _Reason:
    why: str
    todo: str


_RANDOM = _Reason(
    "TLC draws at random instead of trying every value, so steps that the model allows go unexplored",
    "Model the choice with \\E over the whole set",
)
_SEARCH = _Reason(
    "its value is about TLC's search, not about the state, so a bug can be hidden from the search",
    "Keep what the formula depends on in a variable of the model",
)
_WRITES = _Reason(
    "it writes into TLC, can end its search, and what it leaves depends on the order of evaluation",
    "Keep the value in a variable of the model, and bound the model with constants or a constraint",
)
_STOPS = _Reason(
    "TLC stops with an error where it is false, which is no counterexample to a goal",
    "State the condition as a goal",
)
_PRINTS = _Reason(
    "it prints among the lines that verdicts are read from, each time TLC happens to evaluate it",
    "Remove it: a counterexample shows the variables",
)
_CLOCK = _Reason("its value is the machine's clock", "Model time with a variable and an action that moves it on")
_ANY = _Reason("TLC takes every value for an element of it, so a test against it says nothing", "List the values")
_OUTSIDE = _Reason(
    "it reads, writes or runs what is outside the model, so the same model can give another result",
    "Make it a constant that vstack.yaml sets",
)

_OPERATORS = {
    "RandomElement": _RANDOM,
    "TLCGet": _SEARCH,
    "TLCSet": _WRITES,
    "Assert": _STOPS,
    "Print": _PRINTS,
    "PrintT": _PRINTS,
    "JavaTime": _CLOCK,
    "Any": _ANY,
}

# Every operator of these. A copy of one among the project's own modules counts too: a jar may have the Java for it.
_MODULES = {
    "Randomization": _RANDOM,
    "TLCExt": _SEARCH,
    "Toolbox": _SEARCH,
    "IOUtils": _OUTSIDE,
    "Json": _OUTSIDE,
    "CSV": _OUTSIDE,
}


def check_side_effects(project: Project, spec: Spec) -> tuple[Finding, ...]:
    """What stands against the rule, each use once.

    Looked through: all that the configuration of a run names (Spec, the goals,
    constraints, view, symmetry, operators that replace others), Init and Next, and the
    ASSUMEs of the project's modules, with every definition that these reach.
    The bodies of standard modules are not looked through.

    Raises:
        VstackError: the project's base configuration can't be read or parsed.
    """
    goals = [name for name, goal in project.file.goals.items() if goal.is_searched]
    named = cell_cfg(project, Setting(None, None), goals).names()
    walk = _Walk(project, spec)
    found: list[Finding] = []
    for name in dict.fromkeys((project.model.init, project.model.next, *named)):
        if spec.has(name):
            found += walk.root(spec.definition(name))
    for module in spec.modules.values():
        if not module.is_standard:
            for assumption in module.assumptions:
                found += walk.under(assumption.body, assumption.name or "An ASSUME", None)
    return tuple(dict.fromkeys(found))


class _Walk:
    """Follows definitions, each once; ``reported`` are the uses told, for instances repeat the text they copy."""

    def __init__(self, project: Project, spec: Spec) -> None:
        self.project, self.spec = project, spec
        self.seen: set[int] = set()
        self.reported: set[tuple[Span, str]] = set()

    def root(self, definition: Definition) -> Iterator[Finding]:
        """Uses in what the configuration names; it may name such an operator itself."""
        refused = _refused(definition)
        if refused is not None:
            operator, reason = refused
            yield _finding(self._configured(definition.name), f"The configuration names {operator}", reason)
        elif definition.uid not in self.seen and definition.body is not None:
            self.seen.add(definition.uid)
            yield from self.under(definition.body, definition.name, None)

    def under(self, top: Node, root: str, holder: str | None) -> Iterator[Finding]:
        """Uses under ``top`` and in all that it reaches; ``root`` and ``holder`` (the definition within) are told."""
        pending: list[tuple[Node, str | None]] = [(top, holder)]
        while pending:
            node, holder = pending.pop()
            below: list[tuple[Node, str | None]] = [(child, holder) for child in children(node)]
            for reference in references(node):
                definition = self.spec.symbols.get(reference.uid)
                if not isinstance(definition, Definition):
                    continue
                refused = _refused(definition)
                if refused is not None:
                    yield from self._use(node.span, root, holder, *refused)
                elif definition.uid not in self.seen and self.spec.standard_name(definition) is None:
                    self.seen.add(definition.uid)
                    if definition.body is not None:
                        below.append((definition.body, definition.name))
            pending.extend(reversed(below))

    def _use(self, span: Span, root: str, holder: str | None, operator: str, reason: _Reason) -> Iterator[Finding]:
        module = self.spec.modules.get(span.module)
        if (span, operator) in self.reported or (module is not None and module.is_standard):
            return
        self.reported.add((span, operator))
        path = module.path if module is not None and module.path else span.module
        inside = f", in {holder}," if holder is not None else ""
        yield _finding(f"{path}:{span.line}", f"{root}{inside} uses {operator}", reason)

    def _configured(self, name: str) -> str:
        """Where `vstack.yaml`, or the configuration that it names, first has ``name``."""
        first = self.project.root / PROJECT_FILE
        paths = [first, self.project.root / self.project.model.config] if self.project.model.config else [first]
        for path in paths:
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                if re.search(rf"(?<![\w!]){re.escape(name)}(?![\w!])", line):
                    return f"{path}:{number}"
        return str(first)


def _refused(definition: Definition) -> tuple[str, _Reason] | None:
    """The operator and why it is refused; also through an INSTANCE of an instance, whose body is the original's."""
    body = definition.body
    while isinstance(body, Substituted):
        body = body.body
    name = definition.name.rsplit("!", 1)[-1]
    for module in (definition.module, body.span.module if body is not None else ""):
        reason = _MODULES.get(module) or (_OPERATORS.get(name) if module == "TLC" else None)
        if reason is not None:
            return f"{name} of module {module}", reason
    return None


def _finding(where: str, text: str, reason: _Reason) -> Finding:
    return Finding(rule="side-effect", where=where, message=f"{text}: {reason.why}", todo=reason.todo)
