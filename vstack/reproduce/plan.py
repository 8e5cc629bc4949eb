"""Which cells are driven, and the schedule of each."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from vstack.context import Context
from vstack.errors import VstackError
from vstack.files import read_text
from vstack.keep.check import Options, make_runner
from vstack.project import PROJECT_FILE, Project
from vstack.reproduce.schedule import Schedule, schedule_of
from vstack.results import Evidence
from vstack.sections import DrivenCell, Reproduce
from vstack.validate.cells import Setting, as_items
from vstack.validate.runs import Run


@dataclass(frozen=True)
class Wanted:
    """One cell to drive; ``parts``: the schedule is another variant's, from which the code must part."""

    cell: DrivenCell

    @property
    def parts(self) -> bool:
        """Whether the code is expected to part from the schedule."""
        return self.cell.schedule is not None and self.cell.schedule != self.cell.variant

    @property
    def name(self) -> str:
        """The cell as `variant/environment/goal`, with the schedule's variant where it is another."""
        name = f"{self.cell.variant}/{self.cell.environment}/{self.cell.goal}"
        return f"{name} (schedule of {self.cell.schedule})" if self.parts else name


def reproduce_section(project: Project) -> Reproduce:
    """The section `reproduce`.

    Raises:
        VstackError: the project has none.
    """
    if project.file.reproduce is None:
        raise VstackError(
            "The project has no `reproduce` section, so nothing drives its real code",
            where=str(project.root / PROJECT_FILE),
            todo="Write a driver, and name it there; see docs/reproduce.md",
        )
    return project.file.reproduce


def wanted_cells(
    project: Project, variant: str, environment: str | None, goal: str | None, schedule: str | None
) -> tuple[Wanted, ...]:
    """The declared cells of ``variant`` that fit, or the one that is named in full.

    Raises:
        VstackError: a name is not declared, or no cell fits.
    """
    section, file = reproduce_section(project), project.file
    for name, known, kind in (
        (variant, file.variants, "variant"),
        (environment, file.environments, "environment"),
        (goal, file.goals, "goal"),
        (schedule, file.variants, "variant"),
    ):
        if name is not None and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise VstackError(
                f"No {kind} `{name}` in the project" + (f"; did you mean `{near[0]}`?" if near else ""),
                where=str(project.root / PROJECT_FILE),
                todo=f"There are: {', '.join(known)}",
            )
    found = [
        cell
        for cell in section.cells
        if cell.variant == variant
        and environment in (None, cell.environment)
        and goal in (None, cell.goal)
        and schedule in (None, cell.schedule)
    ]
    if not found and environment and goal:
        found = [DrivenCell(variant=variant, environment=environment, goal=goal, schedule=schedule)]
    if not found:
        driven = ", ".join(dict.fromkeys(cell.variant for cell in section.cells)) or "none"
        raise VstackError(
            f"No driven cell of {variant} fits",
            where=str(project.root / PROJECT_FILE),
            todo=f"Name --environment and --goal, or a variant under `reproduce.cells` ({driven})",
        )
    return tuple(map(Wanted, found))


def find_schedule(
    context: Context, setting: Setting, goal: str, on_event: Callable[[str], None]
) -> Schedule:
    """The counterexample to ``goal`` under ``setting``; kept evidence is used.

    Raises:
        VstackError: TLC finds none.
    """
    runner = make_runner(context, Options(jobs=1), on_event)
    return schedule_of(
        runner.run([Run(setting, (goal,))])[0][goal], reproduce_section(context.project), context.actions
    )


def recorded_schedule(context: Context, path: Path) -> tuple[DrivenCell, Schedule]:
    """The cell and schedule of a counterexample that `vstack explain --json` or `vstack verify --json` printed to ``path``.

    Raises:
        VstackError: the file is none, or is of another project.
    """
    project = context.project
    section = reproduce_section(project)
    try:
        evidence = Evidence.model_validate_json(read_text(path))
    except ValidationError:
        raise VstackError(
            "The file is no counterexample", where=str(path), todo="Write one: `vstack explain CASE --cell CELL --json > FILE`"
        ) from None
    subject, file = evidence.subject, project.file
    names = {key: str(subject.get(key)) for key in ("variant", "environment", "goal")}
    if names["variant"] not in file.variants or names["environment"] not in file.environments or names["goal"] not in file.goals:
        raise VstackError(
            f"The counterexample is of a cell that this project lacks: {'/'.join(names.values())}",
            where=str(path),
            todo=f"Name one of {file.project}",
        )
    return DrivenCell(**names, schedule=names["variant"]), schedule_of(evidence, section, context.actions)


def setting_of(project: Project, wanted: Wanted, *, schedule: bool) -> Setting:
    """The setting of the cell itself, or of its ``schedule``; both within the section's bounds."""
    variant = wanted.cell.schedule if schedule and wanted.cell.schedule else wanted.cell.variant
    return Setting(variant, wanted.cell.environment, (), as_items(reproduce_section(project).constants))
