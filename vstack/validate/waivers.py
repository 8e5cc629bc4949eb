"""Rule: a waiver covers one known bug. Whatever else breaks the goal, now or behind it, is refused."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from vstack.project import PROJECT_FILE
from vstack.results import Cell, Evidence, Finding, WaiverRow
from vstack.sections import Waiver
from vstack.tla.places import text_of
from vstack.tla.tree import Spec
from vstack.tlc.trace import INITIAL
from vstack.validate.cells import Setting
from vstack.validate.probe import probe
from vstack.validate.runs import Runner
from vstack.validate.step_goals import step_goal
from vstack.verdicts import Verdict

_NAME = "vs_waived"


def apply_waivers(
    runner: Runner, spec: Spec, cells: Sequence[Cell], *, approved: str | None
) -> tuple[tuple[Cell, ...], tuple[WaiverRow, ...], tuple[Finding, ...]]:
    """The cells, with those that a waiver covers marked so; a row for each waiver; and what speaks against one.

    A waiver covers its cell if the shortest counterexample takes just the
    actions that it names, in whatever order but for the last, and if the goal
    holds once the states of its class are let be: a second bug behind the
    known one is seen. ``approved`` says who approved the lock that holds the
    waivers; without one none counts.
    """
    waivers = runner.project.file.waivers
    by_cell = {(cell.variant, cell.environment, cell.goal): cell for cell in cells}
    with ThreadPoolExecutor(max_workers=runner.jobs) as pool:
        judged = list(
            pool.map(
                lambda w: _judge(runner, spec, w, by_cell[w.variant, w.environment, w.goal], approved=approved), waivers
            )
        )
    rows = tuple(row for row, _ in judged)
    live = {(row.variant, row.environment, row.goal): row for row in rows if row.status == "live"}
    marked = tuple(
        cell.model_copy(update={"waived": row.words})
        if (row := live.get((cell.variant, cell.environment, cell.goal))) is not None
        else cell
        for cell in cells
    )
    return marked, rows, tuple(finding for _, finding in judged if finding is not None)


def _judge(
    runner: Runner, spec: Spec, waiver: Waiver, cell: Cell, *, approved: str | None
) -> tuple[WaiverRow, Finding | None]:
    row = WaiverRow(
        variant=waiver.variant,
        environment=waiver.environment,
        goal=waiver.goal,
        state=waiver.state,
        steps=tuple(waiver.steps),
        reason=waiver.reason,
        until=waiver.until.isoformat(),
        by=approved or "",
        status="live",
    )
    if approved is None:
        return row.model_copy(update={"status": "not approved", "text": "no approved lock holds it"}), None
    if cell.evidence.verdict is Verdict.HOLDS:
        return row.model_copy(update={"status": "not needed", "text": "the cell holds now: strike the waiver"}), None
    if cell.evidence.verdict is not Verdict.VIOLATED:
        return row.model_copy(update={"status": "undecided", "text": cell.evidence.reason}), None
    shown = _steps(cell.evidence)
    if waiver.steps and (sorted(shown), shown[-1:]) != (sorted(waiver.steps), waiver.steps[-1:]):
        return _refused(runner, row, f"the shortest counterexample takes the steps {', '.join(shown) or '(none)'}")
    beyond = _beyond(runner, spec, waiver)
    if beyond is None:
        return _refused(
            runner,
            row,
            f"{waiver.goal} is more than a box over steps, so what lies outside of {waiver.state} can't be told",
        )
    if beyond.verdict is Verdict.HOLDS:
        return row, None
    if beyond.verdict is Verdict.VIOLATED:
        return _refused(
            runner, row, f"outside of {waiver.state} it breaks too, by the steps {', '.join(_steps(beyond))}"
        )
    row = row.model_copy(update={"status": "undecided", "text": beyond.reason})
    return row, _finding(runner, row, f"was not decided: {beyond.reason}", "undecided")


def _refused(runner: Runner, row: WaiverRow, why: str) -> tuple[WaiverRow, Finding]:
    row = row.model_copy(update={"status": "another class", "text": why})
    return row, _finding(runner, row, f"is for another bug: {why}", "refused")


def _finding(runner: Runner, row: WaiverRow, what: str, outcome: Literal["refused", "undecided"]) -> Finding:
    waived = row.state + (f" by the steps {', '.join(row.steps)}" if row.steps else "")
    return Finding(
        rule="waiver-class",
        where=str(runner.project.root / PROJECT_FILE),
        message=f"The waiver for {row.variant} / {row.environment} / {row.goal} {what}",
        todo=f"It waives {waived}. Look at the counterexample with `vstack explain`; mend the bug, or have it waived"
        " in its own name",
        outcome=outcome,
    )


def _steps(evidence: Evidence) -> list[str]:
    """The actions of a counterexample, in order."""
    steps = (evidence.trace or {}).get("steps", [])
    return [str(step["action"]) for step in steps if step["action"] != INITIAL]


def _beyond(runner: Runner, spec: Spec, waiver: Waiver) -> Evidence | None:
    """TLC on the goal with the waiver's states let be; None for an action goal that is not made of ``[][A]_v``."""
    goal = runner.project.file.goals[waiver.goal]
    setting = Setting(waiver.variant, waiver.environment)
    asked = f"does {waiver.goal} hold outside of {waiver.state}?"
    formula = str(goal.formula)
    if goal.kind == "invariant":
        return probe(
            runner, setting, [f"{_NAME} == ({formula}) \\/ ({waiver.state})"], asked=asked, invariants=(_NAME,)
        )
    if goal.kind == "temporal":
        return probe(
            runner, setting, [f"{_NAME} == ({formula}) \\/ <>({waiver.state})"], asked=asked, properties=(_NAME,)
        )
    step = step_goal(spec, formula)
    if step is None:
        return None
    original = text_of(spec.modules[step.definition.module].text, step.definition.span)
    variables = ", ".join(item.name for item in spec.root.variables)
    definitions = [
        step.text.removeprefix(f"{original}\n"),
        f"{_NAME} == [][({step.operator}) \\/ ({waiver.state})]_<<{variables}>>",
    ]
    return probe(runner, setting, definitions, asked=asked, properties=(_NAME,))
