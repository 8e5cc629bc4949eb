"""Refinement goals: a mapping must move, and the abstract actions must happen; run through real TLC."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.context import open_project
from vstack.keep.evidence import EvidenceStore
from vstack.validate.refinement import constant_mappings, frozen_mappings, refinements

MODEL = """---- MODULE Count ----
EXTENDS Naturals
VARIABLES x, phase
Init == x = 0 /\\ phase = "up"
Up == phase = "up" /\\ x < 3 /\\ x' = x + 1 /\\ UNCHANGED phase
Turn == x = 3 /\\ phase = "up" /\\ phase' = "down" /\\ UNCHANGED x
Next == Up \\/ Turn
Spec == Init /\\ [][Next]_<<x, phase>>
Half == INSTANCE Steps WITH n <- MAPPED
Refines == /\\ Half!Spec
====
"""
STEPS = """---- MODULE Steps ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
More(k) == n' = n + k
Next == \\E k \\in 1..2 : More(k)
Spec == Init /\\ [][Next]_n
====
"""
YAML = """version: 1
project: count
model: {module: Count.tla}
budget: {brief: true}
goals:
  Refines: {kind: temporal, formula: Refines, english: It counts in steps.}
  Bounded: {kind: temporal, formula: Spec, english: It is what it is.}
"""


def asked(
    folder: Path, mapped: str, steps: str = STEPS, *, model: str = MODEL, prefix: str = "Half"
) -> tuple[list[str], list[str]]:
    """Messages of the rule that reads the tree, and of the one that runs TLC (twice: the second time from the store)."""
    (folder / "Count.tla").write_text(model.replace("MAPPED", mapped))
    (folder / "Steps.tla").write_text(steps)
    (folder / "vstack.yaml").write_text(YAML)
    context = open_project(folder)
    project, spec = context.project, context.spec
    assert [(one.goal, one.prefix, one.formula) for one in refinements(project, spec)] == [("Refines", prefix, "Spec")]
    store = EvidenceStore(folder / "evidence")
    found = frozen_mappings(project, spec, context.tools, store, lambda text: None)
    assert frozen_mappings(project, spec, context.tools, store, lambda text: None) == found
    return [one.message for one in constant_mappings(project, spec)], [one.message for one in found]


def test_a_mapping_that_follows_the_model_passes(tmp_path: Path) -> None:
    assert asked(tmp_path, "x \\div 2") == ([], [])
    changed = MODEL.replace("Half ==", "Half(m) ==").replace("MAPPED", "m").replace("Half!", "Half(x \\div 2)!")
    assert asked(tmp_path, "", model=changed, prefix="Half(x \\div 2)") == ([], [])


@pytest.mark.parametrize("given", ["1 - 1", "x"])
def test_a_constant_is_seen_without_a_run(tmp_path: Path, given: str) -> None:
    for model in (
        MODEL.replace("MAPPED", given),
        MODEL.replace("Half ==", "Half(m) ==").replace("MAPPED", "m").replace("Half!", f"Half({given})!"),
    ):
        (tmp_path / "Count.tla").write_text(model)
        (tmp_path / "Steps.tla").write_text(STEPS)
        (tmp_path / "vstack.yaml").write_text(YAML)
        context = open_project(tmp_path)
        found = constant_mappings(context.project, context.spec)
        expected = [] if given == "x" else ["The goal Refines refines Steps with n <- 1 - 1, a constant"]
        assert [one.message for one in found] == expected


def test_an_expression_that_never_changes_stands_still(tmp_path: Path) -> None:
    mapped = "IF x > 7 THEN x ELSE 0"
    told, frozen = asked(tmp_path, mapped)
    assert told == []
    assert [message.partition("stands still: ")[2] for message in frozen] == [
        f"{mapped}, which stands for n, never changes",
        "no step of the model is the abstract action More",
    ]


def test_an_abstract_action_that_no_step_takes_is_named(tmp_path: Path) -> None:
    steps = STEPS.replace("Next == \\E", "Reset == n > 0 /\\ n' = 0\nNext == Reset \\/ \\E")
    _, frozen = asked(tmp_path, "x \\div 2", steps)
    assert [message.rpartition(": ")[2] for message in frozen] == ["no step of the model is the abstract action Reset"]
