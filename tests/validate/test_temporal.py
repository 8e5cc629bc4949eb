"""Temporal goals over several mutants at once decide what they decide one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.validate.test_batch import FIXED, _load
from vstack.tools.find import Tools, find_tools
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant
from vstack.validate.single import run_single
from vstack.validate.temporal import settle


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def test_same_as_one_by_one(tmp_path: Path, tools: Tools) -> None:
    project, spec, model, mutants = _load(tmp_path, tools)
    assert model.later == ("answered",)
    picked = [mutant for mutant in mutants if mutant.operator == "delete_action"]
    together: dict[str, Fate] = {}

    def note(mutant: Mutant, fate: Fate) -> None:
        assert mutant.id not in together
        together[mutant.id] = fate

    settle(project, spec, model, FIXED, picked, tools, note)
    assert {name.split("-")[1] for name, fate in together.items() if fate.status == "killed"} == {"Grant"}
    for mutant in picked:
        alone = run_single(project, spec, mutant, FIXED, model.later, tools)
        fate = together[mutant.id]
        assert (fate.status, fate.killed_by) == (alone.status, alone.killed_by)
        assert fate.status == "survived" or (fate.trace is not None and fate.trace == alone.trace)
