"""One cell: the configuration, job and hash of inputs of variant x environment x goals, guards removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import read_text, sha256_bytes
from vstack.project import Project
from vstack.tla.cfg import Assignment, Cfg, Override, parse_cfg
from vstack.tla.sources import gather
from vstack.tlc.job import Budget, TlcJob


@dataclass(frozen=True)
class Setting:
    """What a run fixes: the variant, the environment, guards taken away, constants changed."""

    variant: str | None
    environment: str | None
    removed: tuple[str, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()


def constants_of(project: Project, setting: Setting) -> dict[str, str]:
    """All constants of a run as TLA+ text; later layers win: model, environment, variant, guards, extra."""
    file = project.file
    constants = dict(project.model.constants)
    if setting.environment is not None:
        constants |= file.environments[setting.environment].constants
    variant = file.variants[setting.variant] if setting.variant is not None else None
    if variant is not None:
        constants |= variant.constants
        present = set(variant.guards) - set(setting.removed)
        constants |= {guard.constant: "TRUE" if name in present else "FALSE" for name, guard in file.guards.items()}
    return constants | dict(setting.constants)


def cell_cfg(project: Project, setting: Setting, goals: Iterable[str]) -> Cfg:
    """The configuration of one run; the only place where one is made.

    Raises:
        VstackError: the project's base configuration can't be read or parsed.
    """
    model = project.model
    base = Cfg()
    if model.config is not None:
        path = project.root / model.config
        base = parse_cfg(read_text(path), where=str(path))
    assigned = {**base.assignments, **constants_of(project, setting)}
    overridden = {**base.overrides, **model.overrides}
    kinds = {name: project.file.goals[name] for name in goals}
    return replace(
        base,
        specification=model.spec,
        init=None,
        next=None,
        constants=(
            *(Assignment(name, value) for name, value in assigned.items() if name not in overridden),
            *(Override(name, operator) for name, operator in overridden.items()),
        ),
        invariants=tuple(g.formula for g in kinds.values() if g.kind == "invariant"),
        properties=tuple(g.formula for g in kinds.values() if g.kind in ("action", "temporal")),
        constraints=tuple(model.constraints),
        action_constraints=tuple(model.action_constraints),
        symmetry=model.symmetry,
        view=model.view,
        check_deadlock=model.check_deadlock,
    )


def cell_job(project: Project, setting: Setting, goals: Iterable[str], *, workers: int = 1) -> TlcJob:
    """The TLC job of one run over ``goals`` (names in `vstack.yaml`)."""
    budget = project.file.budget
    return TlcJob(
        module=project.model_path,
        search=project.module_folders,
        cfg=cell_cfg(project, setting, goals),
        workers=workers,
        check_deadlock=project.model.check_deadlock,
        budget=Budget(seconds=budget.seconds, heap_mb=budget.heap_mb),
        brief=budget.brief,
        digests=project.digests,
    )


def module_inputs(project: Project) -> dict[str, str]:
    """SHA-256 of each module the model reaches, by path relative to the project; no JVM is started.

    The files are found as SANY and TLC are given them, or a change in one that
    wins over another of its name would go unseen.

    Raises:
        VstackError: a folder under `modules` or the root module is missing, or is not text.
    """
    for folder in project.module_folders:
        if not folder.is_dir():
            raise VstackError(
                "A folder under `modules` does not exist", where=str(folder), todo="Mend `modules` in vstack.yaml"
            )
    sources = gather(project.model_path, project.module_folders, frozenset())
    found = {_relative(source.path, project.root): sha256_bytes(source.text.encode()) for source in sources.values()}
    return dict(sorted(found.items()))


def lacking(project: Project, setting: Setting) -> frozenset[str]:
    """Actions that this variant or environment does not have, so that they need not fire."""
    file = project.file
    variant = file.variants[setting.variant].lacks if setting.variant is not None else []
    environment = file.environments[setting.environment].lacks if setting.environment is not None else []
    return frozenset(variant) | frozenset(environment)


def describe(setting: Setting) -> dict[str, object]:
    """The setting as plain data, for evidence."""
    return {
        "variant": setting.variant,
        "environment": setting.environment,
        "removed": list(setting.removed),
        "constants": dict(setting.constants),
    }


def _relative(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def as_items(constants: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Constants in a fixed order, hashable."""
    return tuple(sorted(constants.items()))
