"""A mutant that doesn't parse costs no other mutant its answer; no mutant of the scaffold is one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.validate.test_batch import FIXED, _load, _pick
from vstack.project import load_project
from vstack.specify.scaffold import write_project
from vstack.tla.actions import split_next
from vstack.tla.edit import Edit
from vstack.tla.sany import load
from vstack.tools.find import Tools, find_tools
from vstack.validate.batch import FIRST, run_batch
from vstack.validate.cells import Setting
from vstack.validate.equivalence import compare
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant, make_mutants
from vstack.validate.mutation import mutation_units
from vstack.validate.safety import kill
from vstack.validate.schemata import Run
from vstack.validate.single import run_single
from vstack.validate.worlds import make_world


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def _unparsed(mutant: Mutant) -> Mutant:
    """``mutant`` with a change that names what no module defines."""
    return replace(mutant, id="unparsed", edits=(Edit(mutant.edits[0].span, "NoSuchName"),))


def test_only_the_culprit_is_broken(tmp_path: Path, tools: Tools) -> None:
    project, spec, model, mutants = _load(tmp_path, tools)
    killed = _pick(mutants, "drop_conjunct", "Free", "~writing")
    same = _pick(mutants, "drop_conjunct", "Grant", "Quiet")
    culprit = _unparsed(_pick(mutants, "drop_update", "Land", "box'"))
    goals = (*model.invariants, *model.steps)
    fates: dict[str, Fate] = {}
    confirmed: list[Mutant] = []

    def confirm(mutant: Mutant) -> Fate:
        confirmed.append(mutant)
        return run_single(project, spec, mutant, FIXED, goals, tools)

    kill(
        model,
        [killed, culprit, same],
        tools,
        limit=10_000,
        seconds=60,
        jobs=1,
        confirm=confirm,
        on_fate=lambda mutant, fate: fates.update({mutant.id: fate}),
    )
    assert {name: fate.status for name, fate in fates.items()} == {
        killed.id: "killed",
        same.id: "survived",
        "unparsed": "broken",
    }
    assert confirmed == [culprit] and "NoSuchName" in fates["unparsed"].reason


def test_only_the_culprit_is_not_compared(tmp_path: Path, tools: Tools) -> None:
    _, _, model, mutants = _load(tmp_path, tools)
    same = _pick(mutants, "drop_conjunct", "Grant", "Quiet")
    culprit = _unparsed(_pick(mutants, "drop_update", "Land", "box'"))
    found = compare(model, [Run(FIRST, (), same), Run(FIRST + 1, (), culprit)], tools, seconds=60)
    assert found[FIRST].equivalent
    assert not found[FIRST + 1].equivalent and "NoSuchName" in found[FIRST + 1].reason


def test_mutants_of_the_scaffold(tmp_path: Path, tools: Tools) -> None:
    """Every mutant of what `vstack init` writes parses, the one with exchanged branches around `@` too."""
    write_project(tmp_path, "handover")
    project = load_project(tmp_path)
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    actions = split_next(spec, "Next")
    setting = Setting("after", "aborts")
    world = make_world(project, spec, actions, tools, setting, {}, lambda key: None, lambda evidence: None)
    mutants = make_mutants(mutation_units(project, spec, actions).units)
    goals = (*world.model.invariants, *world.model.steps)
    runs = [Run(FIRST + at, goals, mutant) for at, mutant in enumerate(mutants)]
    assert run_batch(world.model, runs, tools, limit=10_000, seconds=60).search.complete
    (exchanged,) = [mutant for mutant in mutants if mutant.after == 'IF @ = "loading" THEN @ ELSE "ready"']
    fate = run_single(project, spec, exchanged, setting, ["Finality"], tools)
    assert (fate.status, fate.killed_by) == ("killed", ("Finality",))
