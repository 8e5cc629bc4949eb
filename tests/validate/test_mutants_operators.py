"""Every mutation operator does what its own examples say; names and ids of mutants hang on content alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.validate.buffer_project import MODEL, write_project
from vstack.errors import VstackError
from vstack.project import load_project
from vstack.tla.actions import split_next
from vstack.tla.closure import normal_text
from vstack.tla.sany import load
from vstack.tla.tree import Spec
from vstack.tools.find import Tools, find_tools
from vstack.validate.mutants import OPERATORS, Mutant, Unit, definition_text, make_mutants
from vstack.validate.mutation import mutation_units

EXAMPLES = [(name, at) for name, operator in OPERATORS.items() for at in range(len(operator.examples))]
HEADER = "---- MODULE {name} ----\nEXTENDS Naturals, Sequences\nVARIABLES x, y, z, f\n"


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


@dataclass(frozen=True)
class Loaded:
    """The examples before and after their mutation, and ``results``: each proposal's definitions as ``Name_number``."""

    after: Spec
    results: Spec
    proposals: dict[tuple[str, int], int]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> Loaded:
    folder = tmp_path_factory.mktemp("examples")

    def module(name: str, texts: list[str]) -> Spec:
        path = folder / f"{name}.tla"
        path.write_text(HEADER.format(name=name) + "\n".join(texts) + "\n====\n", encoding="utf-8")
        return load(path, search=[], java=tools.java, jar=tools.jar)

    before = module("Before", [OPERATORS[name].examples[at].before for name, at in EXAMPLES])
    after = module("After", [OPERATORS[name].examples[at].after for name, at in EXAMPLES])
    results, proposals = [], {}
    for name, at in EXAMPLES:
        units = [Unit(before.definition(one), before.root.text) for one in _names(name, at)]
        found = list(OPERATORS[name].propose(units))
        proposals[name, at] = len(found)
        for number, proposal in enumerate(found):
            for unit in units:
                text = definition_text(unit, proposal.edits)
                results.append(text.replace(unit.name, f"{unit.name}_{number}", 1))
    return Loaded(after, module("Results", results), proposals)


def _names(name: str, at: int) -> list[str]:
    lines = OPERATORS[name].examples[at].before.split("\n")
    return [line.split(" == ")[0].split("(")[0] for line in lines if " == " in line]


@pytest.mark.parametrize(("name", "at"), EXAMPLES)
def test_examples(loaded: Loaded, name: str, at: int) -> None:
    """The example's result is one of the operator's proposals, as SANY reads both."""
    wanted = [_meaning(loaded.after, one) for one in _names(name, at)]
    proposed = [
        [_meaning(loaded.results, f"{one}_{number}") for one in _names(name, at)]
        for number in range(loaded.proposals[name, at])
    ]
    assert wanted in proposed


def _meaning(spec: Spec, name: str) -> str:
    return normal_text(spec, name).replace(name, "it", 1)


def test_operators_say_what_they_do() -> None:
    for name, operator in OPERATORS.items():
        assert type(operator).__doc__, name
        assert operator.examples, name
        assert type(operator).__module__.endswith(f".{name}"), "an operator is found by its file's name"


def _mutants(folder: Path, tools: Tools, model: str = MODEL) -> tuple[Mutant, ...]:
    project = load_project(write_project(folder, model=model))
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    return make_mutants(mutation_units(project, spec, split_next(spec, "Next")).units)


def test_ids_hang_on_content(tmp_path: Path, tools: Tools) -> None:
    """Comments, blank lines and moved definitions leave ids as they are; a changed conjunct does not."""
    first = {mutant.id for mutant in _mutants(tmp_path / "a", tools)}
    moved = MODEL.replace("Ask ==\n", "\\* a comment\n\n\nAsk ==\n").replace(
        "    /\\ box # <<>>   \\*", "    /\\ box   # <<>>  \\*"
    )
    assert {mutant.id for mutant in _mutants(tmp_path / "b", tools, moved)} == first
    changed = MODEL.replace("total < Most", "total + 1 < Most")
    assert {mutant.id for mutant in _mutants(tmp_path / "c", tools, changed)} != first
    assert len(first) == len(_mutants(tmp_path / "a", tools)), "no id stands for two mutants"


def test_environment_goals_and_init_are_left_alone(tmp_path: Path, tools: Tools) -> None:
    project = load_project(write_project(tmp_path))
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    units = mutation_units(project, spec, split_next(spec, "Next"))
    assert {unit.name for unit in units.units} == {"Ask", "Grant", "Land", "Read", "Free", "Quiet"}
    assert units.skipped == {"Lose": "an environment action"}
    kept = {"Lose", "Init", "Isolation", "Counted", "OnlyMore", "Answered"}
    assert not kept & {mutant.unit.name for mutant in make_mutants(units.units)}


def test_helper_of_environment_is_left_alone(tmp_path: Path, tools: Tools) -> None:
    """A mutant of a helper that the environment uses too would tame the environment."""
    shared = MODEL.replace("    /\\ Lossy\n    /\\ writing", "    /\\ Lossy\n    /\\ ~Quiet")
    project = load_project(write_project(tmp_path, model=shared))
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    units = mutation_units(project, spec, split_next(spec, "Next"))
    assert "Quiet" not in {unit.name for unit in units.units}


def test_unknown_operator(tmp_path: Path) -> None:
    with pytest.raises(VstackError, match="no mutation operator `drop_everything`.*drop_conjunct"):
        make_mutants([], ["drop_everything"])
