"""What is asked of Apalache for one cell: modules, configuration and command lines, all made here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from vstack.errors import VstackError
from vstack.files import sha256_bytes
from vstack.project import PROJECT_FILE, Project
from vstack.sections import Apalache
from vstack.tla.cfg import Assignment, Cfg, format_cfg
from vstack.tla.places import offsets
from vstack.tla.tree import ACTION_LEVEL, Apply, Definition, Node, Spec, children
from vstack.validate.cells import Setting, cell_cfg
from vstack.validate.step_goals import step_goal
from vstack.validate.surgery import appended

CFG = "vstack.cfg"
NONE = "vs_none"


@dataclass(frozen=True)
class Question:
    """One run: its name, its options by name, and the answer that is wanted of it.

    ``says`` is what another answer means.
    """

    name: str
    options: dict[str, str]
    wanted: str
    says: str

    def argv(self, module: str) -> tuple[str, ...]:
        """The command line without the program: no option beyond those that say what to check."""
        return ("check", *(f"{name}={value}" for name, value in self.options.items()), f"{module}.tla")


@dataclass(frozen=True)
class Job:
    """All runs about one goal under one setting; ``files`` are the texts that lie in their folder."""

    module: str
    files: dict[str, str]
    questions: tuple[Question, ...]
    inductive: bool

    @property
    def inputs(self) -> dict[str, str]:
        """SHA-256 of each file by its name."""
        return {name: sha256_bytes(text.encode()) for name, text in self.files.items()}


def make_job(project: Project, spec: Spec, section: Apalache, goal: str, setting: Setting, *, inductive: bool) -> Job:
    """The runs that decide ``goal`` under ``setting``, by an inductive invariant or up to a length.

    Raises:
        VstackError: the goal's formula is none that Apalache checks.
    """
    formula, texts, flag = _property(project, spec, goal)
    root = spec.root
    if not root.variables:
        raise VstackError("The model has no variable, so that there is nothing to check", where=str(root.path))
    variable = root.variables[0].name
    texts[root.name] = appended(texts.get(root.name, root.text), f"{NONE} == {variable} # {variable}")
    files = {f"{name}.tla": module.text for name, module in spec.modules.items() if module.path is not None}
    files |= {f"{name}.tla": text for name, text in texts.items()}
    files[CFG] = format_cfg(_cfg(project, spec, section, setting), old_jar=True)[0]
    entry = section.goals[goal]
    length = entry.length or section.length
    asks = _Asks(project, section)
    first = asks.make(
        "init", project.model.init, NONE, 0, "violated", "no initial state is possible: nothing was searched"
    )
    if not inductive:
        last = asks.make("search", project.model.init, formula, length, "clean", "the goal is violated", flag=flag)
        return Job(root.name, files, (first, last), inductive=False)
    known = str(entry.invariant)
    steps = 1 if _is_step(project, goal) else 0
    return Job(
        root.name,
        files,
        (
            first,
            asks.make("base", project.model.init, known, 0, "clean", f"an initial state does not meet {known}"),
            asks.make("some", known, NONE, 0, "violated", f"no state meets {known}"),
            asks.make("step", known, known, 1, "clean", f"a step leads out of {known}"),
            asks.make("goal", known, formula, steps, "clean", f"{known} does not imply the goal"),
        ),
        inductive=True,
    )


@dataclass(frozen=True)
class _Asks:
    project: Project
    section: Apalache

    def make(
        self, name: str, init: str, formula: str, length: int, wanted: str, says: str, *, flag: str = "--inv"
    ) -> Question:
        options = {"--config": CFG, "--init": init, "--next": self.project.model.next, flag: formula}
        if self.section.cinit:
            options["--cinit"] = self.section.cinit
        options |= {"--length": str(length), "--run-dir": "run"}
        return Question(name, options, wanted, says)


def _is_step(project: Project, goal: str) -> bool:
    return project.file.goals[goal].kind == "action"


def _property(project: Project, spec: Spec, goal: str) -> tuple[str, dict[str, str], str]:
    """The operator to check, the modules changed for it, and the option that takes it."""
    declared = project.file.goals[goal]
    formula = str(declared.formula)
    if declared.kind == "invariant":
        return formula, {}, "--inv"
    if declared.kind == "temporal":
        return formula, {}, "--temporal"
    step = step_goal(spec, formula)
    if step is None:
        raise VstackError(
            f"Apalache can't check the goal {goal}: it is not made of `[][A]_v`",
            where=str(project.root / PROJECT_FILE),
            todo="Strike it from `apalache.goals`",
        )
    module = spec.modules[step.definition.module]
    start, end = offsets(module.text, step.definition.span)
    return step.operator, {module.name: module.text[:start] + step.text + module.text[end:]}, "--inv"


def _cfg(project: Project, spec: Spec, section: Apalache, setting: Setting) -> Cfg:
    """The setting's constants alone, without those that ``cinit`` chooses: what narrows TLC's search is not Apalache's."""
    cfg = cell_cfg(project, setting, [])
    free = _constants(spec, spec.definition(section.cinit)) if section.cinit else frozenset[str]()
    kept = tuple(item for item in cfg.constants if not (isinstance(item, Assignment) and item.name in free))
    return replace(Cfg(), constants=kept)


def _constants(spec: Spec, definition: Definition) -> frozenset[str]:
    """The constants that a definition speaks of, through what it uses."""
    found: set[str] = set()
    seen: set[int] = set()

    def visit(node: Node) -> None:
        if isinstance(node, Apply):
            if node.operator.kind == "constant":
                found.add(node.operator.name)
            symbol = spec.symbols.get(node.operator.uid)
            if isinstance(symbol, Definition) and symbol.uid not in seen and symbol.body is not None:
                seen.add(symbol.uid)
                visit(symbol.body)
        for child in children(node):
            visit(child)

    if definition.body is not None:
        visit(definition.body)
    return frozenset(found)


def check_section(project: Project, spec: Spec) -> None:
    """Whether what `apalache` names in vstack.yaml is defined and can be what it is named for.

    Raises:
        VstackError: it is not.
    """
    section = project.file.apalache
    assert section is not None
    where = str(project.root / PROJECT_FILE)
    for name in _named(section):
        definition = spec.definition(name)
        if definition.params or definition.level >= ACTION_LEVEL:
            raise VstackError(f"apalache: {name} is no predicate over one state", where=where, todo="Name one that is")


def _named(section: Apalache) -> Iterator[str]:
    if section.cinit:
        yield section.cinit
    for entry in section.goals.values():
        if entry.invariant:
            yield entry.invariant
