"""Drive one cell several times: all runs must agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from vstack.context import Context
from vstack.keep.evidence import machine, now
from vstack.reproduce.outcome import Driven, judge
from vstack.reproduce.plan import Wanted, setting_of
from vstack.reproduce.run import Order, run_driver
from vstack.reproduce.saved import SavedCell, cell_basis
from vstack.reproduce.schedule import Schedule
from vstack.validate.cells import constants_of


@dataclass(frozen=True)
class DrivenCellRuns:
    """All runs of one cell; ``events`` are those that the last one recorded."""

    wanted: Wanted
    schedule: Schedule
    runs: tuple[Driven, ...]
    events: int

    @property
    def agree(self) -> bool:
        """Whether all runs came out the same way, at the same step."""
        return len({_mark(run) for run in self.runs}) == 1

    @property
    def could_run(self) -> bool:
        """Whether every run was made."""
        return all(run.outcome != "could not run" for run in self.runs)

    @property
    def as_expected(self) -> bool:
        """All runs agree, and are reproduced; or, along another variant's schedule, part from it."""
        first = self.runs[0]
        if not self.agree:
            return False
        return first.parting is not None if self.wanted.parts else first.outcome == "reproduced"


def drive_cell(
    context: Context,
    wanted: Wanted,
    schedule: Schedule,
    checkout: Path,
    python: Path,
    runs: int,
    on_event: Callable[[str], None],
) -> DrivenCellRuns:
    """Drive ``schedule`` on the code of ``wanted``, ``runs`` times.

    Raises:
        VstackError: the driver's file is missing.
    """
    project = context.project
    order = Order(
        variant=wanted.cell.variant,
        environment=wanted.cell.environment,
        goal=wanted.cell.goal,
        constants=constants_of(project, setting_of(project, wanted, schedule=False)),
        steps=schedule.steps,
        settle=schedule.endless,
    )
    made, events = [], 0
    for number in range(1, runs + 1):
        on_event(f"{wanted.name}: driving {len(schedule.steps)} steps, run {number} of {runs}")
        seen = run_driver(project, checkout, python, order)
        made.append(judge(schedule, seen))
        events = len(seen.events.splitlines())
    return DrivenCellRuns(wanted, schedule, tuple(made), events)


def saved_cell(context: Context, driven: DrivenCellRuns) -> SavedCell:
    """What is kept of ``driven``, whose runs agree."""
    project, cell, first = context.project, driven.wanted.cell, driven.runs[0]
    assert driven.agree and first.outcome != "could not run"
    return SavedCell(
        variant=cell.variant,
        environment=cell.environment,
        goal=cell.goal,
        schedule=cell.schedule,
        commit=project.file.variants[cell.variant].commit or "",
        expected="parts" if driven.wanted.parts else "reproduced",
        outcome=first.outcome,
        reason=first.reason,
        runs=len(driven.runs),
        seconds=round(median(run.seconds for run in driven.runs), 1),
        steps=first.steps,
        compared=first.compared,
        variables=first.variables,
        actions=tuple(sorted({step.action for step in driven.schedule.steps[: first.steps]})),
        events=driven.events,
        parts_at=first.parting.action if first.parting else None,
        basis=cell_basis(project, context.spec, cell.variant, cell.schedule),
        recorded=now(),
        machine=machine(),
    )


def _mark(run: Driven) -> str:
    parting = None if run.parting is None else (run.parting.step, sorted(run.parting.differs))
    return json.dumps([run.outcome, run.steps, parting, run.reason if run.outcome == "could not run" else ""])
