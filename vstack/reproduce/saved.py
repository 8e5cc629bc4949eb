"""`results.json` beside the driver: what was driven on real code, where and when. Attested, and never recomputed by `check`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from vstack.errors import VstackError
from vstack.files import read_bytes, write_atomic
from vstack.project import Project
from vstack.results import Result
from vstack.tla.closure import closure
from vstack.tla.tree import Spec
from vstack.validate.traces.recorded import digest, driver_digest

RESULTS = "results.json"


class SavedCell(Result):
    """The outcome of one cell over ``runs`` runs, all of which agreed.

    ``expected`` is ``reproduced``, or ``parts`` where another variant's schedule
    was driven; ``seconds`` is the median time of a run; ``parts_at`` names the
    step at which the code parted; ``basis`` as in ``cell_basis``.
    """

    variant: str
    environment: str
    goal: str
    schedule: str | None = None
    commit: str
    expected: Literal["reproduced", "parts"]
    outcome: Literal["reproduced", "not reproduced"]
    reason: str
    runs: int
    seconds: float
    steps: int
    compared: int
    variables: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    events: int = 0
    parts_at: str | None = None
    basis: str
    recorded: str
    machine: str

    @property
    def as_expected(self) -> bool:
        """Reproduced where that is expected; parted at a step where that is."""
        if self.expected == "reproduced":
            return self.outcome == "reproduced"
        return self.outcome == "not reproduced" and self.parts_at is not None


class Saved(Result):
    """The whole file."""

    version: Literal[1] = 1
    cells: tuple[SavedCell, ...] = ()


def saved_path(project: Project) -> Path:
    """Where the results of the project's driver are kept."""
    assert project.file.reproduce is not None
    return (project.root / project.file.reproduce.driver).with_name(RESULTS)


def read_saved(project: Project) -> Saved:
    """The saved results; empty where there are none.

    Raises:
        VstackError: the file does not read.
    """
    path = saved_path(project)
    try:
        return Saved.model_validate_json(read_bytes(path))
    except FileNotFoundError:
        return Saved()
    except (OSError, ValidationError):
        raise VstackError(
            "The saved results can't be read", where=str(path), todo="Restore the file with git, or drive the cells again"
        ) from None


def save(project: Project, cells: tuple[SavedCell, ...]) -> None:
    """Put ``cells`` in the place of earlier results of the same cells.

    Raises:
        VstackError: the file can't be read or written.
    """
    fresh = {_name(cell): cell for cell in cells}
    kept = {_name(cell): cell for cell in read_saved(project).cells} | fresh
    saved = Saved(cells=tuple(kept[name] for name in sorted(kept)))
    write_atomic(saved_path(project), saved.model_dump_json(indent=1, exclude_defaults=True) + "\n")


def cell_basis(project: Project, spec: Spec, variant: str, schedule: str | None) -> str:
    """SHA-256 over all that a driven cell rests on: driver, section, model and goals, guards and commit of its variants.

    Model and goals count by what they mean (``tla.closure``): a comment, a
    definition moved to another module, or a key that a later vstack knows and
    the project does not use, makes no result stale.
    """
    section = project.file.reproduce
    assert section is not None
    names = [name for name in (variant, schedule) if name is not None]
    formulas = [project.model.spec, *(goal.formula for goal in project.file.goals.values() if goal.is_searched and goal.formula)]
    return digest(
        {
            "driver": driver_digest(project),
            "section": section.model_dump(mode="json", exclude_defaults=True, exclude={"cells", "not_driven", "seconds", "template"}),
            "formulas": {name: closure(spec, name, overrides=project.model.overrides).digest for name in formulas},
            "model": project.model.model_dump(mode="json", exclude_defaults=True, exclude={"module"}),
            "environments": {name: item.constants for name, item in project.file.environments.items()},
            "variants": [project.file.variants[name].model_dump(mode="json", exclude_defaults=True, exclude={"english"}) for name in names],
        }
    )


def stale(project: Project, spec: Spec, cell: SavedCell) -> bool:
    """Whether the cell was driven with another driver, model or commit than the project now has."""
    return cell.variant not in project.file.variants or cell.basis != cell_basis(project, spec, cell.variant, cell.schedule)


def _name(cell: SavedCell) -> tuple[str, str, str, str]:
    return cell.variant, cell.environment, cell.goal, cell.schedule or ""
