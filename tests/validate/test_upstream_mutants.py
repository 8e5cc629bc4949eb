"""On the upstream cases: guards keep the rule, and all mutants of a model together are one module that parses."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.project import load_project
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tools.find import find_tools
from vstack.validate.guard_rule import check_guard_constants
from vstack.validate.mutants import OPERATORS, make_mutants
from vstack.validate.mutation import mutation_units
from vstack.validate.schemata import Registers, Run, model_schemata

CASES = sorted(path.parent for path in Path(__file__).parents[2].glob("examples/upstream/*/vstack.yaml"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path) -> None:
    tools = find_tools()
    project = load_project(case)
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    actions = split_next(spec, project.model.next)
    assert check_guard_constants(project, spec, actions) == ()

    units = mutation_units(project, spec, actions)
    assert set(units.skipped) == set(project.file.environment_actions), units.skipped
    mutants = make_mutants(units.units)
    assert len(mutants) == len({mutant.id for mutant in mutants}) > 100
    used = {mutant.operator for mutant in mutants}
    assert used == set(OPERATORS)
    runs = [Run(number, (), mutant) for number, mutant in enumerate(mutants, start=2)]
    schemata = model_schemata(spec, actions, runs, Registers("mark", 1000, 1))
    assert schemata.framed, "actions keep their names"
    for name, text in schemata.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    together = load(tmp_path / f"{spec.root.name}.tla", search=[], java=tools.java, jar=tools.jar)
    for unit in units.units:
        count = sum(unit in mutant.units for mutant in mutants)
        assert together.has(f"vs_{count}_{unit.name}") or not count
        assert not together.has(f"vs_{count + 1}_{unit.name}")


def test_there_are_cases() -> None:
    assert CASES
