"""Rule: a refinement maps the model onto an abstract specification that moves. One that stands still says nothing.

A goal `Abstract!Spec`, with `Abstract == INSTANCE M WITH v <- e`, holds of any
model whatever where each `e` is a constant. So each mapped expression must
change, and each abstract action be taken, in some run in which the goal holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from vstack.errors import VstackError
from vstack.files import sha256_bytes
from vstack.keep.evidence import EvidenceStore, evidence_key, machine, now
from vstack.project import PROJECT_FILE, Project
from vstack.results import Evidence, Finding
from vstack.tla.actions import Action, split_next
from vstack.tla.behaviour import behaviour
from vstack.tla.places import text_of
from vstack.tla.sany import load
from vstack.tla.tree import (
    CONSTANT_LEVEL,
    TEMPORAL_LEVEL,
    Apply,
    Definition,
    Node,
    Spec,
    Substituted,
    Substitution,
    children,
)
from vstack.tlc.run import run_tlc
from vstack.tools.find import Tools
from vstack.validate.cells import Setting, cell_job, describe, module_inputs
from vstack.validate.surgery import appended
from vstack.verdicts import Verdict

_TODO = "Map each abstract variable to an expression that follows the model's state"


@dataclass(frozen=True)
class Refinement:
    """The goal ``goal`` says ``prefix!formula`` of the abstract module ``instantiated``, in ``module``.

    ``variables`` are the abstract variables and what stands for each; ``prefix``
    holds the arguments of an instance that takes any.
    """

    goal: str
    prefix: str
    formula: str
    module: str
    instantiated: str
    variables: tuple[Substitution, ...]


@dataclass(frozen=True)
class _Question:
    """A step that must happen somewhere: its negation is the property ``name``; ``texts`` are the modules it needs."""

    name: str
    what: str
    texts: dict[str, str]


def refinements(project: Project, spec: Spec) -> tuple[Refinement, ...]:
    """The instances of specifications that the project's temporal goals speak of."""
    found = []
    for name, goal in project.file.goals.items():
        if goal.kind in ("temporal", "action"):
            own = spec.definition(str(goal.formula))
            if isinstance(own.body, Substituted):
                found.append(_refinement(spec, name, own, own.module, own.body, ()))
            for call, definition, module in _instantiated(spec, own, set()):
                if isinstance(definition.body, Substituted):
                    found.append(_refinement(spec, name, definition, module, definition.body, call.operands))
    return tuple(each for each in found if each.variables)


def _refinement(
    spec: Spec, goal: str, definition: Definition, module: str, body: Substituted, operands: Sequence[Node]
) -> Refinement:
    given = dict(zip((parameter.name for parameter in definition.params), operands, strict=False))
    instance, _, formula = definition.name.rpartition("!")
    texts = [" ".join(spec.text(operand.span).split()) for operand in operands if hasattr(operand, "span")]
    variables = tuple(
        replace(each, value=given.get(each.value.operator.name, each.value))
        if isinstance(each.value, Apply) and each.value.operator.kind == "parameter"
        else each
        for each in body.substitutions
        if each.declared.kind == "variable"
    )
    prefix = f"{instance}({', '.join(texts)})" if texts else instance
    return Refinement(goal, prefix, formula, module, body.instantiated, variables)


def _instantiated(spec: Spec, definition: Definition, seen: set[int]) -> Iterator[tuple[Apply, Definition, str]]:
    """Calls of an instance's temporal definitions that ``definition`` reaches, each with the module that makes it."""
    if definition.uid in seen or definition.body is None or isinstance(definition.body, Substituted):
        return
    seen.add(definition.uid)
    for node in _below(definition.body):
        symbol = spec.symbols.get(node.operator.uid) if isinstance(node, Apply) else None
        if not isinstance(node, Apply) or not isinstance(symbol, Definition):
            continue
        if isinstance(symbol.body, Substituted) and symbol.level == TEMPORAL_LEVEL:
            yield node, symbol, definition.module
        else:
            yield from _instantiated(spec, symbol, seen)


def _below(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from _below(child)


def constant_mappings(project: Project, spec: Spec) -> tuple[Finding, ...]:
    """Refinements that map an abstract variable to an expression without variables: no run is needed to see it."""
    return tuple(
        Finding(
            rule="refinement-constant",
            where=_where(project, spec, each),
            message=f"The goal {each.goal} refines {each.instantiated} with {one.declared.name} <- {_text(spec, one)}, a constant",
            todo=_TODO,
        )
        for each in refinements(project, spec)
        for one in each.variables
        if getattr(one.value, "level", CONSTANT_LEVEL) == CONSTANT_LEVEL
    )


def frozen_mappings(
    project: Project, spec: Spec, tools: Tools, store: EvidenceStore, on_event: Callable[[str], None]
) -> tuple[Finding, ...]:
    """Mapped variables that never change, and abstract actions that no step takes, in the runs where the goal holds.

    The goal's ``excuse`` lets it pass: an abstract specification may do more than the model is asked for.
    """
    found = []
    for each in refinements(project, spec):
        if project.file.goals[each.goal].excuse:
            continue
        on_event(f"does {each.goal} map onto a specification that moves?")
        settings = _settings(project, each.goal)
        for question in _questions(project, spec, tools, each):
            verdicts = [Verdict(_ask(project, spec, tools, store, each, question, one).verdict) for one in settings]
            if Verdict.VIOLATED in verdicts:
                continue
            decided = all(verdict is Verdict.HOLDS for verdict in verdicts)
            message = (
                f"The goal {each.goal} refines {each.instantiated} by a mapping that stands still: {question.what}"
            )
            if not decided:
                message = f"Whether the mapping of the goal {each.goal} moves was not decided: {question.what}, as far as TLC got"
            found.append(
                Finding(
                    rule="refinement-frozen",
                    where=_where(project, spec, each),
                    message=message,
                    todo=_TODO,
                    outcome="refused" if decided else "undecided",
                )
            )
    return tuple(found)


def _questions(project: Project, spec: Spec, tools: Tools, each: Refinement) -> Iterator[_Question]:
    source = spec.modules[each.module].text
    for number, one in enumerate(each.variables, 1):
        name = f"vs_frozen_{number}"
        mapped = f"vs_mapped_{number} ==\n{_in_place(spec, one)}\n{name} == [][FALSE]_vs_mapped_{number}"
        what = f"{_text(spec, one)}, which stands for {one.declared.name}, never changes"
        yield _Question(name, what, {each.module: appended(source, mapped)})
    abstract = spec.modules[each.instantiated]
    # TLC can't follow a step through an instance that takes arguments; the mapped variables were asked of above.
    if abstract.path is None or not each.prefix or "(" in each.prefix:
        return
    own = load(abstract.path, search=project.module_folders, java=tools.java, jar=tools.jar)
    parts = behaviour(own, each.formula)
    if parts.next_name is None:
        return
    variables = ", ".join(item.name for item in own.root.variables)
    for number, action in enumerate(split_next(own, parts.next_name), 1):
        name = f"vs_taken_{number}"
        step = f"{name} == [][~({_step(own, action)})]_<<{variables}>>"
        texts = {
            abstract.name: appended(abstract.text, step),
            each.module: appended(source, f"{name} == {each.prefix}!{name}"),
        }
        yield _Question(name, f"no step of the model is the abstract action {action.name}", texts)


def _step(own: Spec, action: Action) -> str:
    """The action as an expression on one line, its parameters bound."""
    if action.definition is None:
        call = " ".join(text_of(own.root.text, action.span).split())
    else:
        call = action.definition.name + (f"({', '.join(action.arguments)})" if action.arguments else "")
    used = [bound for bound in action.params if bound.domain_text and (action.definition is None or bound.name in call)]
    return "".join(f"\\E {bound.name} \\in {bound.domain_text} : " for bound in used) + call


def _ask(
    project: Project,
    spec: Spec,
    tools: Tools,
    store: EvidenceStore,
    each: Refinement,
    question: _Question,
    setting: Setting,
) -> Evidence:
    """Whether the step never happens; a violation is the run that shows it."""
    job = cell_job(project, setting, [])
    job = replace(
        job,
        cfg=replace(job.cfg, properties=(question.name,)),
        check_deadlock=False,
        coverage=False,
        extra_files={f"{name}.tla": text for name, text in question.texts.items()},
    )
    subject = {**describe(setting), "goal": each.goal, "question": question.what}
    inputs = module_inputs(project) | {
        f"{name} (extended)": sha256_bytes(t.encode()) for name, t in question.texts.items()
    }
    key = evidence_key(
        {"engine": "tlc", "jar": tools.jar_sha256, "subject": subject, "inputs": inputs, "cfg": repr(job.cfg)}
    )
    known = store.get(key)
    if known is not None:
        return known
    result = run_tlc(job, tools)
    record = Evidence(
        key=key,
        engine="tlc",
        subject=subject,
        inputs=inputs,
        tool=f"TLC {tools.tlc_version}, Java {tools.java_version}",
        tool_sha256=tools.jar_sha256,
        command=list(result.command),
        verdict=result.verdict,
        reason=result.reason,
        machine=machine(),
        started=now(),
    )
    if record.verdict in (Verdict.HOLDS, Verdict.VIOLATED):
        store.put(record)
    return record


def _settings(project: Project, goal: str) -> Sequence[Setting]:
    """Where the goal is to hold, the variant with the most freedom last in the matrix first."""
    stated = [
        Setting(variant, environment)
        for variant, row in project.file.matrix.items()
        for environment, cells in row.items()
        if cells.get(goal) == "holds"
    ]
    return stated[::-1] or [Setting(None, None)]


def _where(project: Project, spec: Spec, each: Refinement) -> str:
    path = spec.modules[each.module].path
    line = spec.definition(str(project.file.goals[each.goal].formula)).span.line
    return str(project.root / PROJECT_FILE) if path is None else f"{path}:{line}"


def _text(spec: Spec, one: Substitution) -> str:
    return " ".join(_in_place(spec, one).split())


def _in_place(spec: Spec, one: Substitution) -> str:
    """What is substituted, its columns kept: bulleted lists hang on them. Without WITH it is a variable of that name."""
    value = one.value
    if isinstance(value, Apply) and value.operator.kind == "variable":
        return f" {value.operator.name}"
    span = getattr(value, "span", None)
    if span is None:
        raise VstackError(f"The mapping of {one.declared.name} has no place in a module")
    text = spec.text(span)
    return " " * (span.column - 1) + text
