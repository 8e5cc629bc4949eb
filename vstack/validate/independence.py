"""Rule: a goal that notices nothing by itself adds nothing. For each one that a state or step decides, a mistake that no other such goal notices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from vstack.keep.evidence import EvidenceStore
from vstack.project import PROJECT_FILE, Project
from vstack.results import Cell, Finding, KillRow, MutationReport, NoticedAlone
from vstack.tla.actions import Action
from vstack.tla.tree import Spec
from vstack.tools.find import Tools
from vstack.validate.batch import FIRST, UnparsedError, run_batch, sort_goals
from vstack.validate.cells import Setting, module_inputs
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant, make_mutants
from vstack.validate.mutation import mutation_units
from vstack.validate.safety import STATES_FACTOR, STATES_LEAST
from vstack.validate.schemata import Run
from vstack.validate.worlds import World, make_world
from vstack.verdicts import Verdict

_PHASE = "every goal"
# A mutant is followed to its end here, past its first counterexample, so few are tried at a time.
_ROUNDS = (3, 12)


@dataclass(frozen=True)
class _Search:
    """What the mutants' runs of one project share."""

    project: Project
    spec: Spec
    actions: Sequence[Action]
    tools: Tools
    store: EvidenceStore
    on_event: Callable[[str], None]

    def world(self, environment: str) -> World:
        """The world that mutants of one environment live in."""
        mutation = self.project.file.mutation
        assert mutation is not None
        setting = Setting(mutation.variant, environment)
        inputs = module_inputs(self.project)
        return make_world(
            self.project, self.spec, tuple(self.actions), self.tools, setting, inputs, self.store.get, self.store.put
        )


def find_noticed_alone(
    project: Project,
    spec: Spec,
    actions: Sequence[Action],
    tools: Tools,
    store: EvidenceStore,
    ran: tuple[Iterable[Cell], Iterable[KillRow], MutationReport | None],
    on_event: Callable[[str], None],
) -> tuple[NoticedAlone, ...]:
    """For each goal that a state or step decides, a variant, a guard's removal or a mutant that breaks it and no other such goal.

    A mutant's row tells only what its first counterexample breaks; those that
    one goal alone notices first are followed to the end, a few for each goal. A
    part of the mutants shows nothing: then there are rows of what else was seen alone.
    """
    goals = {name: (goal.kind, goal.formula or "") for name, goal in project.file.goals.items() if goal.is_searched}
    invariants, steps, _ = sort_goals(spec, goals)
    asked = (*invariants, *steps)
    if len(asked) < 2:
        return ()
    cells, kills, mutation = ran
    found = _shown(asked, cells, kills)
    followed: dict[str, list[bool]] = {goal: [] for goal in asked}
    partial = mutation is not None and mutation.shard is not None
    if mutation is not None and not partial:
        search = _Search(project, spec, actions, tools, store, on_event)
        _try_mutants(search, asked, mutation, found, followed)
    return tuple(
        NoticedAlone(
            goal=goal,
            where=found.get(goal),
            tried=followed[goal].count(True),
            given_up=followed[goal].count(False),
            excuse=project.file.goals[goal].excuse_unique,
        )
        for goal in asked
        if goal in found or not partial
    )


def noticed_alone_findings(project: Project, rows: Iterable[NoticedAlone], *, partial: bool) -> list[Finding]:
    """Goals of a project with mutants that notice nothing which another goal does not, without an excuse.

    None where the policy only counts them. ``partial``: only some of the mutants were run, which shows nothing.
    """
    if project.file.mutation is None or partial or project.file.policy.get("dependent_goals", "refuse") != "refuse":
        return []
    return [
        Finding(
            rule="goal-not-independent",
            where=str(project.root / PROJECT_FILE),
            message=f"Nothing was found that {row.goal} alone notices: no variant, no guard taken away, none of {row.tried}"
            " mutants followed to their end"
            + (f", and {row.given_up} had too many states" if row.given_up else "")
            + ". The other goals may imply it",
            todo=f"Strike it or make it stronger, or say under `goals.{row.goal}.excuse_unique` why it stays and have that approved",
            outcome="undecided" if row.given_up else "refused",
        )
        for row in rows
        if row.where is None and row.excuse is None
    ]


def _shown(asked: Sequence[str], cells: Iterable[Cell], kills: Iterable[KillRow]) -> dict[str, str]:
    """What the matrix and the guards taken away show, where all goals that are asked were decided."""
    groups: dict[str, dict[str, Verdict]] = {}
    for cell in cells:
        groups.setdefault(f"variant {cell.variant} in {cell.environment}", {})[cell.goal] = cell.evidence.verdict
    for row in kills:
        name = f"variant {row.variant} in {row.environment} without {row.guard}"
        groups[name] = {cell.goal: cell.evidence.verdict for cell in row.cells}
    found: dict[str, str] = {}
    for name, verdicts in groups.items():
        broken = [goal for goal in asked if verdicts.get(goal) is Verdict.VIOLATED]
        decided = all(verdicts.get(goal) in (Verdict.VIOLATED, Verdict.HOLDS) for goal in asked)
        if decided and len(broken) == 1:
            found.setdefault(broken[0], name)
    return found


def _try_mutants(
    search: _Search,
    asked: Sequence[str],
    report: MutationReport,
    found: dict[str, str],
    followed: dict[str, list[bool]],
) -> None:
    """Follow mutants that one goal notices first; what they show goes into ``found``, whether they ended into ``followed``."""
    mutants = {
        mutant.id: mutant for mutant in make_mutants(mutation_units(search.project, search.spec, search.actions).units)
    }
    candidates: dict[str, list[tuple[str, Mutant]]] = {goal: [] for goal in asked if goal not in found}
    for row in report.rows:
        mutant = mutants.get(row.id)
        first = row.killed_by[0] if row.status == "killed" and len(row.killed_by) == 1 else None
        if mutant is not None and first in candidates and _keeps_all(search.project, row.environment, asked):
            candidates[first].append((row.environment, mutant))
    taken = 0
    for most in _ROUNDS:
        chosen: dict[str, dict[str, Mutant]] = {}
        for goal, several in candidates.items():
            if goal not in found:
                for environment, mutant in several[taken : taken + most]:
                    chosen.setdefault(environment, {})[mutant.id] = mutant
        taken += most
        for environment, these in chosen.items():
            broken = _follow(search, environment, list(these.values()), asked)
            for goal, several in candidates.items():
                for _, mutant in several:
                    if mutant.id in these:
                        followed[goal].append(mutant.id in broken)
                        if broken.get(mutant.id) == (goal,):
                            found.setdefault(goal, f"mutant {mutant.id} in {environment}")


def _keeps_all(project: Project, environment: str, asked: Sequence[str]) -> bool:
    """Whether the variant that mutants are made of is to keep all goals there: one that it breaks anyway hides the others."""
    assert project.file.mutation is not None
    variant = project.file.mutation.variant
    stated = project.file.matrix.get(variant, {}).get(environment, {})
    return all(
        stated.get(goal, "holds") == "holds" and project.waiver(variant, environment, goal) is None for goal in asked
    )


def _follow(
    search: _Search, environment: str, mutants: Sequence[Mutant], asked: Sequence[str]
) -> Mapping[str, tuple[str, ...]]:
    """All goals that each mutant breaks; one that was not followed to its end is left out."""
    world = search.world(environment)
    fates = {mutant.id: fate for mutant in mutants if (fate := world.fates.get(_PHASE, mutant)) is not None}
    pending = [mutant for mutant in mutants if mutant.id not in fates]
    if pending and world.alone is None:
        search.on_event(f"{environment}: {len(pending)} mutants against every goal")
        fates |= _run(search, world, pending, asked)
    return {name: fate.killed_by for name, fate in fates.items() if fate.status != "undecided"}


def _run(search: _Search, world: World, mutants: Sequence[Mutant], asked: Sequence[str]) -> dict[str, Fate]:
    runs = [Run(FIRST + at, tuple(asked), mutant) for at, mutant in enumerate(mutants)]
    limit = max(STATES_LEAST, STATES_FACTOR * (world.fates.distinct("control") or 0))
    seconds = search.project.file.budget.seconds
    try:
        result = run_batch(world.model, runs, search.tools, limit=limit, seconds=seconds, every_goal=True)
    except UnparsedError:
        return {}
    fates = {}
    for run, mutant in zip(runs, mutants, strict=True) if result.search.complete else ():
        names = tuple(sorted({goal for shown in result.of(run.number) for goal in shown.goals}))
        fate = Fate("killed", names) if names else Fate("survived")
        fates[mutant.id] = Fate("undecided", reason="too many states") if run.number in result.given_up else fate
        world.fates.put(_PHASE, mutant, fates[mutant.id])
    return fates
