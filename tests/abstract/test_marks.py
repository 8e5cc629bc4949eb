"""Marks joined to the actions of Next, as SANY reads them."""

from __future__ import annotations

from pathlib import Path

from tests.abstract.conftest import Upstream
from tests.abstract.test_check import anchored
from vstack.abstract.marks import read_marks
from vstack.context import Context
from vstack.project import load_project


def read(folder: Path) -> list[str]:
    project = load_project(folder)
    return [finding.rule for finding in read_marks(project, Context(project).spec)[1]]


def test_marks_belong_to_the_action_they_stand_above(make_project, upstream: Upstream):
    folder = make_project(["What a step does.", *anchored(upstream.anchor(12, 14)), "@split at the send"])
    project = load_project(folder)
    (step, fault), findings = read_marks(project, Context(project).spec)
    assert (step.action, step.processes, step.splits, len(step.anchors)) == ("Step", ("worker",), ("at the send",), 1)
    assert step.anchors[0].where == f"{folder / 'Model.tla'}:6"
    assert (fault.action, fault.environment, findings) == ("Fault", "the network loses a packet", ())


def test_marks_that_free_an_action_of_anchors_must_be_declared(make_project, upstream: Upstream):
    rules = read(make_project([], None))
    assert rules == ["anchor-missing"]
    rules = read(make_project(["@environment a fault"]))
    assert rules == ["anchor-environment"]
    rules = read(make_project(["@ours a better way"]))
    assert rules == ["anchor-ours"]


def test_a_mark_that_stands_above_no_action_is_found(make_project, upstream: Upstream):
    folder = make_project([*anchored(upstream.anchor(12, 14)), ""])
    text = (folder / "Model.tla").read_text(encoding="utf-8").replace("\\* \n", "\n")
    (folder / "Model.tla").write_text(text, encoding="utf-8")
    rules = read(folder)
    assert rules == ["anchor-missing", "anchor-stray", "anchor-stray"]
