"""Kill matrix and mutants of one case: batches against one TLC process per question, run one after another.

`python -m benchmarks.mutation [PROJECT] [--environment NAME] [--sample N]`. Both
sides decide the same questions with the same jar on the same machine, one right
after the other: for each entry of `kills`, each goal that a state or a step
decides; for each mutant of the sample (every k-th), whether such a goal notices
it. The answers must agree, or nothing is measured. Temporal goals, which run
alone on both sides, and the comparison of survivors, which only batches do, are
left out.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.timing import Row, table
from vstack.keep.evidence import machine, now
from vstack.project import Project, load_project
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tla.tree import Spec
from vstack.tools.find import Tools, find_tools
from vstack.validate.batch import run_batch
from vstack.validate.cells import Setting, as_items, constants_of
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant, make_mutants
from vstack.validate.mutation import mutation_units
from vstack.validate.safety import STATES_FACTOR, kill, run_controls
from vstack.validate.schemata import Run
from vstack.validate.single import run_single
from vstack.validate.worlds import World, make_world

CASE = Path(__file__).parent.parent / "examples" / "upstream" / "vllm-32255"
JOBS = 2


@dataclass(frozen=True)
class _Case:
    """What both sides are asked: the kills' settings, the mutants, and the world that the mutants live in."""

    project: Project
    spec: Spec
    tools: Tools
    world: World
    kills: tuple[Setting, ...]
    mutants: tuple[Mutant, ...]

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that one state or one step decides."""
        return (*self.world.model.invariants, *self.world.model.steps)


def measure(folder: Path = CASE, environment: str | None = None, sample: int = 24) -> list[Row]:
    """Two rows: batches, and single processes two at a time, each against single processes one after another."""
    case = _case(folder, environment, sample)
    started = perf_counter()
    batched = _batched(case)
    in_batches = perf_counter() - started
    started = perf_counter()
    single = _single(case, 1)
    one_by_one = perf_counter() - started
    started = perf_counter()
    _single(case, JOBS)
    side_by_side = perf_counter() - started
    given_up = {name for name, answer in batched.items() if answer == {"undecided"}}
    differing = [name for name in batched if name not in given_up and bool(batched[name]) != bool(single[name])]
    if differing:
        raise SystemExit(f"the two sides disagree, nothing is measured: {', '.join(differing)}")
    asked = f"{len(case.kills)} kills, {len(case.mutants)} mutants of {case.project.file.project}"
    asked += f" ({len(given_up)} given up at {STATES_FACTOR} times the model's states)" if given_up else ""
    other = "a process each, one by one"
    return [
        Row(f"{asked}: in batches", in_batches, one_by_one, other, 3.0, at_least=True),
        Row(f"{asked}: a process each, {JOBS} at a time", side_by_side, one_by_one, other, 1.0, at_least=True),
    ]


def _case(folder: Path, environment: str | None, sample: int) -> _Case:
    project = load_project(folder)
    tools = find_tools()
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    wanted = project.file.mutation
    if wanted is None:
        raise SystemExit(f"{folder} has no `mutation` section")
    actions = split_next(spec, project.model.next)
    setting = Setting(wanted.variant, environment or wanted.environments[0])
    world = make_world(project, spec, actions, tools, setting, {}, lambda key: None, lambda evidence: None)
    mutants = make_mutants(mutation_units(project, spec, actions).units, wanted.operators)
    step = max(1, len(mutants) // sample) if sample else 1
    kills = dict.fromkeys(
        Setting(entry.variant, entry.environment, (entry.guard,), as_items(entry.constants))
        for entry in project.file.kills
    )
    return _Case(project, spec, tools, world, tuple(kills), mutants[::step])


def _batched(case: _Case) -> dict[str, set[str]]:
    """The goals each question's version breaks; the controls, which single processes don't have, are paid for too."""
    found: dict[str, set[str]] = {}
    seconds = case.project.file.budget.seconds
    controls = run_controls(case.world.model, case.tools, seconds=seconds)
    if not controls.clean:
        raise SystemExit(controls.reason)
    if case.kills:
        runs = [
            Run(number, case.goals, constants=constants_of(case.project, setting))
            for number, setting in enumerate(case.kills)
        ]
        result = run_batch(case.world.model, runs, case.tools, limit=1_000_000_000, seconds=seconds, every_goal=True)
        if not result.search.complete:
            raise SystemExit(result.search.reason)
        for run in runs:
            broken = {goal for shown in result.of(run.number) for goal in shown.goals}
            for goal in case.goals:
                found[f"kill {run.number} {goal}"] = broken & {goal}

    def note(mutant: Mutant, fate: Fate) -> None:
        found[mutant.id] = set(fate.killed_by) or ({fate.status} if fate.status != "survived" else set())

    kill(
        case.world.model,
        case.mutants,
        case.tools,
        limit=controls.limit,
        seconds=seconds,
        jobs=JOBS,
        confirm=lambda mutant: run_single(case.project, case.spec, mutant, case.world.setting, case.goals, case.tools),
        on_fate=note,
    )
    return found


def _single(case: _Case, jobs: int) -> dict[str, set[str]]:
    """The same questions, a TLC process for each."""

    def ask(mutant: Mutant | None, setting: Setting, goals: tuple[str, ...]) -> set[str]:
        fate = run_single(case.project, case.spec, mutant, setting, goals, case.tools)
        return set(fate.killed_by) or ({fate.status} if fate.status != "survived" else set())

    questions = {
        f"kill {number} {goal}": (None, setting, (goal,))
        for number, setting in enumerate(case.kills)
        for goal in case.goals
    } | {mutant.id: (mutant, case.world.setting, case.goals) for mutant in case.mutants}
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = {name: pool.submit(ask, *question) for name, question in questions.items()}
        return {name: future.result() for name, future in futures.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("project", nargs="?", type=Path, default=CASE)
    parser.add_argument("--environment")
    parser.add_argument("--sample", type=int, default=24, help="mutants on each side; 0 for all")
    given = parser.parse_args()
    print(table(measure(given.project, given.environment, given.sample), machine(), now()[:10]))
