"""What one theorem goal asks of tlapm: texts, modules, command lines, and the control of its theorem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vstack.errors import RefusedError, VstackError
from vstack.files import sha256_bytes
from vstack.project import Project
from vstack.sections import Goal
from vstack.tla.tree import Spec, Theorem
from vstack.verify.tlaps_control import Control, control_of
from vstack.verify.tlaps_rules import check_proof
from vstack.verify.tlaps_run import ModuleRun, arguments, run_module
from vstack.verify.tlaps_spec import own_modules, proof_sources, read_proof, theorem_of
from vstack.verify.tlaps_tool import Tlapm

CONTROL = "control"


@dataclass(frozen=True)
class Task:
    """All that one goal asks of tlapm: texts by module, the modules to run, and the control of its theorem."""

    name: str
    goal: Goal
    spec: Spec
    theorem: Theorem
    texts: Mapping[str, str]
    control: Control
    modules: tuple[str, ...]

    @property
    def inputs(self) -> dict[str, str]:
        """SHA-256 of each module's text, by file name."""
        return {f"{name}.tla": sha256_bytes(text.encode()) for name, text in sorted(self.texts.items())}

    def argv(self, run: str) -> tuple[str, ...]:
        """The arguments of the run named ``run``: a module, or the control."""
        if run == CONTROL:
            return arguments(self.spec.root.name, self.goal.proof.stretch, self.control.lines)
        return arguments(run, self.goal.proof.stretch)

    def inputs_of(self, run: str) -> dict[str, str]:
        """SHA-256 of all that the run named ``run`` is over."""
        control = {CONTROL: sha256_bytes(self.control.text.encode())} if run == CONTROL else {}
        return {**self.inputs, **control}

    def sources(self, run: str) -> dict[str, str]:
        """The texts that the run is over."""
        return {**self.texts, self.spec.root.name: self.control.text} if run == CONTROL else dict(self.texts)


def read_task(project: Project, name: str) -> Task:
    """What goal ``name`` asks of tlapm.

    Raises:
        RefusedError: a rule refuses the proof's modules, gaps and admitted lemmas among them.
        VstackError: a module or a tool is missing, or a module doesn't parse.
    """
    goal = project.file.goals[name]
    spec = read_proof(project, name)
    theorem = theorem_of(spec, name, goal)
    for finding in check_proof(project, name, goal):
        kind = RefusedError if finding.outcome == "refused" else VstackError
        raise kind(f"[{finding.rule}] {finding.message}", where=finding.where, todo=finding.todo)
    texts = {source.name: source.text for source in proof_sources(project, name).values()}
    modules = tuple(module.name for module in own_modules(spec) if module.name in texts)
    return Task(name, goal, spec, theorem, texts, control_of(spec, theorem), modules)


def run_all(task: Task, tlapm: Tlapm, on_event: Callable[[str], None]) -> dict[str, ModuleRun]:
    """Every module's run and the control's, by name."""
    runs = {}
    for run in (*task.modules, CONTROL):
        on_event(f"tlapm on {run if run != CONTROL else 'the control of ' + task.name}")
        runs[run] = run_module(
            tlapm, f"{task.spec.root.name if run == CONTROL else run}", task.sources(run), task.argv(run),
            seconds=task.goal.proof.seconds,
        )  # fmt: skip
    return runs
