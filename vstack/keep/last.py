"""The report of the last check of a project, as `vstack check` left it."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from vstack.errors import VstackError
from vstack.files import read_bytes
from vstack.project import Project
from vstack.results import CaseReport, Cell

REPORT = "report.json"


def last_report(project: Project) -> CaseReport:
    """What the last `vstack check` of ``project`` found.

    Raises:
        VstackError: there was none, or its file does not read.
    """
    path = project.state / REPORT
    try:
        return CaseReport.model_validate_json(read_bytes(path))
    except FileNotFoundError:
        raise VstackError(
            "This project has not been checked yet", where=str(path), todo=f"Run `vstack check {project.root}` first"
        ) from None
    except (OSError, ValidationError):
        raise VstackError(
            "The report of the last check can't be read", where=str(path), todo="Run `vstack check` again"
        ) from None


def counterexamples(report: CaseReport) -> tuple[Cell, ...]:
    """All cells with a counterexample: of the matrix first, then of guards taken away."""
    cells = [*report.cells, *(cell for row in report.kills for cell in row.cells)]
    return tuple(cell for cell in cells if cell.evidence.trace is not None)


def cell_name(cell: Cell) -> str:
    """How a command line names a cell: `variant/environment/goal`, with `-GUARD` for each guard taken away."""
    return "/".join((cell.variant, cell.environment, cell.goal)) + "".join(f"-{guard}" for guard in cell.removed)


def find_cell(report: CaseReport, name: str, root: Path) -> Cell:
    """The cell with a counterexample called ``name``.

    Raises:
        VstackError: there is no such cell, or it has no counterexample.
    """
    found = {cell_name(cell): cell for cell in counterexamples(report)}
    if name not in found:
        import difflib

        near = difflib.get_close_matches(name, found, n=3, cutoff=0.3)
        known = ", ".join(near or list(found)[:6]) or "none in this report"
        raise VstackError(f"No counterexample is called `{name}`", where=str(root), todo=f"There are: {known}")
    return found[name]
