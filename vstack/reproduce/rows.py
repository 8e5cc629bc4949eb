"""What was driven on real code, for the report: every violated cell, driven or not."""

from __future__ import annotations

from collections.abc import Iterator

from vstack.project import Project
from vstack.reproduce.saved import SavedCell, read_saved, stale
from vstack.results import DrivenRow
from vstack.sections import DrivenCell
from vstack.tla.tree import Spec


def driven_rows(project: Project, spec: Spec) -> tuple[DrivenRow, ...]:
    """A row for each cell that is to be driven, then for each violated cell that is not; none without a driver.

    Raises:
        VstackError: the saved results or the driver can't be read.
    """
    section = project.file.reproduce
    if section is None:
        return ()
    saved = {(c.variant, c.environment, c.goal, c.schedule): c for c in read_saved(project).cells}
    rows = [_row(project, spec, cell, saved.get(_key(cell))) for cell in section.cells]
    return (*rows, *_undriven(project, {(cell.variant, cell.environment, cell.goal) for cell in section.cells}))


def _row(project: Project, spec: Spec, cell: DrivenCell, saved: SavedCell | None) -> DrivenRow:
    names = cell.model_dump()
    if saved is None:
        return DrivenRow(**names, state="not driven", text="declared, and never driven: `vstack reproduce --save`")
    if stale(project, spec, saved):
        state, text = "stale", "the driver, the model or the commit changed since it was driven"
    elif not saved.as_expected:
        state, text = "not as expected", saved.reason
    else:
        state, text = ("reproduced" if saved.expected == "reproduced" else "parts"), saved.reason
    return DrivenRow.model_validate(
        {
            **names,
            "state": state,
            "text": text,
            "runs": saved.runs,
            "seconds": saved.seconds,
            "recorded": saved.recorded[:10],
            "commit": saved.commit,
        }
    )


def _undriven(project: Project, driven: set[tuple[str, str, str]]) -> Iterator[DrivenRow]:
    """The violated cells of code that nothing drives, each with its reason."""
    for variant, environments in project.file.matrix.items():
        if project.file.variants[variant].commit is None:
            continue
        for environment, goals in environments.items():
            for goal, expected in goals.items():
                if expected == "violated" and (variant, environment, goal) not in driven:
                    why = _why(project, variant, environment, goal)
                    yield DrivenRow(variant=variant, environment=environment, goal=goal, state="not driven", text=why)


def _why(project: Project, variant: str, environment: str, goal: str) -> str:
    assert project.file.reproduce is not None
    for entry in project.file.reproduce.not_driven:
        if entry.variant == variant and entry.environment in (None, environment) and entry.goal in (None, goal):
            return entry.why
    return "no reason given"


def _key(cell: DrivenCell) -> tuple[str, str, str, str | None]:
    return cell.variant, cell.environment, cell.goal, cell.schedule
