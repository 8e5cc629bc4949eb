"""Rule: a goal that nothing can break says nothing. Each must fail somewhere: in a cell, without a guard, or in a mutant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from vstack.keep.evidence import EvidenceStore
from vstack.project import PROJECT_FILE, Project
from vstack.results import Cell, Finding, FoundToFail, KillRow, MutationReport
from vstack.tla.actions import Action
from vstack.tla.tree import Spec
from vstack.tools.find import Tools
from vstack.validate.cells import Setting, module_inputs
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant, make_mutants
from vstack.validate.mutation import mutation_units
from vstack.validate.safety import kill, run_controls
from vstack.validate.single import run_single
from vstack.validate.worlds import make_world
from vstack.verdicts import Verdict

_PHASE = "can-fail"
# What breaks most goals of progress comes first.
_ORDER = ("delete_action", "drop_update", "negate_guard")


def find_failures(
    project: Project,
    spec: Spec,
    actions: Sequence[Action],
    tools: Tools,
    store: EvidenceStore,
    ran: tuple[Iterable[Cell], Iterable[KillRow], MutationReport | None],
    on_event: Callable[[str], None],
) -> tuple[FoundToFail, ...]:
    """For each TLA+ goal, where it fails; only for those that fail nowhere yet are mutants tried, until one breaks it.

    A typo in a goal's condition, an empty range, a tautology, a variable that
    is never set: none of them can fail. The mutants are of the variant and
    environment of `mutation`, else of the last variant in which the goal holds.
    """
    cells, kills, mutation = ran
    cells, kills = list(cells), list(kills)
    found = []
    for goal, declared in project.file.goals.items():
        if not declared.is_searched:
            continue
        where = _seen(goal, cells, kills, mutation)
        tried = 0
        if where is None:
            on_event(f"can {goal} fail? trying mutants")
            where, tried = _break(project, spec, actions, tools, store, goal, cells)
        found.append(FoundToFail(goal=goal, where=where, tried=tried, excuse=declared.excuse))
    return tuple(found)


def can_fail_findings(project: Project, found: Iterable[FoundToFail]) -> list[Finding]:
    """Goals that nothing breaks, without an excuse."""
    return [
        Finding(
            rule="goal-cannot-fail",
            where=str(project.root / PROJECT_FILE),
            message=f"Nothing breaks the goal {row.goal}: no cell, no guard taken away, none of {row.tried} mutants of"
            " the model. Its condition may never be met, its range be empty, or it is true of every state"
            if row.tried
            else f"Whether anything can break the goal {row.goal} was not decided: no mutant of the model could be run",
            todo=f"Mend the formula, or say under `goals.{row.goal}.excuse` why it can't fail and have that approved",
            outcome="refused" if row.tried else "undecided",
        )
        for row in found
        if row.where is None and row.excuse is None
    ]


def _seen(goal: str, cells: list[Cell], kills: list[KillRow], mutation: MutationReport | None) -> str | None:
    for cell in cells:
        if cell.goal == goal and cell.evidence.verdict is Verdict.VIOLATED:
            return f"variant {cell.variant} in {cell.environment}"
    for row in kills:
        if goal in row.killed_by:
            return f"variant {row.variant} in {row.environment} without {row.guard}"
    for mutant in mutation.rows if mutation is not None else ():
        if mutant.status == "killed" and goal in mutant.killed_by:
            return f"mutant {mutant.id}"
    return None


def _break(
    project: Project,
    spec: Spec,
    actions: Sequence[Action],
    tools: Tools,
    store: EvidenceStore,
    goal: str,
    cells: list[Cell],
) -> tuple[str | None, int]:
    """A mutant that breaks ``goal``, and how many it survived."""
    setting = _setting(project, goal, cells)
    world = make_world(project, spec, tuple(actions), tools, setting, module_inputs(project), store.get, store.put)
    mutants = make_mutants(mutation_units(project, spec, actions).units)
    ranked = sorted(mutants, key=lambda mutant: _ORDER.index(mutant.operator) if mutant.operator in _ORDER else len(_ORDER))
    phase = f"{_PHASE} {goal}"
    fates = {mutant.id: fate for mutant in ranked if (fate := world.fates.get(phase, mutant)) is not None}

    def note(mutant: Mutant, fate: Fate) -> None:
        world.fates.put(phase, mutant, fate)
        fates[mutant.id] = fate

    def killer() -> str | None:
        return next((f"mutant {mutant.id}" for mutant in ranked if mutant.id in fates and fates[mutant.id].status == "killed"), None)

    def alone(mutant: Mutant) -> Fate:
        return run_single(project, spec, mutant, setting, [goal], tools)

    pending = [mutant for mutant in ranked if mutant.id not in fates]
    if killer() is None and pending and (goal in world.model.later or world.alone is not None):
        for mutant in pending:
            note(mutant, alone(mutant))
            if killer() is not None:
                break
    elif killer() is None and pending:
        model = replace(
            world.model,
            invariants={name: formula for name, formula in world.model.invariants.items() if name == goal},
            steps={name: step for name, step in world.model.steps.items() if name == goal},
            later=(),
        )
        controls = run_controls(model, tools, seconds=project.file.budget.seconds)
        kill(
            model,
            pending,
            tools,
            limit=controls.limit,
            seconds=project.file.budget.seconds,
            jobs=1,
            confirm=alone,
            on_fate=note,
        )
    return killer(), sum(fate.status == "survived" for fate in fates.values())


def _setting(project: Project, goal: str, cells: list[Cell]) -> Setting:
    """Where the goal holds: as `mutation` says, else the last such cell, else as the project stands without variants."""
    stated = project.file.matrix
    if project.file.mutation is not None and project.file.mutation.environments:
        return Setting(project.file.mutation.variant, project.file.mutation.environments[0])
    if not stated:
        return Setting(None, None)
    holding = [(cell.variant, cell.environment) for cell in cells if cell.goal == goal and cell.evidence.verdict is Verdict.HOLDS]
    holding = holding or [(variant, name) for variant, row in stated.items() for name, goals in row.items() if goals.get(goal, "holds") == "holds"]
    return Setting(*holding[-1]) if holding else Setting(None, None)
