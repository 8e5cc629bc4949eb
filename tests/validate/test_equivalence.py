"""Survivors are called equivalent only where every reachable step of each is one of the other's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.validate.test_batch import _load, _pick
from vstack.tools.find import Tools, find_tools
from vstack.validate.batch import FIRST
from vstack.validate.equivalence import compare
from vstack.validate.schemata import Run


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def test_equivalent_and_both_directions(tmp_path: Path, tools: Tools) -> None:
    _, _, model, mutants = _load(tmp_path, tools)
    picked = [
        _pick(mutants, "drop_conjunct", "Grant", "Quiet"),  # nothing is ever written while asked
        _pick(mutants, "delete_action", "Read", ""),  # the model can read, the mutant can't
        _pick(mutants, "drop_conjunct", "Free", 'phase = "held"'),  # the mutant can free what was only asked for
        _pick(mutants, "weaken_comparison", "Ask", "total < Most"),  # one more round than the model
    ]
    found = compare(model, [Run(FIRST + at, (), mutant) for at, mutant in enumerate(picked)], tools, seconds=120)
    equivalent, deleted, freed, more = (found[FIRST + at] for at in range(4))
    assert equivalent.equivalent and equivalent.difference is None
    for other, by_mutant, action, states in (
        (deleted, False, "Read", 5),
        (freed, True, "Free", 3),
        (more, True, "Ask", 10),
    ):
        assert not other.equivalent and other.difference is not None
        assert other.difference.by_mutant is by_mutant
        assert other.difference.trace.steps[-1].action == action
        assert len(other.difference.trace.steps) == states
    assert [step.action for step in freed.difference.trace.steps] == ["Initial predicate", "Ask", "Free"]


def test_evaluation_error_leaves_only_the_culprit_open(tmp_path: Path, tools: Tools) -> None:
    _, _, model, mutants = _load(tmp_path, tools)
    culprit = _pick(mutants, "drop_conjunct", "Read", "box #")
    same = _pick(mutants, "drop_conjunct", "Grant", "Quiet")
    found = compare(model, [Run(2, (), culprit), Run(3, (), same)], tools, seconds=120)
    assert found[3].equivalent
    assert not found[2].equivalent and found[2].difference is None
    assert "not compared" in found[2].reason and "Head" in found[2].reason


def test_out_of_time_proves_nothing(tmp_path: Path, tools: Tools) -> None:
    _, _, model, mutants = _load(tmp_path, tools)
    same = _pick(mutants, "drop_conjunct", "Grant", "Quiet")
    found = compare(model, [Run(2, (), same)], tools, seconds=0.05)
    assert not found[2].equivalent and "out of time" in found[2].reason
