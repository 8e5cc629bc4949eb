"""A guard counts as needed only by a goal that holds while it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.context import open_project
from vstack.keep.evidence import EvidenceStore
from vstack.specify.scaffold import write_project
from vstack.validate.guards import broken_already
from vstack.validate.runs import Runner

ABORTED = 'Quiet == \\A r \\in Requests : phase[r] # "aborted"\n\n\\* Every request that'
ENTRY = "  Quiet:\n    english: nobody aborts\n    formula: Quiet\n\n# Faults and freedom"


def runner(folder: Path, cell: str, kills: str) -> Runner:
    write_project(folder, "toy")
    goals, yaml = folder / "goals" / "Goals.tla", folder / "vstack.yaml"
    goals.write_text(goals.read_text().replace("\\* Every request that", ABORTED))
    text = yaml.read_text().replace("# Faults and freedom", ENTRY).replace("violates: [Isolation]", kills)
    yaml.write_text(text.replace("  after:\n    calm: {Isolation: holds, Finality: holds}\n    aborts: {", "  after:\n    calm: {Isolation: holds, Finality: holds}\n    aborts: {" + cell))
    context = open_project(folder)
    return Runner(context.project, context.tools, EvidenceStore(folder / "evidence"), context.actions)


@pytest.mark.parametrize("cell", ["Quiet: violated, ", ""])
def test_a_goal_that_fails_with_the_guard_too_shows_nothing(tmp_path: Path, cell: str) -> None:
    (finding,) = broken_already(runner(tmp_path, cell, "violates: [Isolation, Quiet]"))
    assert finding.rule == "kill-proves-nothing" and "Quiet fails without wait" in finding.message


@pytest.mark.parametrize("kills", ["violates: [Isolation]", 'violates: [Isolation], constants: {Requests: "{r1}"}'])
def test_a_goal_that_holds_with_the_guard_counts(tmp_path: Path, kills: str) -> None:
    assert broken_already(runner(tmp_path, "", kills)) == ()
