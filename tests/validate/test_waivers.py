"""Waivers on real runs: each kind of goal, covered and not."""

from __future__ import annotations

from pathlib import Path

from vstack.context import open_project
from vstack.keep.check import Options, make_runner
from vstack.results import Cell
from vstack.specify.scaffold import write_project
from vstack.validate.cells import Setting
from vstack.validate.runs import Run
from vstack.validate.waivers import apply_waivers

GOALS = """
Kept == [][page' # page => transfer = "none"]_<<page, transfer, phase>>
Used == <>(page # "free")
FreedEarly == IF page = "free" THEN transfer # "none" ELSE phase[page] = "aborted"
Unused == page = "free"
Taken == page # "free"
"""
YAML = """
  Kept: {kind: action, formula: Kept, english: A page changes hands between transfers.}
  Used: {kind: temporal, formula: Used, english: The page is used.}
"""


def test_each_kind_of_goal_is_covered_by_its_own_class_alone(tmp_path: Path) -> None:
    write_project(tmp_path, "toy")
    module, file = tmp_path / "goals" / "Goals.tla", tmp_path / "vstack.yaml"
    module.write_text(module.read_text().replace("\n=====", f"{GOALS}=====", 1))
    text = file.read_text().replace("\n# Faults and freedom", f"{YAML}\n# Faults and freedom")
    stated = "aborts: {Isolation: violated, Finality: holds}"
    assert stated in text
    text = text.replace(stated, "aborts: {Isolation: holds, Finality: holds, Kept: holds, Used: holds}")
    waivers = [
        "{goal: Isolation, state: Unused, steps: [Abort, Start, Free]",
        "{goal: Finality, state: Unused",
        "{goal: Kept, state: FreedEarly, steps: [Start, Abort, Free]",
        "{goal: Used, state: Taken",
    ]
    rest = "variant: before, environment: aborts, reason: known, until: 2030-01-01}"
    file.write_text(text + "waivers:\n" + "".join(f"  - {waiver}, {rest}\n" for waiver in waivers))
    context = open_project(tmp_path)
    runner = make_runner(context, Options(), lambda text: None)
    goals = ("Isolation", "Finality", "Kept", "Used")
    answers = runner.run([Run(Setting("before", "aborts"), (goal,)) for goal in goals])
    cells = [
        Cell(variant="before", environment="aborts", goal=goal, expected="holds", evidence=answer[goal])
        for goal, answer in zip(goals, answers, strict=True)
    ]
    marked, rows, findings = apply_waivers(runner, context.spec, cells, approved="a person")
    assert [row.status for row in rows] == ["live", "not needed", "live", "another class"]
    assert [cell.accepted for cell in marked] == [True, True, True, False]
    assert not any(cell.as_expected for cell in (marked[0], marked[2]))
    assert "waived until 2030-01-01 by a person" in marked[0].waived
    assert [finding.rule for finding in findings] == ["waiver-class"] and "Used" in findings[0].message
    _, rows, findings = apply_waivers(runner, context.spec, cells, approved=None)
    assert {row.status for row in rows} == {"not approved"} and findings == ()
