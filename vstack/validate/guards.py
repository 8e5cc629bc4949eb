"""The kill matrix: each guard taken away alone must make its named goals fail."""

from __future__ import annotations

from vstack.results import Cell, Finding, KillRow
from vstack.sections import Kill
from vstack.validate.cells import Setting, as_items
from vstack.validate.runs import Run, Runner
from vstack.verdicts import Verdict


def kill_plan(runner: Runner) -> list[Run]:
    """The runs of all entries of `kills`: every goal, without the guard.

    Where the entry changes constants, to bounds that may be large, only the
    goals that it names are asked.
    """
    file = runner.project.file
    goals = [name for name, goal in file.goals.items() if goal.is_searched]
    plan: list[Run] = []
    for kill in file.kills:
        setting = Setting(kill.variant, kill.environment, (kill.guard,), as_items(kill.constants))
        spared = () if kill.constants else tuple(goal for goal in goals if goal not in kill.violates)
        plan += [Run(setting, (goal,)) for goal in kill.violates]
        plan += [Run(setting, spared, together=True)] if spared else []
    return plan


def run_kills(runner: Runner) -> tuple[KillRow, ...]:
    """A row for each entry of `kills`."""
    file = runner.project.file
    goals = [name for name, goal in file.goals.items() if goal.is_searched]
    answers = iter(runner.run(kill_plan(runner)))
    rows = []
    for kill in file.kills:
        runs = len(kill.violates) + (not kill.constants and len(kill.violates) < len(goals))
        found = {goal: evidence for _ in range(runs) for goal, evidence in next(answers).items()}
        cells = tuple(
            Cell(
                variant=kill.variant,
                environment=kill.environment,
                goal=goal,
                removed=(kill.guard,),
                expected="violated" if goal in kill.violates else None,
                evidence=found[goal],
            )
            for goal in goals
            if goal in found
        )
        rows.append(
            KillRow(
                guard=kill.guard,
                variant=kill.variant,
                environment=kill.environment,
                expected=tuple(kill.violates),
                cells=cells,
                excuse=kill.excuse or file.guards[kill.guard].excuse,
            )
        )
    return tuple(rows)


def broken_already(runner: Runner) -> tuple[Finding, ...]:
    """Goals of `kills` that are violated with the guard in place too: their violation without it shows nothing.

    The matrix says where it states the cell; where it does not, or the entry
    changes constants, the goal is run with the guard.
    """
    file, findings = runner.project.file, []
    plan, asked = [], []
    for kill in file.kills:
        stated = file.matrix.get(kill.variant, {}).get(kill.environment, {})
        for goal in kill.violates:
            if not kill.constants and goal in stated:
                if stated[goal] == "violated" or runner.project.waiver(kill.variant, kill.environment, goal) is not None:
                    findings.append(_already(runner, kill, goal))
                continue
            plan.append(Run(Setting(kill.variant, kill.environment, (), as_items(kill.constants)), (goal,)))
            asked.append((kill, goal))
    for (kill, goal), found in zip(asked, runner.run(plan), strict=True):
        if found[goal].verdict is not Verdict.HOLDS:
            findings.append(_already(runner, kill, goal, found[goal].verdict))
    return tuple(findings)


def _already(runner: Runner, kill: Kill, goal: str, verdict: Verdict = Verdict.VIOLATED) -> Finding:
    decided = verdict is Verdict.VIOLATED
    said = "violated" if decided else f"not known to hold ({verdict})"
    return Finding(
        rule="kill-proves-nothing",
        where=str(runner.project.root / "vstack.yaml"),
        message=f"`kills` says that {goal} fails without {kill.guard}, and it is {said} in {kill.variant} in"
        f" {kill.environment} with that guard in place",
        todo="Name a goal that holds with the guard and fails without it",
        outcome="refused" if decided else "undecided",
    )


def kill_findings(runner: Runner, rows: tuple[KillRow, ...]) -> tuple[Finding, ...]:
    """Guards whose removal does not break what the project says it breaks, or that no entry of `kills` names."""
    where = str(runner.project.root / "vstack.yaml")
    findings = []
    for row in rows:
        for cell in row.cells:
            if cell.goal not in row.expected or cell.evidence.verdict is Verdict.VIOLATED:
                continue
            kept = cell.evidence.verdict is Verdict.HOLDS
            findings.append(
                Finding(
                    rule="guard-kills-nothing" if kept else "guard-not-decided",
                    where=where,
                    message=f"Without {row.guard}, {row.variant} in {row.environment} "
                    + (f"still keeps {cell.goal}" if kept else f"leaves {cell.goal} undecided: {cell.evidence.reason}"),
                    todo="Look for the schedule that needs the guard, or take the guard out and say why under `omissions`",
                    outcome="not as expected" if kept else "undecided",
                )
            )
    named = {row.guard for row in rows}
    findings += [
        Finding(
            rule="guard-not-tried",
            where=where,
            message=f"No entry of `kills` takes guard {guard} away",
            todo="Add one that names the goals it protects, or an `excuse`",
        )
        for guard in runner.project.file.guards
        if guard not in named
    ]
    return tuple(findings)
