"""A goal that nothing can break is found out, whatever its shape; one that a mutant breaks is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.context import open_project
from vstack.keep.evidence import EvidenceStore
from vstack.specify.scaffold import write_project
from vstack.validate.can_fail import can_fail_findings, find_failures

EMPTY = "Nobody"
VACUOUS = {
    "a typo in a value": 'phase[CHOOSE r \\in Requests : TRUE] = "laoding" => page = "free"',
    "an empty range": '\\A r \\in {q \\in Requests : phase[q] = "gone"} : page # r',
    "a tautology": 'page = transfer \\/ page # transfer',
    "true by type": 'page \\in Requests \\cup {"free"}',
    "a condition against itself": '(page = "free" /\\ page # "free") => FALSE',
}
HONEST = {
    "an invariant": 'page = "free" => transfer = "none"',
    "a mutant breaks it": 'transfer # "none" => phase[transfer] \\in {"loading", "aborted"}',
}


def found(folder: Path, formula: str, excuse: str = ""):  # type: ignore[no-untyped-def]
    write_project(folder, "toy")
    goals, yaml = folder / "goals" / "Goals.tla", folder / "vstack.yaml"
    goals.write_text(goals.read_text().replace("\\* Every request", f"Extra == {formula}\n\n\\* Every request"))
    extra = f"  Extra:\n    english: something\n    formula: Extra\n{excuse}  Finality:"
    yaml.write_text(yaml.read_text().replace("  Finality:", extra, 1))
    context = open_project(folder)
    store = EvidenceStore(context.project.state / "evidence")
    rows = find_failures(
        context.project, context.spec, context.actions, context.tools, store, ((), (), None), lambda text: None
    )
    return context.project, next(row for row in rows if row.goal == "Extra")


@pytest.mark.parametrize("formula", VACUOUS.values(), ids=VACUOUS)
def test_a_goal_that_can_not_fail_is_refused(tmp_path: Path, formula: str) -> None:
    project, row = found(tmp_path, formula)
    (finding,) = can_fail_findings(project, [row])
    assert row.where is None and row.tried > 20
    assert finding.rule == "goal-cannot-fail" and "Nothing breaks the goal Extra" in finding.message


@pytest.mark.parametrize("formula", HONEST.values(), ids=HONEST)
def test_a_goal_that_a_mutant_breaks_is_not(tmp_path: Path, formula: str) -> None:
    project, row = found(tmp_path, formula)
    assert row.where is not None and row.where.startswith("mutant ")
    assert can_fail_findings(project, [row]) == []


def test_a_reason_that_is_approved_excuses(tmp_path: Path) -> None:
    project, row = found(tmp_path, VACUOUS["true by type"], "    excuse: a type, kept for the reader\n")
    assert row.where is None and row.excuse == "a type, kept for the reader"
    assert can_fail_findings(project, [row]) == []
