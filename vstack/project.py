"""`vstack.yaml`: what a project verifies, read into typed, frozen models."""

from __future__ import annotations

import difflib
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator

from vstack.errors import VstackError
from vstack.files import read_text
from vstack.sections import (
    Apalache,
    Atomicity,
    Budget,
    Distributed,
    Environment,
    Floors,
    Goal,
    Guard,
    Kill,
    Model,
    Mutation,
    Name,
    Omission,
    Proof,
    Repo,
    Reproduce,
    ScopeEntry,
    Section,
    ToolPaths,
    TraceMapping,
    Variant,
    Waiver,
)
from vstack.strict_yaml import parse_yaml

PROJECT_FILE = "vstack.yaml"
LOCK_FILE = "vstack.lock"
STATE_FOLDER = ".vstack"

class ProjectFile(Section):
    """The whole of `vstack.yaml`."""

    version: Literal[1]
    project: Name
    title: str = ""
    repos: dict[str, Repo] = {}
    modules: list[str] = ["."]
    model: Model | None = None
    goals: dict[str, Goal]
    environments: dict[str, Environment] = {}
    environment_actions: list[str] = []
    guards: dict[str, Guard] = {}
    variants: dict[str, Variant] = {}
    matrix: dict[str, dict[str, dict[str, Literal["holds", "violated"]]]] = {}
    kills: list[Kill] = []
    waivers: list[Waiver] = []
    scope: list[ScopeEntry] = []
    omissions: list[Omission] = []
    floors: Floors = Floors()
    budget: Budget = Budget()
    mutation: Mutation | None = None
    atomicity: Atomicity = Atomicity()
    traces: dict[str, TraceMapping] = {}
    reproduce: Reproduce | None = None
    distributed: Distributed | None = None
    apalache: Apalache | None = None
    tools: ToolPaths = ToolPaths()
    policy: dict[str, Any] = Field(default={}, description="approval policy; see docs/specify.md")

    @model_validator(mode="after")
    def names_exist(self) -> ProjectFile:
        """Every name that one section uses must be declared in another."""
        if not self.goals:
            raise ValueError("goals: a project needs at least one goal")
        for goal_name, goal in self.goals.items():
            needed = goal.script if goal.kind == "z3" else goal.formula
            if not needed:
                key = "script" if goal.kind == "z3" else "formula"
                raise ValueError(f"goals.{goal_name}: a goal of kind {goal.kind} needs `{key}`")
            if goal.kind == "theorem" and not goal.module:
                raise ValueError(f"goals.{goal_name}: a theorem needs `module`, the file of its proof")
            if goal.kind != "theorem" and goal.proof != Proof():
                raise ValueError(f"goals.{goal_name}.proof: only a goal of kind theorem has a proof")
            if goal.is_searched and self.model is None:
                raise ValueError(f"goals.{goal_name}: a goal of kind {goal.kind} needs the section `model`")
        for variant_name, variant in self.variants.items():
            for guard in variant.guards:
                _declared(guard, self.guards, f"variants.{variant_name}.guards")
        for variant_name, row in self.matrix.items():
            _declared(variant_name, self.variants, "matrix")
            for environment, cells in row.items():
                _declared(environment, self.environments, f"matrix.{variant_name}")
                for goal_name in cells:
                    where = f"matrix.{variant_name}.{environment}"
                    _declared(goal_name, self.goals, where)
                    if self.goals[goal_name].kind == "theorem":
                        raise ValueError(f"{where}: {goal_name} is a theorem, which no run of TLC decides")
        for variant_name, counts in self.floors.states.items():
            _declared(variant_name, self.variants, "floors.states")
            for environment in counts:
                _declared(environment, self.environments, f"floors.states.{variant_name}")
        for number, kill in enumerate(self.kills):
            where = f"kills[{number}]"
            _declared(kill.guard, self.guards, where)
            _declared(kill.variant, self.variants, where)
            _declared(kill.environment, self.environments, where)
            for goal_name in kill.violates:
                _declared(goal_name, self.goals, where)
            if kill.guard not in self.variants[kill.variant].guards:
                raise ValueError(f"{where}: variant {kill.variant} does not have guard {kill.guard}")
            if not kill.violates and not kill.excuse and not self.guards[kill.guard].excuse:
                raise ValueError(f"{where}: a guard that no goal needs must have an `excuse`")
        for name, environment_section in self.environments.items():
            for fault in environment_section.fair:
                _declared(fault, dict.fromkeys(self.environment_actions), f"environments.{name}.fair")
        for goal_name, goal in self.goals.items():
            if goal.witnesses and not goal.is_searched:
                raise ValueError(f"goals.{goal_name}: a goal that is decided by proof has no `witnesses`")
        waived = set()
        for number, waiver in enumerate(self.waivers):
            cell = (waiver.variant, waiver.environment, waiver.goal)
            stated = self.matrix.get(waiver.variant, {}).get(waiver.environment, {}).get(waiver.goal)
            if stated != "holds" or cell in waived:
                why = "has a waiver already" if cell in waived else "is not stated as `holds` in the matrix"
                raise ValueError(f"waivers[{number}]: the cell {'/'.join(cell)} {why}")
            if not self.goals[waiver.goal].is_searched:
                raise ValueError(f"waivers[{number}]: {waiver.goal} is decided by proof, which has no counterexample to waive")
            if (self.goals[waiver.goal].kind != "temporal") != bool(waiver.steps):
                needs = "has no `steps`" if waiver.steps else "needs `steps`, the actions of its shortest counterexample"
                raise ValueError(f"waivers[{number}]: a goal of kind {self.goals[waiver.goal].kind} {needs}")
            waived.add(cell)
        if self.mutation:
            _declared(self.mutation.variant, self.variants, "mutation.variant")
            for environment in self.mutation.environments:
                _declared(environment, self.environments, "mutation.environments")
        for goal_name, entry in self.apalache.goals.items() if self.apalache else ():
            where = f"apalache.goals.{goal_name}"
            _declared(goal_name, self.goals, where)
            if self.goals[goal_name].kind not in ("invariant", "action", "temporal"):
                raise ValueError(f"{where}: Apalache checks no goal of kind {self.goals[goal_name].kind}")
            if (entry.mode == "inductive") != (entry.invariant is not None):
                raise ValueError(f"{where}: an inductive check, and only that, needs `invariant`")
            if entry.mode == "inductive" and self.goals[goal_name].kind == "temporal":
                raise ValueError(f"{where}: a temporal goal can't be checked by an inductive invariant")
        for trace_name, mapping in self.traces.items():
            _declared(mapping.variant, self.variants, f"traces.{trace_name}.variant")
            _declared(mapping.environment, self.environments, f"traces.{trace_name}.environment")
        if self.reproduce:
            _declared(self.reproduce.repo, self.repos, "reproduce.repo")
            for number, driven in enumerate([*self.reproduce.cells, *self.reproduce.not_driven]):
                where = f"reproduce cell {number}"
                _declared(driven.variant, self.variants, where)
                if driven.environment is not None:
                    _declared(driven.environment, self.environments, where)
                if driven.goal is not None:
                    _declared(driven.goal, self.goals, where)
            for schedule in (cell.schedule for cell in self.reproduce.cells if cell.schedule):
                _declared(schedule, self.variants, "reproduce.cells.schedule")
            for trace_name, recording in self.reproduce.traces.items():
                _declared(trace_name, self.traces, "reproduce.traces")
                if recording.goal:
                    _declared(recording.goal, self.goals, f"reproduce.traces.{trace_name}.goal")
                if recording.schedule:
                    _declared(recording.schedule, self.variants, f"reproduce.traces.{trace_name}.schedule")
            for variant_name in self.reproduce.variants:
                _declared(variant_name, self.variants, "reproduce.variants")
        return self


class Project:
    """A project folder with its `vstack.yaml`."""

    def __init__(self, root: Path, file: ProjectFile) -> None:
        self.root = root
        self.file = file
        # SHA-256 of the modules as SANY read them, by absolute path, once it has: runs are held to them.
        self.digests: dict[str, str] = {}

    @cached_property
    def module_folders(self) -> tuple[Path, ...]:
        """The folders that modules are searched in."""
        return tuple(self.root / folder for folder in self.file.modules)

    @property
    def model(self) -> Model:
        """The model section.

        Raises:
            VstackError: the project has none.
        """
        if self.file.model is None:
            raise VstackError(
                "The project has no `model` section", where=str(self.root / PROJECT_FILE), todo="Add one, or run `vstack init`"
            )
        return self.file.model

    @property
    def model_path(self) -> Path:
        """The file of the model's root module."""
        return self.root / self.model.module

    def outside_files(self) -> list[Path]:
        """Files that the project names and that may lie anywhere: modules, tools, logs, scripts, recorded runs."""
        tools, goals = self.file.tools, self.file.goals.values()
        names = [tools.tlc_jar, tools.java, tools.tlapm, tools.apalache]
        names += [trace.log for trace in self.file.traces.values()]
        names += [name for goal in goals for name in (goal.script, goal.module, goal.proof.transcript)]
        names += [self.file.apalache.transcript] if self.file.apalache else []
        named = [self.root / name for name in names if name]
        return [*named, *(path for folder in self.module_folders for path in sorted(folder.glob("*.tla")))]

    def waiver(self, variant: str | None, environment: str | None, goal: str) -> Waiver | None:
        """The waiver of one cell, if there is one; whether it counts is another question."""
        cell = (variant, environment, goal)
        return next((one for one in self.file.waivers if (one.variant, one.environment, one.goal) == cell), None)

    @property
    def lock_path(self) -> Path:
        """The approved lock."""
        return self.root / LOCK_FILE

    @property
    def state(self) -> Path:
        """Where evidence, caches and detached runs live."""
        return self.root / STATE_FOLDER


def _declared(name: str, known: dict[str, Any], where: str) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"{where}: `{name}` is not declared{hint}")


def load_project(folder: Path) -> Project:
    """The project in ``folder`` (or, given the file itself, in its folder).

    Raises:
        VstackError: no `vstack.yaml`, not YAML, an unknown key (with the nearest
            known one), a value of the wrong kind, or a name that is not declared.
    """
    path = folder if folder.name == PROJECT_FILE else folder / PROJECT_FILE
    if not path.exists():
        raise VstackError(
            "No vstack.yaml here", where=str(path), todo="Run `vstack init` in the project's folder, or name the folder"
        )
    text = read_text(path)
    data = parse_yaml(text, path, what="vstack.yaml is not valid YAML")
    if not isinstance(data, dict):
        raise VstackError("vstack.yaml must be a mapping", where=str(path), todo="Run `vstack init` for an example")
    try:
        file = ProjectFile.model_validate(data)
    except ValidationError as error:
        raise _explain(error, path, text) from None
    return Project(path.parent.resolve(), file)


def _explain(error: ValidationError, path: Path, text: str) -> VstackError:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    line = _line_of(first["loc"], text)
    where = f"{path}:{line}" if line else str(path)
    if first["type"] == "extra_forbidden":
        near = _nearest_key(first["loc"])
        hint = f"The nearest known key is `{near}`" if near else "Remove it"
        return VstackError(f"Unknown key `{place}` in vstack.yaml", where=where, todo=hint)
    message = first["msg"].removeprefix("Value error, ")
    return VstackError(f"vstack.yaml: {place + ': ' if place else ''}{message}", where=where, todo="Mend that entry")


def _nearest_key(location: tuple[int | str, ...]) -> str | None:
    model: type[BaseModel] | None = ProjectFile
    for part in location[:-1]:
        field = model.model_fields.get(str(part)) if model else None
        if field is not None:
            model = _section_in(field.annotation)
    if model is None:
        return None
    return next(iter(difflib.get_close_matches(str(location[-1]), model.model_fields, n=1, cutoff=0.5)), None)


def _section_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _section_in(argument)
        if found:
            return found
    return None


def _line_of(location: tuple[int | str, ...], text: str) -> int | None:
    """Line (from 1) of the entry at ``location``, as far down as it exists."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = None
    for part in location:
        if isinstance(node, yaml.MappingNode):
            pair = next(((k, v) for k, v in node.value if k.value == str(part)), None)
            if pair is None:
                return line
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line
