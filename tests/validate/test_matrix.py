"""What the matrix must state, and what of Next must fire in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.context import open_project
from vstack.keep.evidence import EvidenceStore
from vstack.validate.matrix import matrix_gaps, run_matrix, silent_actions
from vstack.validate.runs import Runner

MODULE = """---- MODULE Lamp ----
EXTENDS Naturals
CONSTANTS Broken, Stuck
VARIABLE lit, dark
Init == lit = 0 /\\ dark = 0
On == lit < 3 /\\ ~Stuck /\\ lit' = lit + 1 /\\ UNCHANGED dark
Off == lit = 3 /\\ lit' = 0 /\\ UNCHANGED dark
Smoke == Broken /\\ dark = 0 /\\ dark' = 1 /\\ UNCHANGED lit
Next == On \\/ Off \\/ Smoke
Spec == Init /\\ [][Next]_<<lit, dark>> /\\ WF_<<lit, dark>>(On) /\\ WF_<<lit, dark>>(Off)
Clear == dark = 0
Bright == []<>(lit = 3)
====
"""
YAML = """version: 1
project: lamp
modules: ["."]
model: {module: Lamp.tla, constants: {Stuck: "FALSE"}}
goals:
  Clear: {english: no smoke, formula: Clear}
  Bright: {english: lit again and again, formula: Bright, kind: temporal}
environments:
  dry: {english: nothing breaks, constants: {Broken: "FALSE"}, lacks: [Smoke]}
  wet: {english: it may break, constants: {Broken: "TRUE"}}
variants:
  lamp: {english: the lamp}
matrix:
  lamp:
    dry: {Clear: holds, Bright: holds}
    wet: {Clear: violated, Bright: holds}
"""


def runner(folder: Path, yaml: str = YAML, module: str = MODULE) -> Runner:
    (folder / "vstack.yaml").write_text(yaml)
    (folder / "Lamp.tla").write_text(module)
    context = open_project(folder)
    return Runner(context.project, context.tools, EvidenceStore(folder / "evidence"), context.actions)


def test_each_cell_is_decided_with_its_own_evidence(tmp_path: Path) -> None:
    found = runner(tmp_path)
    cells = run_matrix(found)
    assert [(cell.environment, cell.goal, str(cell.evidence.verdict), cell.as_expected) for cell in cells] == [
        ("dry", "Clear", "holds", True),
        ("dry", "Bright", "holds", True),
        ("wet", "Bright", "holds", True),
        ("wet", "Clear", "violated", True),
    ]
    assert cells[0].evidence.numbers.distinct == 4
    assert cells[0].evidence.key != cells[1].evidence.key
    assert cells[3].evidence.trace is not None
    assert [step["action"] for step in cells[3].evidence.trace["steps"]][1:] == ["Smoke"]
    assert silent_actions(found, cells) == ()
    assert run_matrix(found) == cells


def test_an_action_that_cannot_fire_leaves_its_goals_undecided(tmp_path: Path) -> None:
    found = runner(tmp_path, yaml=YAML.replace(", lacks: [Smoke]", ""))
    dry = run_matrix(found)[0].evidence
    assert dry.verdict == "undecided"
    assert "Smoke" in dry.reason


def test_a_floor_that_is_not_reached_leaves_its_goals_undecided(tmp_path: Path) -> None:
    found = runner(tmp_path, yaml=YAML + "floors: {distinct_states: 5}\n")
    dry = run_matrix(found)[0].evidence
    assert dry.verdict == "undecided"
    assert "4" in dry.reason
    assert "5" in dry.reason


@pytest.mark.parametrize(
    ("old", "new", "gap"),
    [
        ("    wet: {Clear: violated, Bright: holds}\n", "", "nothing is asked in environment wet"),
        ("Bright: holds}\n    wet: {Clear: violated, Bright: holds}", "Bright: holds}\n    wet: {Clear: violated}", None),
        ("{Clear: holds, Bright: holds}\n    wet: {Clear: violated, Bright: holds}", "{Clear: holds}\n    wet: {Clear: violated}",
         "Bright is asked of lamp in no environment"),
    ],
)  # fmt: skip
def test_gaps_are_named(tmp_path: Path, old: str, new: str, gap: str | None) -> None:
    assert old in YAML
    found = matrix_gaps(runner(tmp_path, yaml=YAML.replace(old, new)))
    assert [finding.message for finding in found] == ([f"The matrix has a gap: {gap}"] if gap else [])


def test_a_deadlock_decides_no_goal(tmp_path: Path) -> None:
    yaml = YAML.replace('Stuck: "FALSE"}', 'Stuck: "TRUE"}, check_deadlock: true')
    dry = run_matrix(runner(tmp_path, yaml=yaml))[0].evidence
    assert dry.verdict == "undecided"
    assert "deadlock" in dry.reason
