"""Changed goals compared with the approved ones by the real TLC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.specify.test_check import GOALS, YAML, edit
from vstack.project import Project, load_project
from vstack.reading import project_tools, read_spec
from vstack.specify.compute import compute_pins
from vstack.specify.diff import Comparison, World, compare_goals
from vstack.specify.pins import PinnedDefinition, Pins
from vstack.specify.rebuild import NotComparable, rebuild
from vstack.specify.scaffold import write_project
from vstack.tlc.job import Budget
from vstack.validate.cells import Setting, cell_job

ISOLATION = 'Isolation == transfer # "none" => page = transfer'
MOVES = 'Moves == [][transfer\' # transfer => \\/ transfer = "none"\n                                   \\/ transfer\' = "none"]_<<transfer, phase>>'
MORE_GOALS = """\
  Moves:
    kind: action
    formula: Moves
    english: A transfer ends before the next begins.
  Quiet:
    formula: Quiet
    english: A page that nobody owns is free.
  Always:
    kind: temporal
    formula: Always
    english: Isolation at all times.
"""


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Pins]:
    root = tmp_path_factory.mktemp("project")
    write_project(root, "toy")
    edit(
        root,
        GOALS,
        ISOLATION,
        f'{ISOLATION}\nAlways == [](/\\ Isolation\n             /\\ page # "none")\nQuiet == page # "none"\n{MOVES}',
    )
    edit(root, YAML, "\n# Faults and freedom", f"{MORE_GOALS}\n# Faults and freedom")
    project = load_project(root)
    return root, compute_pins(project, read_spec(project))


def changed(start: tuple[Path, Pins], folder: Path, before: str, after: str) -> Project:
    import shutil

    shutil.copytree(start[0], folder / "copy")
    edit(folder / "copy", GOALS, before, after)
    return load_project(folder / "copy")


def compared(
    project: Project, approved: Pins, goal: str, *, variants: tuple[str, ...] = ("before",), seconds: float = 60
) -> Comparison:
    spec = read_spec(project)
    assert spec is not None
    worlds = []
    for variant in variants:
        job = cell_job(project, Setting(variant, "aborts"), [])
        worlds.append(World(f"{variant} / aborts", replace(job, budget=Budget(seconds, 256))))
    return compare_goals(
        [goal], approved, compute_pins(project, spec), spec=spec, worlds=worlds, tools=project_tools(project)
    )[0]


@pytest.mark.parametrize(
    ("after", "relation", "accepted"),
    [
        (
            'transfer # "none" => \\/ page = transfer\n                                  \\/ page = "free"',
            "weaker",
            ["now"],
        ),
        ('page = transfer \\/ (transfer = "none" /\\ page = "free")', "stronger", ["approved"]),
        ('transfer # "none" => page # transfer', "neither", ["now", "approved"]),
        ('transfer \\notin {"none", page} => FALSE', "the same on every reachable state", []),
    ],
)
def test_a_changed_invariant_is_placed_with_a_state_that_tells_it_apart(
    start: tuple[Path, Pins], tmp_path: Path, after: str, relation: str, accepted: list[str]
) -> None:
    found = compared(changed(start, tmp_path, ISOLATION, f"Isolation == {after}"), start[1], "Isolation")
    assert (found.relation, found.reason) == (relation, "")
    assert sorted(witness.accepted_by for witness in found.witnesses) == sorted(accepted)
    for witness in found.witnesses:
        state = witness.states[0]
        is_isolated = state["transfer"] == '"none"' or state["page"] == state["transfer"]
        assert is_isolated is (witness.accepted_by == "approved")


def test_only_a_variant_that_breaks_the_goal_shows_that_it_was_weakened(
    start: tuple[Path, Pins], tmp_path: Path
) -> None:
    project = changed(start, tmp_path, ISOLATION, "Isolation == TRUE")
    assert compared(project, start[1], "Isolation", variants=("after",)).relation == "the same on every reachable state"
    found = compared(project, start[1], "Isolation", variants=("after", "before"))
    assert found.relation == "weaker" and found.witnesses[0].world == "before / aborts"
    assert found.witnesses[0].steps == ("Start", "Abort", "Free")


def test_steps_are_compared_for_an_action_goal(start: tuple[Path, Pins], tmp_path: Path) -> None:
    project = changed(start, tmp_path, '\\/ transfer\' = "none"]', '\\/ transfer\' = "nowhere"]')
    found = compared(project, start[1], "Moves")
    assert found.relation == "stronger" and len(found.witnesses[0].states) == 2
    before, after = found.witnesses[0].states
    assert before["transfer"] != '"none"' and after["transfer"] == '"none"'


def test_a_helper_behind_an_always_formula_is_followed(start: tuple[Path, Pins], tmp_path: Path) -> None:
    project = changed(start, tmp_path, ISOLATION, "Isolation == TRUE")
    found = compared(project, start[1], "Always")
    assert found.relation == "weaker" and found.witnesses[0].states[0]["page"] == '"free"'


def test_other_temporal_formulas_are_said_to_be_undecided(start: tuple[Path, Pins], tmp_path: Path) -> None:
    project = changed(start, tmp_path, 'phase[r] = "loading" ~>', 'phase[r] # "new" ~>')
    found = compared(project, start[1], "Finality")
    assert found.relation == "undecided" and "temporal" in found.reason


def test_a_goal_that_can_not_be_evaluated_hides_no_other(start: tuple[Path, Pins], tmp_path: Path) -> None:
    project = changed(start, tmp_path, ISOLATION, 'Isolation == phase[transfer] # "new"')
    edit(project.root, GOALS, 'Quiet == page # "none"', 'Quiet == page \\notin {"none", "free"}')
    spec = read_spec(project)
    assert spec is not None
    world = World("before / calm", cell_job(project, Setting("before", "calm"), []))
    pins = compute_pins(project, spec)
    broken, quiet = compare_goals(
        ["Isolation", "Quiet"], start[1], pins, spec=spec, worlds=[world], tools=project_tools(project)
    )
    assert broken.relation == "undecided" and "error" in broken.reason
    assert (quiet.relation, quiet.witnesses[0].accepted_by) == ("stronger", "approved")


def test_no_time_is_undecided_and_never_the_same(start: tuple[Path, Pins], tmp_path: Path) -> None:
    project = changed(start, tmp_path, ISOLATION, "Isolation == TRUE")
    found = compared(project, start[1], "Isolation", variants=("after",), seconds=0.05)
    assert found.relation == "undecided" and "out of time" in found.reason


def test_a_text_in_the_lock_that_is_not_what_was_hashed_is_not_compared(start: tuple[Path, Pins]) -> None:
    root, pins = start
    project = load_project(root)
    spec = read_spec(project)
    assert spec is not None
    for text, said in (
        ("Isolation == TRUE", "not the one that was hashed"),
        ("Isolation == gone = 1", "does not stand"),
    ):
        forged = PinnedDefinition(digest=pins.definitions["Goals!Isolation"].digest, place="x:1", text=text)
        other = pins.model_copy(update={"definitions": {**pins.definitions, "Goals!Isolation": forged}})
        with pytest.raises(NotComparable, match=said):
            rebuild("Old", other, other.goals["Isolation"], spec, project_tools(project))
