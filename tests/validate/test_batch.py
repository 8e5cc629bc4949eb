"""Many versions of a model in one TLC process come out as they do one by one, each with its shortest counterexample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.validate.buffer_project import MODEL, write_project
from vstack.project import Project, load_project
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tla.tree import Spec
from vstack.tlc.run import run_tlc
from vstack.tools.find import Tools, find_tools
from vstack.validate.batch import CLEAN, FIRST, FORCED, Model, UnparsedError, can_batch, run_batch
from vstack.validate.cells import Setting, cell_job, constants_of
from vstack.validate.mutants import Mutant, make_mutants
from vstack.validate.mutation import mutation_units
from vstack.validate.schemata import Run
from vstack.validate.single import run_single
from vstack.validate.step_goals import step_goal
from vstack.validate.worlds import make_world
from vstack.verdicts import Verdict

FIXED = Setting("fixed", "calm")
BUGGY = Setting("buggy", "calm")


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def _load(folder: Path, tools: Tools, model: str = MODEL) -> tuple[Project, Spec, Model, tuple[Mutant, ...]]:
    project = load_project(write_project(folder, model=model))
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    actions = split_next(spec, "Next")
    world = make_world(project, spec, actions, tools, FIXED, {}, lambda key: None, lambda evidence: None)
    return project, spec, world.model, make_mutants(mutation_units(project, spec, actions).units)


def _pick(mutants: tuple[Mutant, ...], operator: str, action: str, before: str) -> Mutant:
    (found,) = [m for m in mutants if m.operator == operator and m.unit.name == action and before in m.before]
    return found


def test_same_as_one_by_one(tmp_path: Path, tools: Tools) -> None:
    """Each run's verdict, goal and shortest counterexample are those of a TLC process of its own."""
    project, spec, model, mutants = _load(tmp_path, tools)
    picked = [
        _pick(mutants, "drop_conjunct", "Free", "~writing"),
        _pick(mutants, "drop_update", "Land", "total'"),
        _pick(mutants, "drop_update", "Land", "box'"),
        _pick(mutants, "drop_conjunct", "Grant", "Quiet"),
    ]
    goals = (*model.invariants, *model.steps)
    assert goals == ("isolation", "counted", "only-more")
    runs = [Run(CLEAN, goals), Run(FORCED, goals, forced=True)]
    runs += [Run(FIRST + at, goals, mutant) for at, mutant in enumerate(picked)]
    result = run_batch(model, runs, tools, limit=10_000, seconds=120)
    assert result.search.complete and not result.given_up
    assert not result.of(CLEAN)
    (forced,) = result.of(FORCED)
    assert (forced.goals, len(forced.trace.steps)) == (goals[:2], 2)
    for run in runs[2:4]:
        assert run.mutant is not None
        alone = run_single(project, spec, run.mutant, FIXED, goals, tools)
        (shown,) = result.of(run.number)
        assert (alone.status, alone.killed_by) == ("killed", shown.goals)
        assert [step.state for step in shown.trace.steps] == [step.state for step in alone.trace.steps]
        assert [step.action for step in shown.trace.steps] == [step.action for step in alone.trace.steps]
    assert not result.of(runs[4].number) and not result.of(runs[5].number)


def test_switched_constants_and_every_goal(tmp_path: Path, tools: Tools) -> None:
    """Variants and environments share a run too: constants become choices; each goal gets its own counterexample."""
    down = MODEL.replace(
        '    /\\ phase\' = "idle"\n', "    /\\ phase' = \"idle\"\n    /\\ total' = IF G1 THEN total ELSE 0\n"
    ).replace("    /\\ UNCHANGED <<writing, total, box>>\n\nLose", "    /\\ UNCHANGED <<writing, box>>\n\nLose")
    project, _, model, _ = _load(tmp_path, tools, down)
    goals = (*model.invariants, *model.steps)
    fixed, buggy = (constants_of(project, setting) for setting in (FIXED, BUGGY))
    lossy = {**buggy, "Lossy": "TRUE"}
    runs = [Run(0, goals, constants=fixed), Run(1, goals, constants=buggy), Run(2, goals, constants=lossy)]
    result = run_batch(model, runs, tools, limit=10_000, seconds=120, every_goal=True)
    assert result.search.complete
    assert not result.of(0)
    for number, environment in ((1, "calm"), (2, "lossy")):
        assert sorted(goal for shown in result.of(number) for goal in shown.goals) == sorted(goals)
        for shown in result.of(number):
            for goal in shown.goals:
                alone = run_tlc(cell_job(project, Setting("buggy", environment), [goal]), tools)
                assert alone.verdict is Verdict.VIOLATED and alone.trace is not None
                assert len(shown.trace.steps) == len(alone.trace.steps)


def test_evaluation_error_names_its_run(tmp_path: Path, tools: Tools) -> None:
    _, _, model, mutants = _load(tmp_path, tools)
    bad = _pick(mutants, "drop_conjunct", "Read", "box #")
    good = _pick(mutants, "drop_conjunct", "Free", "~writing")
    goals = (*model.invariants, *model.steps)
    runs = [Run(2, goals, good), Run(3, goals, bad)]
    result = run_batch(model, runs, tools, limit=10_000, seconds=120)
    assert (result.search.complete, result.search.error, result.search.failed) == (False, True, 3)
    assert "Head" in result.search.reason
    assert not result.of(3)


def test_limit_gives_up_one_run(tmp_path: Path, tools: Tools) -> None:
    """A mutant without end ends neither the batch nor itself as killed."""
    _, _, model, mutants = _load(tmp_path, tools)
    endless = _pick(mutants, "drop_conjunct", "Ask", "total < Most")
    killed = _pick(mutants, "drop_conjunct", "Free", "~writing")
    goals = (*model.invariants, *model.steps)
    result = run_batch(model, [Run(2, goals, endless), Run(3, goals, killed)], tools, limit=200, seconds=120)
    assert result.search.complete and result.given_up == {2}
    assert not result.of(2) and len(result.of(3)) == 1


def test_actions_written_out_in_next(tmp_path: Path, tools: Tools) -> None:
    """Where Next holds disjuncts without a name the runs are kept apart all the same."""
    unnamed = MODEL.replace(
        "    \\/ Lose\n", "    \\/ (Lossy /\\ writing /\\ writing' = FALSE /\\ UNCHANGED <<phase, total, box>>)\n"
    )
    _, _, model, mutants = _load(tmp_path, tools, unnamed)
    goals = (*model.invariants, *model.steps)
    killed = _pick(mutants, "drop_conjunct", "Free", "~writing")
    result = run_batch(model, [Run(0, goals), Run(2, goals, killed)], tools, limit=10_000, seconds=120)
    assert result.search.complete and not result.of(0)
    assert [shown.goals for shown in result.of(2)] == [("isolation",)]


def test_prints_of_the_model_are_no_notes(tmp_path: Path, tools: Tools) -> None:
    """A model that prints what a batch prints kills nothing by it."""
    forging = MODEL.replace("EXTENDS BufferGoals", "EXTENDS BufferGoals, TLC").replace(
        '    /\\ phase = "idle"\n', '    /\\ phase = "idle"\n    /\\ PrintT(<<"vs-00000000", <<2, {1}>>>>)\n'
    )
    _, _, model, mutants = _load(tmp_path, tools, forging)
    goals = (*model.invariants, *model.steps)
    spared = _pick(mutants, "drop_conjunct", "Grant", "Quiet")
    result = run_batch(model, [Run(0, goals), Run(2, goals, spared)], tools, limit=10_000, seconds=120)
    assert result.search.complete and result.shown == ()


def test_out_of_time_is_not_complete(tmp_path: Path, tools: Tools) -> None:
    _, _, model, _ = _load(tmp_path, tools)
    result = run_batch(model, [Run(0, ("isolation",))], tools, limit=10_000, seconds=0.05)
    assert not result.search.complete and not result.search.error
    assert "out of time" in result.search.reason


def test_models_that_cannot_share_a_run(tmp_path: Path, tools: Tools) -> None:
    _project, _, model, _ = _load(tmp_path, tools)
    cfg = model.job.cfg
    assert can_batch(cfg) is None
    assert "view" in str(can_batch(replace(cfg, view="Isolation")))
    assert "symmetry" in str(can_batch(replace(cfg, symmetry="Isolation")))
    assert "constraints" in str(can_batch(replace(cfg, constraints=("Isolation",))))
    assert "action constraints" in str(can_batch(replace(cfg, action_constraints=("Isolation",))))


def test_step_goals(tmp_path: Path, tools: Tools) -> None:
    _, spec, _, _ = _load(tmp_path, tools)
    step = step_goal(spec, "OnlyMore")
    assert step is not None and step.text.endswith("vs_step_OnlyMore ==\n              [total' >= total]_total")
    assert step_goal(spec, "Answered") is None and step_goal(spec, "Isolation") is None


def test_generated_module_that_does_not_parse(tmp_path: Path, tools: Tools) -> None:
    _, _, model, _ = _load(tmp_path, tools)
    with pytest.raises(UnparsedError, match="don't parse"):
        run_batch(replace(model, init="NoSuchInit"), [Run(0, ("isolation",))], tools, limit=10, seconds=60)
