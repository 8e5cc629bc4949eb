"""Run the five stages over one project and gather what they found into one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from vstack.abstract.anchors import Marks
from vstack.abstract.atomicity import check_atomicity
from vstack.abstract.changed import change_findings, changes, own_repositories
from vstack.abstract.changed_model import model_changes
from vstack.abstract.check import check_anchors
from vstack.abstract.diff import read_diff
from vstack.abstract.guard_anchors import guard_anchors
from vstack.abstract.marks import read_marks
from vstack.abstract.repos import Repos, open_repos
from vstack.abstract.scope import check_scope
from vstack.context import Context
from vstack.guard.index import record
from vstack.keep.evidence import EvidenceStore, machine, now
from vstack.keep.facts import action_facts
from vstack.keep.findings import atomicity_findings, mutation_findings
from vstack.keep.outcome import judge
from vstack.keep.running import other_vstack
from vstack.reproduce.rows import driven_rows
from vstack.results import CaseReport, Cell, Evidence, Finding
from vstack.shard import Shard
from vstack.specify.base import Base
from vstack.specify.base_tools import foreign_tools
from vstack.specify.check import FIRST, check_lock
from vstack.specify.compute import compute_pins
from vstack.specify.fairness import check_fairness, read_fairness, unlisted
from vstack.specify.knobs import check_knobs
from vstack.specify.lock import read_lock
from vstack.specify.pins import Pins
from vstack.specify.plain_text import check_plain_text
from vstack.tla.behaviour import behaviour
from vstack.validate.can_fail import can_fail_findings, find_failures
from vstack.validate.cells import module_inputs
from vstack.validate.choices import check_choices
from vstack.validate.constants import check_constants
from vstack.validate.fair_behaviour import check_fair_behaviour
from vstack.validate.guard_rule import check_guard_constants
from vstack.validate.guards import broken_already, kill_findings, run_kills
from vstack.validate.independence import find_noticed_alone, noticed_alone_findings
from vstack.validate.instances import run_instances
from vstack.validate.matrix import matrix_gaps, run_matrix, silent_actions
from vstack.validate.mutation import run_mutation
from vstack.validate.pairs import pair_findings, run_pairs
from vstack.validate.refinement import constant_mappings, frozen_mappings
from vstack.validate.runs import Runner
from vstack.validate.side_effects import check_side_effects
from vstack.validate.stutters import check_stutters
from vstack.validate.traces.replay import replay
from vstack.validate.waivers import apply_waivers
from vstack.validate.witnesses import run_witnesses, witness_findings
from vstack.verify.apalache import open_engine, run_apalache
from vstack.verify.apalache_tool import find_apalache
from vstack.verify.tlaps_goal import run_theorem
from vstack.verify.tlaps_rules import check_proofs
from vstack.verify.tlaps_tool import find_tlapm
from vstack.verify.z3_goal import run_z3_goal

STAGES = ("specify", "abstract", "validate", "verify")


@dataclass(frozen=True)
class Options:
    """How to check: git checkouts, whether remotes are asked, runs side by side, which stages, whose lock counts, which mutants.

    ``store`` and ``repos_cache`` stand in for what lies in the project's own `.vstack`.
    """

    repos: tuple[str, ...] = ()
    fetch: bool = False
    jobs: int = 2
    stages: frozenset[str] = frozenset(STAGES)
    base: Base | None = None
    store: EvidenceStore | None = None
    distributed: bool = False
    mutants: Shard | None = None
    first_adoption: bool = False
    repos_cache: Path | None = None


@dataclass
class Gathering:
    """The parts of a report while they come in."""

    context: Context
    options: Options
    on_event: Callable[[str], None]
    parts: dict[str, Any] = field(default_factory=dict)
    approved: str | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def refused(self) -> bool:
        """Whether a rule has refused the project already, so that no engine need run."""
        return any(finding.outcome == "refused" and finding.rule != FIRST for finding in self.findings)


def check_project(context: Context, options: Options, on_event: Callable[[str], None]) -> CaseReport:
    """The report on one project.

    What is not approved, or not anchored, is refused before any engine runs:
    a result about goals that nobody approved says nothing.

    Raises:
        VstackError: the project, a module or a tool can't be read or run.
    """
    file = context.project.file
    gathering = Gathering(context, options, on_event)
    unfit = unfit_to_run(context, options)
    if unfit:
        return judge(_report(context, {}, unfit, {}), has_matrix=bool(file.matrix))
    on_event("1 specify: comparing the goals with the lock")
    specify(gathering)
    if file.model is not None:
        on_event("2 abstract: reading the model and its anchors")
        abstract(gathering)
    if not (gathering.refused and "specify" in options.stages):
        if file.model is not None and "validate" in options.stages:
            on_event("3 validate: matrix, guards, mutants, traces")
            _validate(gathering)
        if "verify" in options.stages:
            _verify(gathering)
    report = _report(context, gathering.parts, gathering.findings, _tools(context))
    return judge(report, has_matrix=bool(file.matrix))


def unfit_to_run(context: Context, options: Options) -> tuple[Finding, ...]:
    """What a gate asks before any tool runs: SANY itself is one that a project can name."""
    if options.base is None:
        return ()
    return (*other_vstack(options.base), *foreign_tools(context.project, options.base))


def _report(
    context: Context, parts: Mapping[str, Any], findings: Sequence[Finding], tools: dict[str, str]
) -> CaseReport:
    """What the project says of itself, with what was found out about it."""
    file = context.project.file
    return CaseReport(
        project=file.project,
        # One line: a title must not be able to look like a line of the result.
        title=" ".join(file.title.split()) or file.project,
        root=str(context.project.root),
        outcome="undecided",
        environments={name: env.english for name, env in file.environments.items()},
        variants={name: variant.english for name, variant in file.variants.items()},
        ours=tuple(name for name, variant in file.variants.items() if variant.ours),
        guards={name: guard.english for name, guard in file.guards.items()},
        guard_anchors={name: tuple(guard.anchors) for name, guard in file.guards.items()},
        variant_guards={name: tuple(variant.guards) for name, variant in file.variants.items()},
        variant_commits={name: variant.commit for name, variant in file.variants.items() if variant.commit},
        omissions=tuple((omission.what, omission.reason) for omission in file.omissions),
        findings=tuple(findings),
        tools=tools,
        machine=machine(),
        made=now(),
        **parts,
    )


def specify(gathering: Gathering) -> None:
    """Stage 1: the project against its lock."""
    context = gathering.context
    spec = context.spec if context.project.file.model is not None else None
    pins = compute_pins(context.project, spec)
    base = gathering.options.base
    findings, rows = check_lock(context.project, pins, base=base, first_adoption=gathering.options.first_adoption)
    if base is None and not findings:
        record(str(context.project.root))
    gathering.findings += check_proofs(context.project)
    gathering.findings += [*check_knobs(context.project), *check_plain_text(context.project, spec)]
    gathering.approved = next((row.note for row in rows if row.approved), None) if not findings else None
    # Without this stage a report still tells the goals in words, and whether they are approved.
    gathering.findings += findings if "specify" in gathering.options.stages else []
    gathering.parts["goals"] = tuple(row.model_copy(update={"helpers": _helpers(pins, row.name)}) for row in rows)


def _helpers(pins: Pins, goal: str) -> tuple[str, ...]:
    """The texts of the definitions behind the goal's own."""
    return tuple(pins.definitions[key].text for key in pins.goals[goal].definitions[1:])


def abstract(gathering: Gathering) -> None:
    """Stage 2: marks, anchors, scope and the rules on the model's own text; needs a model."""
    context, options = gathering.context, gathering.options
    repos: Repos = open_repos(context.project, options.repos, fetch=options.fetch, cache=options.repos_cache)
    marks, findings = read_marks(context.project, context.spec)
    rules = check_guard_constants(context.project, context.spec, context.actions)
    rules += check_side_effects(context.project, context.spec)
    rules += check_choices(context.project, context.spec)
    rules += check_stutters(context.project, context.spec, context.actions)
    rules += check_fairness(context.project, context.spec)
    rules += constant_mappings(context.project, context.spec)
    parts = gathering.parts
    parts["actions"] = action_facts(context.spec, context.actions, marks, repos)
    parts["processes"] = _processes(parts["actions"])
    parts["assumptions"] = _assumptions(context)
    if "abstract" in options.stages:
        report = check_anchors(context.project, marks, repos)
        atomicity = check_atomicity(context.project, marks, repos)
        parts["anchors"] = report.rows
        parts["atomicity"] = atomicity
        anchors = [anchor for each in marks for anchor in each.anchors]
        anchors += [anchor for several in guard_anchors(context.project).values() for anchor in several]
        _, uncovered = check_scope(context.project, anchors, repos)
        gathering.findings += [*findings, *rules, *report.findings, *atomicity_findings(atomicity), *uncovered]
        if options.base is not None:
            gathering.findings += _changed(context, marks, repos, options.base)
            gathering.findings += model_changes(context.spec, options.base.commit)


def _changed(context: Context, marks: Sequence[Marks], repos: Repos, base: Base) -> tuple[Finding, ...]:
    """What the pull request changes of the code that the model speaks for, where both lie in one repository."""
    own = own_repositories(context.project, repos)
    diffs = {name: read_diff(repo, base.commit, "HEAD") for name, repo in own.items()}
    refuse = base.policy.stale_anchors == "refuse"
    return change_findings(changes(context.project, marks, repos, diffs), diffs, refuse_stale=refuse)


def _validate(gathering: Gathering) -> None:
    context, on_event = gathering.context, gathering.on_event
    project = context.project
    runner = make_runner(context, gathering.options, on_event)
    parts = gathering.parts
    cells = _with_waivers(gathering, runner, run_matrix(runner))
    gathering.findings += [*matrix_gaps(runner), *silent_actions(runner, cells)]
    gathering.findings += check_fair_behaviour(runner, context.spec, cells)
    parts["witnesses"] = witnesses = run_witnesses(runner, context.spec)
    gathering.findings += witness_findings(runner, witnesses)
    gathering.findings += run_instances(runner, context.spec)
    parts["kills"] = kills = run_kills(runner)
    gathering.findings += [*kill_findings(runner, kills), *broken_already(runner)]
    parts["pairs"] = run_pairs(runner, context.spec)
    gathering.findings += pair_findings(runner, context.spec)
    if project.file.mutation is not None:
        mutation = run_mutation(
            project,
            context.spec,
            context.tools,
            load=runner.store.get,
            save=runner.store.put,
            on_progress=on_event,
            jobs=gathering.options.jobs,
            shard=gathering.options.mutants,
        )
        parts["mutation"] = mutation
        gathering.findings += mutation_findings(context.project, mutation)
    ran = (parts["cells"], parts["kills"], parts.get("mutation"))
    parts["can_fail"] = find_failures(project, context.spec, context.actions, context.tools, runner.store, ran, on_event)
    gathering.findings += can_fail_findings(project, parts["can_fail"])
    found = find_noticed_alone(project, context.spec, context.actions, context.tools, runner.store, ran, on_event)
    parts["noticed_alone"] = found
    partial = parts.get("mutation") is not None and parts["mutation"].shard is not None
    gathering.findings += noticed_alone_findings(project, found, partial=partial)
    gathering.findings += frozen_mappings(project, context.spec, context.tools, runner.store, on_event)
    traces = []
    for name in project.file.traces:
        on_event(f"replaying trace {name}")
        traces.append(replay(project, context.spec, context.actions, name, context.tools))
    parts["traces"] = tuple(traces)
    parts["driven"] = driven_rows(project, context.spec)


def _with_waivers(gathering: Gathering, runner: Runner, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The cells with those marked that a waiver of the approved lock covers."""
    cells, rows, findings = apply_waivers(runner, gathering.context.spec, cells, approved=gathering.approved)
    gathering.parts |= {"cells": cells, "waivers": rows}
    gathering.findings += findings
    return cells


def _verify(gathering: Gathering) -> None:
    context = gathering.context
    file = context.project.file
    goals = [name for name, goal in file.goals.items() if goal.kind == "z3"]
    records: list[Evidence] = []
    for name in goals:
        gathering.on_event(f"4 verify: Z3 decides {name}")
        records += run_z3_goal(
            context.project,
            name,
            seconds=file.budget.seconds,
            memory_mb=file.budget.heap_mb,
            approved=_approved_obligations(context, name) if "specify" in gathering.options.stages else None,
        )
    gathering.parts["z3"] = tuple(records)
    store = gathering.options.store or EvidenceStore(context.project.state / "evidence")
    theorems = []
    for name, goal in file.goals.items():
        if goal.kind == "theorem":
            gathering.on_event(f"4 verify: TLAPS proves {name}")
            theorems.append(run_theorem(context.project, name, store=store, on_event=gathering.on_event))
    gathering.parts["theorems"] = tuple(theorems)
    if file.apalache is not None:
        engine = open_engine(context.project)
        gathering.parts["apalache"] = run_apalache(engine, context.spec, store, gathering.on_event)
        gathering.parts["apalache_required"] = file.apalache.required
    if file.model is not None and "validate" not in gathering.options.stages:
        runner = make_runner(context, gathering.options, gathering.on_event)
        _with_waivers(gathering, runner, run_matrix(runner))


def _approved_obligations(context: Context, goal: str) -> dict[str, str]:
    """The goal's obligations and assumptions as the lock has them: one that is not there is refused."""
    lock = read_lock(context.project.lock_path)
    pin = lock.pins.goals.get(goal) if lock is not None else None
    return dict(pin.value.get("obligations", {})) if pin is not None else {}


def make_runner(context: Context, options: Options, on_event: Callable[[str], None]) -> Runner:
    """What the runs of one project share, with its evidence store.

    Raises:
        VstackError: a constant is set that the model lacks, or one is not set.
    """
    check_constants(context.project, context.spec)
    return Runner(
        project=context.project,
        tools=context.tools,
        store=options.store or EvidenceStore(context.project.state / "evidence"),
        actions=context.actions,
        jobs=options.jobs,
        on_event=on_event,
        modules=module_inputs(context.project),
        distributed=options.distributed,
    )


def _tools(context: Context) -> dict[str, str]:
    tools = {"Z3": metadata.version("z3-solver")}
    if context.project.file.model is not None:
        found = context.tools
        tools |= {"TLC": found.tlc_version, "TLC jar sha256": found.jar_sha256, "Java": found.java_version}
    if any(goal.kind == "theorem" for goal in context.project.file.goals.values()):
        tlapm = find_tlapm(context.project)
        tools["TLAPS"] = f"{tlapm.version} ({tlapm.sha256})" if tlapm is not None else "not installed here"
    if context.project.file.apalache is not None:
        apalache = find_apalache(context.project)
        tools["Apalache"] = apalache.sha256 if apalache is not None else "not installed here"
    return tools


def _processes(actions: dict[str, dict[str, Any]]) -> dict[str, str]:
    processes: dict[str, list[str]] = {}
    for name, facts in actions.items():
        processes.setdefault(facts["process"], []).append(name)
    return {process: ", ".join(names) for process, names in processes.items()}


def _assumptions(context: Context) -> tuple[str, ...]:
    """What every result of the model rests on: bounds, ASSUMEs, constraints, and that models are not the code."""
    model = context.project.model
    lines = [f"bound: {name} = {value}" for name, value in model.constants.items()]
    lines += [f"constraint: {name}" for name in (*model.constraints, *model.action_constraints)]
    lines += [f"symmetry: {model.symmetry}"] if model.symmetry else []
    lines += [f"view: {model.view}"] if model.view else []
    for module in {id(m): m for m in (context.spec.root, *context.spec.modules.values())}.values():
        if not module.is_standard:
            lines += [" ".join(context.spec.text(item.span).split()) for item in module.assumptions]
    rest = behaviour(context.spec, model.spec).rest
    lines += [f"fairness: {' '.join(context.spec.text(node.span).split())}" for node in rest]
    for fault in dict.fromkeys(
        fault for each in read_fairness(context.project, context.spec) for _, fault in unlisted(context.project, each)
    ):
        lines.append(f"the fault {fault} is fair, so it must happen in the end; no environment lists it under `fair`")
    if model.fairness_excuse:
        lines.append(f"a temporal conjunct of the specification is excused: {model.fairness_excuse}")
    if not model.check_deadlock:
        lines.append("deadlock is not looked for")
    lines.append("the model describes the code that its actions are anchored to; what it leaves out is under omissions")
    return tuple(lines)
