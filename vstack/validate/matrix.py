"""The expected matrix: variant x environment x goal, each cell decided by a run of its own or a shared one."""

from __future__ import annotations

from vstack.project import PROJECT_FILE
from vstack.results import Cell, Finding
from vstack.validate.cells import Setting
from vstack.validate.runs import Run, Runner
from vstack.verdicts import Verdict


def matrix_plan(runner: Runner) -> list[tuple[Run, dict[str, str]]]:
    """One run for all goals that a variant and environment are expected to keep, one for each expected to break.

    Without a matrix every goal is expected to hold under the bare constants.
    """
    file = runner.project.file
    goals = [name for name, goal in file.goals.items() if goal.is_searched]
    if not file.matrix:
        if not goals:
            return []
        run = Run(Setting(None, None), tuple(goals), together=True, required=True)
        return [(run, dict.fromkeys(goals, "holds"))]
    plan: list[tuple[Run, dict[str, str]]] = []
    for variant, row in file.matrix.items():
        for environment, cells in row.items():
            setting = Setting(variant, environment)
            kept = tuple(goal for goal, expected in cells.items() if expected == "holds")
            if kept:
                plan.append((Run(setting, kept, together=True, required=True), dict.fromkeys(kept, "holds")))
            plan.extend(
                (Run(setting, (goal,)), {goal: expected}) for goal, expected in cells.items() if expected == "violated"
            )
    return plan


def run_matrix(runner: Runner) -> tuple[Cell, ...]:
    """Every cell with its evidence, in the order of `vstack.yaml`."""
    plan = matrix_plan(runner)
    answers = runner.run([run for run, _ in plan])
    cells = []
    for (run, expected), answer in zip(plan, answers, strict=True):
        for goal, evidence in answer.items():
            cells.append(
                Cell(
                    variant=run.setting.variant or "model",
                    environment=run.setting.environment or "default",
                    goal=goal,
                    expected=expected[goal],
                    evidence=evidence,
                )
            )
    return tuple(cells)


def matrix_gaps(runner: Runner) -> tuple[Finding, ...]:
    """Goals that a variant is never asked, and environments that nobody is asked in.

    A cell that the matrix does not state is not run, and reports show it as
    not asked; the matrix is pinned, so that a person has approved which.
    """
    file = runner.project.file
    where = str(runner.project.root / PROJECT_FILE)
    goals = [name for name, goal in file.goals.items() if goal.is_searched]
    missing = [
        f"{goal} is asked of {variant} in no environment"
        for variant in file.variants
        for goal in goals
        if not any(goal in cells for cells in file.matrix.get(variant, {}).values())
    ]
    missing += [
        f"nothing is asked in environment {environment}"
        for environment in file.environments
        if not any(environment in row for row in file.matrix.values())
    ]
    if not file.variants:
        return ()
    return tuple(
        Finding(
            rule="matrix-gap",
            where=where,
            message=f"The matrix has a gap: {gap}",
            todo="State `holds` or `violated` for it under `matrix`",
        )
        for gap in missing
    )


def silent_actions(runner: Runner, cells: tuple[Cell, ...]) -> tuple[Finding, ...]:
    """Actions of Next that fire in no complete run of the matrix."""
    complete = [cell for cell in cells if cell.evidence.verdict is Verdict.HOLDS]
    if not complete:
        return ()
    fired = {name for cell in complete for name, (_, generated) in cell.evidence.fired.items() if generated}
    return tuple(
        Finding(
            rule="action-never-fires",
            where=f"{action.span.module}:{action.span.line}",
            message=f"Action {action.name} fires in no complete run of the matrix",
            todo="Mend its guard, or remove the action from Next and list what is left out under `omissions`",
        )
        for action in runner.actions
        if action.name not in fired
    )
