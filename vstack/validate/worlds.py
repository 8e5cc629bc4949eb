"""One variant in one environment with all that its mutants' runs need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vstack.project import Project
from vstack.results import Evidence
from vstack.tla.actions import Action
from vstack.tla.cfg import format_cfg
from vstack.tla.tree import Spec
from vstack.tools.find import Tools
from vstack.validate.batch import Model, can_batch, sort_goals
from vstack.validate.cells import Setting, cell_job, constants_of, describe
from vstack.validate.fates import Fates


@dataclass(frozen=True)
class World:
    """``goals`` are those that the variant keeps here; ``alone`` says why its runs can't share a process, if so."""

    setting: Setting
    model: Model
    goals: tuple[str, ...]
    alone: str | None
    fates: Fates

    @property
    def name(self) -> str:
        """The environment's name."""
        return self.setting.environment or "default"


def make_world(
    project: Project,
    spec: Spec,
    actions: tuple[Action, ...],
    tools: Tools,
    setting: Setting,
    modules: Mapping[str, str],
    load: Callable[[str], Evidence | None],
    save: Callable[[Evidence], None],
) -> World:
    """The world of ``setting``; goals that the matrix expects violated in it, or whose violation is waived, are left out."""
    stated = project.file.matrix.get(setting.variant or "", {}).get(setting.environment or "", {})
    goals = {
        name: (goal.kind, goal.formula or "")
        for name, goal in project.file.goals.items()
        if goal.is_searched
        and stated.get(name, "holds") == "holds"
        and project.waiver(setting.variant, setting.environment, name) is None
    }
    job = cell_job(project, setting, [])
    invariants, steps, later = sort_goals(spec, goals)
    alone = can_batch(job.cfg)
    if not invariants and not steps:
        alone = alone or "all of its goals are temporal"
    model = Model(spec, actions, project.model.init, project.model.next, invariants, steps, later, job)
    inputs = {
        "jar": tools.jar_sha256,
        "java": tools.java_version,
        "modules": dict(modules),
        "root": project.model.module,
        "cfg": format_cfg(cell_job(project, setting, list(goals)).cfg, old_jar=False)[0],
        "operators": [project.model.init, project.model.next],
    }
    fates = Fates(inputs, describe(setting), constants_of(project, setting), tools, load, save)
    return World(setting, model, tuple(goals), alone, fates)
