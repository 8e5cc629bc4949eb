"""The mutants of one variant: which goals notice that the model is broken."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from vstack.errors import VstackError
from vstack.project import PROJECT_FILE, Project
from vstack.results import Evidence, MutantRow, MutationReport
from vstack.sections import Mutation
from vstack.shard import Shard
from vstack.tla.actions import Action, split_next
from vstack.tla.tree import Spec
from vstack.tla.values import format_value
from vstack.tools.find import Tools
from vstack.validate.batch import FIRST
from vstack.validate.cells import Setting, module_inputs
from vstack.validate.equivalence import Comparison, compare
from vstack.validate.fates import Fate
from vstack.validate.mutants import Mutant, make_mutants
from vstack.validate.mutants.units import Units, find_units
from vstack.validate.safety import Controls, chunked, kill, run_controls, run_controls_alone, side_by_side
from vstack.validate.schemata import Run
from vstack.validate.single import run_single
from vstack.validate.temporal import settle
from vstack.validate.worlds import World, make_world

_DECIDED = ("killed", "broken")
GROUP_SIZE = 20
_OnFate = Callable[[Mutant, Fate], None]


def mutation_units(project: Project, spec: Spec, actions: Sequence[Action]) -> Units:
    """The definitions that may be mutated; goals, Init, environment actions and what these use may not."""
    model = project.model
    goals = [goal.formula for goal in project.file.goals.values() if goal.is_searched and goal.formula]
    kept = [*goals, model.init, *model.constraints, *model.action_constraints, *model.overrides.values()]
    kept += [name for name in (model.view, model.symmetry) if name]
    return find_units(spec, actions, protected=kept, environment_actions=project.file.environment_actions)


def run_mutation(
    project: Project,
    spec: Spec,
    tools: Tools,
    *,
    load: Callable[[str], Evidence | None],
    save: Callable[[Evidence], None],
    on_progress: Callable[[str], None],
    jobs: int = 2,
    shard: Shard | None = None,
) -> MutationReport:
    """Make every mutant of `mutation.variant` and see what becomes of it, ``jobs`` TLC processes at a time.

    With ``shard`` only that part of them is run.

    First, in each environment, two controls: the model itself must keep its
    goals in the set-up that mutants are run in, and goals that must fail must be
    seen to fail. Then the goals that one state or step decides, in batches; what
    survives is compared with the model; what differs is run against the temporal
    goals, each mutant alone. A mutant killed in any environment is killed. What
    ``load`` finds is not run again.

    Raises:
        VstackError: there is no `mutation` section, or a control does not come out.
    """
    started = monotonic()
    wanted = _wanted(project)
    actions = split_next(spec, project.model.next)
    made = make_mutants(mutation_units(project, spec, actions).units, wanted.operators)
    mutants = [mutant for mutant in made if shard is None or shard.has(mutant.id)]
    modules = module_inputs(project)
    worlds = [
        make_world(project, spec, actions, tools, Setting(wanted.variant, name), modules, load, save)
        for name in wanted.environments
    ]
    course = _Course(project, spec, tools, worlds, mutants, on_progress, jobs)
    controls = [course.controls(world) for world in worlds]
    clean = all(control.clean for control in controls)
    if clean:
        for world, control in zip(worlds, controls, strict=True):
            course.safety(world, control)
        course.equivalence()
        course.temporal()
    else:
        reason = next(control.reason for control in controls if not control.clean)
        course.fates = {mutant.id: {"": Fate("undecided", reason=reason)} for mutant in mutants}
    return MutationReport(
        variant=wanted.variant,
        clean_passes=clean,
        forced_failure_dies=all(control.forced for control in controls),
        rows=tuple(_row(mutant, course.fates[mutant.id], wanted) for mutant in mutants),
        made=len(made),
        shard=str(shard) if shard is not None else None,
        seconds=round(monotonic() - started, 3),
    )


def _wanted(project: Project) -> Mutation:
    if project.file.mutation is None or not project.file.mutation.environments:
        raise VstackError(
            "The project does not say from which variant and in which environments mutants are made",
            where=str(project.root / PROJECT_FILE),
            todo="Add a section `mutation` with `variant` and `environments`",
        )
    return project.file.mutation


class _Course:
    """One call of ``run_mutation`` on its way: the fate of each mutant in each environment so far."""

    def __init__(
        self,
        project: Project,
        spec: Spec,
        tools: Tools,
        worlds: Sequence[World],
        mutants: Sequence[Mutant],
        on_progress: Callable[[str], None],
        jobs: int,
    ) -> None:
        self.project, self.spec, self.tools = project, spec, tools
        self.worlds, self.mutants, self.jobs = worlds, mutants, jobs
        self.on_progress = on_progress
        self.seconds = project.file.budget.seconds
        self.fates: dict[str, dict[str, Fate]] = {mutant.id: {} for mutant in mutants}

    def controls(self, world: World) -> Controls:
        """The two controls of one environment, from the store or run now."""
        distinct = world.fates.distinct("control")
        if distinct is not None:
            return Controls(True, distinct, True, "")
        self.on_progress(f"{world.name}: the model itself and a forced failure")
        if world.alone is None:
            found = run_controls(world.model, self.tools, seconds=self.seconds)
        else:
            found = run_controls_alone(self.project, self.spec, world.setting, world.goals, self.tools)
        floor = self.project.file.floors.distinct_states
        if found.clean and found.distinct < floor:
            reason = f"the model itself reaches {found.distinct:,} distinct states, below the floor of {floor:,}"
            return Controls(False, found.distinct, found.forced, reason)
        if found.clean and found.forced:
            world.fates.put("control", None, Fate("survived"), distinct=found.distinct)
        return found

    def safety(self, world: World, control: Controls) -> None:
        """The goals that batches can check; all goals at once where mutants must be run alone."""
        pending = self._pending(world, "safety", self._open(_DECIDED))
        done = 0
        several = threading.Lock()

        def on_fate(mutant: Mutant, fate: Fate) -> None:
            nonlocal done
            self._note(world, "safety", mutant, fate)
            with several:
                done += 1
                self.on_progress(f"{world.name}: {done} of {len(pending)} mutants, {mutant.id} {fate.status}")

        if world.alone is not None:
            self._each_alone(world, pending, world.goals, on_fate)
            return
        goals = (*world.model.invariants, *world.model.steps)
        if pending:
            self.on_progress(f"{world.name}: {len(pending)} mutants in batches")
            kill(
                world.model,
                pending,
                self.tools,
                limit=control.limit,
                seconds=self.seconds,
                jobs=self.jobs,
                confirm=lambda mutant: self._alone(world, mutant, goals),
                on_fate=on_fate,
            )

    def equivalence(self) -> None:
        """Compare what survived everywhere with the model, in each environment until a difference is found."""
        for world in self.worlds:
            if world.alone is not None:
                reason = f"not compared with the model: its runs can't share a process ({world.alone})"
                for mutant in self._open((*_DECIDED, "undecided", "differs")):
                    self._note(world, "equivalence", mutant, Fate("differs", reason=reason, lasting=False))
                continue
            pending = self._pending(world, "equivalence", self._open((*_DECIDED, "undecided", "differs")))
            if pending:
                self.on_progress(f"{world.name}: comparing {len(pending)} survivors with the model")

            def work(chunk: Sequence[Mutant], world: World = world) -> None:
                runs = [Run(FIRST + at, (), mutant) for at, mutant in enumerate(chunk)]
                found = compare(world.model, runs, self.tools, seconds=self.seconds)
                for run in runs:
                    assert run.mutant is not None
                    self._note(world, "equivalence", run.mutant, _compared(found[run.number]))

            side_by_side(work, chunked(pending, self.jobs), self.jobs)

    def temporal(self) -> None:
        """The temporal goals, for each mutant that differs from the model.

        In the first environment many die, each in a run of its own; few of those
        that are left die in another, so there they share runs.
        """
        for place, world in enumerate(self.worlds):
            if world.alone is not None or not world.model.later:
                continue
            pending = self._pending(world, "temporal", [m for m in self._open(_DECIDED) if self._differs(m)])

            def on_fate(mutant: Mutant, fate: Fate, world: World = world) -> None:
                self._note(world, "temporal", mutant, fate)
                self.on_progress(f"{world.name}: {mutant.id} against {', '.join(world.model.later)}: {fate.status}")

            def work(chunk: Sequence[Mutant], world: World = world, on_fate: _OnFate = on_fate) -> None:
                settle(self.project, self.spec, world.model, world.setting, chunk, self.tools, on_fate)

            chunks = [[mutant] for mutant in pending] if place == 0 else chunked(pending, self.jobs, GROUP_SIZE)
            side_by_side(work, chunks, self.jobs)

    def _each_alone(
        self,
        world: World,
        mutants: Sequence[Mutant],
        goals: Sequence[str],
        on_fate: Callable[[Mutant, Fate], None],
    ) -> None:
        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            futures = [(mutant, pool.submit(self._alone, world, mutant, goals)) for mutant in mutants]
            try:
                for mutant, future in futures:
                    on_fate(mutant, future.result())
            except BaseException:
                for _, future in futures:
                    future.cancel()
                raise

    def _alone(self, world: World, mutant: Mutant, goals: Sequence[str]) -> Fate:
        return run_single(self.project, self.spec, mutant, world.setting, goals, self.tools)

    def _open(self, decided: Sequence[str]) -> list[Mutant]:
        return [
            mutant
            for mutant in self.mutants
            if not any(fate.status in decided for fate in self.fates[mutant.id].values())
        ]

    def _differs(self, mutant: Mutant) -> bool:
        return any(fate.status == "differs" for fate in self.fates[mutant.id].values())

    def _pending(self, world: World, phase: str, mutants: Sequence[Mutant]) -> list[Mutant]:
        """Those of ``mutants`` whose fate in ``phase`` is not in the store; the others' is noted."""
        pending = []
        for mutant in mutants:
            fate = world.fates.get(phase, mutant)
            if fate is None:
                pending.append(mutant)
            else:
                self._note(world, phase, mutant, fate, keep=False)
        return pending

    def _note(self, world: World, phase: str, mutant: Mutant, fate: Fate, *, keep: bool = True) -> None:
        if keep:
            world.fates.put(phase, mutant, fate)
        before = self.fates[mutant.id].get(world.name)
        if phase == "temporal" and before is not None and fate.status == "survived":
            # What the comparison found stays: it says how the survivor differs.
            return
        self.fates[mutant.id][world.name] = fate


def _compared(found: Comparison) -> Fate:
    if found.equivalent:
        return Fate("equivalent", reason="the same reachable steps as the model, within the bounds")
    if found.difference is None:
        return Fate("differs", reason=found.reason, lasting=False)
    steps = found.difference.trace.steps
    before, after = steps[-2], steps[-1]
    changes = ", ".join(
        f"{name}: {format_value(before.state[name])} -> {format_value(value)}"
        for name, value in after.state.items()
        if before.state[name] != value
    )
    who = (
        "the mutant takes a step that the model can't"
        if found.difference.by_mutant
        else ("the model takes a step that the mutant can't")
    )
    reason = f"{who}: {after.action}, from state {before.number} of the trace ({changes})"
    return Fate("differs", reason=reason, depth=len(steps), trace=found.difference.trace)


def _row(mutant: Mutant, fates: dict[str, Fate], wanted: Mutation) -> MutantRow:
    environment, fate = _worst(fates)
    status = "survived" if fate.status == "differs" else fate.status
    return MutantRow(
        id=mutant.id,
        operator=mutant.operator,
        action=mutant.unit.name,
        where=mutant.where,
        before=mutant.before,
        after=mutant.after,
        environment=environment if status in _DECIDED else ", ".join(wanted.environments),
        status=status,
        killed_by=fate.killed_by,
        reason=fate.reason,
        excuse=wanted.excuses.get(mutant.id),
        depth=fate.depth,
    )


def _worst(fates: dict[str, Fate]) -> tuple[str, Fate]:
    """The fate that decides: a kill anywhere, else what leaves most open."""
    order = ("killed", "broken", "undecided", "differs", "survived", "equivalent")
    return min(fates.items(), key=lambda item: order.index(item[1].status))
