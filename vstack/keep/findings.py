"""Findings that stages 2 and 3 give rise to, from their rows."""

from __future__ import annotations

from vstack.project import PROJECT_FILE, Project
from vstack.results import AtomicityRow, Finding, MutationReport


def atomicity_findings(rows: tuple[AtomicityRow, ...]) -> list[Finding]:
    """Actions that claim several steps of code as one, without an excuse."""
    return [
        Finding(
            rule="not-atomic",
            where=row.where,
            message=f"Action {row.action} must be split: {row.finding}",
            todo="Split the action there, or excuse it under `atomicity.excuses` and have that approved",
        )
        for row in rows
        if row.checked and row.excuse is None
    ]


def mutation_findings(project: Project, mutation: MutationReport) -> list[Finding]:
    """Controls that did not come out, too few mutants, and each mutant that nothing accounts for."""
    where = str(project.root / PROJECT_FILE)
    findings = []
    if not mutation.clean_passes or not mutation.forced_failure_dies:
        message = "The controls of the mutation run did not come out, so no mutant counts"
        findings.append(Finding(rule="mutation-control", where=where, message=message, outcome="undecided"))
    floor = project.file.floors.mutants
    if mutation.made < floor:
        message = f"{mutation.made} mutants were made, the floor is {floor}"
        findings.append(Finding(rule="mutation-floor", where=where, message=message))
    for row in mutation.rows:
        if row.excuse is not None or row.status in ("killed", "equivalent"):
            continue
        findings.append(
            Finding(
                rule=f"mutant-{row.status}",
                where=row.where,
                message=f"Mutant {row.id} ({row.operator} in {row.action}): {row.reason or row.status}",
                todo=f"State a goal that it breaks, or excuse {row.id} under `mutation.excuses` and have that approved",
                outcome="undecided" if row.status == "undecided" else "not as expected",
            )
        )
    return findings
