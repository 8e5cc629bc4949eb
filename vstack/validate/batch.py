"""Many versions of a model checked by one TLC process, one shortest counterexample per run and goal."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from vstack.errors import VstackError
from vstack.process import run as run_process
from vstack.tla.actions import Action
from vstack.tla.cfg import Assignment, Cfg
from vstack.tla.tree import Spec
from vstack.tla.values import Value
from vstack.tlc.collect import Collector
from vstack.tlc.job import Budget, TlcJob
from vstack.tlc.printed import printed_tuples
from vstack.tlc.progress import Progress
from vstack.tlc.single import command_line
from vstack.tlc.trace import Trace, read_trace
from vstack.tlc.workspace import workspace
from vstack.tools.find import Tools
from vstack.tools.java import clean_environment
from vstack.validate.batch_module import BATCH_MODULE, BatchGoals, batch_module
from vstack.validate.schemata import RUN, Registers, Run, Schemata, model_schemata
from vstack.validate.step_goals import StepGoal, step_goal

CLEAN, FORCED = 0, 1
FIRST = 2
BRIEF_RUNS = 24
_RUN_LINE = re.compile(rf"^(?:/\\ )?{RUN} = (\d+)\s*$")


class UnparsedError(VstackError):
    """The modules generated for a batch don't parse: one of its runs is at fault, or what they all share."""


@dataclass(frozen=True)
class Shown:
    """What a run showed first: the goals broken by the last step of ``trace``."""

    run: int
    goals: tuple[str, ...]
    trace: Trace


@dataclass(frozen=True)
class Search:
    """One TLC process over generated modules.

    ``shown`` holds, for each violation, the run, the numbers that our module
    printed and the counterexample. ``complete``: the search ended by itself
    with an empty queue. ``given_up`` are runs past their limit of states.
    ``error``: an evaluation failed, in a state of the run ``failed`` (None if TLC
    names none). ``reason`` says what ended the search.
    """

    shown: tuple[tuple[int, tuple[int, ...], Trace], ...]
    given_up: frozenset[int]
    complete: bool
    error: bool
    failed: int | None
    reason: str
    distinct: int
    generated: int
    depth: int
    seconds: float
    command: tuple[str, ...]


@dataclass(frozen=True)
class BatchResult:
    """What one batch came to.

    Where ``search`` is complete, a run that is neither in ``shown`` nor in
    ``given_up`` (past its limit of states) keeps its goals.
    """

    shown: tuple[Shown, ...]
    search: Search

    @property
    def given_up(self) -> frozenset[int]:
        """Runs past their limit of states."""
        return self.search.given_up

    def of(self, run: int) -> tuple[Shown, ...]:
        """What ``run`` showed, in order."""
        return tuple(shown for shown in self.shown if shown.run == run)


@dataclass(frozen=True)
class Model:
    """A model as batches need it: its tree, actions, operators, goals that one state or step decides, configuration.

    ``cfg`` is that of a run without any goal; ``later`` are the goals that need
    a run of their own (temporal ones). ``transitions`` are further predicates
    over steps, by name; ``definitions`` are what these and the invariants use
    besides the model's own.
    """

    spec: Spec
    actions: tuple[Action, ...]
    init: str
    next: str
    invariants: Mapping[str, str]
    steps: Mapping[str, StepGoal]
    later: tuple[str, ...]
    job: TlcJob
    transitions: Mapping[str, str] = field(default_factory=dict)
    definitions: tuple[str, ...] = ()


def sort_goals(
    spec: Spec, goals: Mapping[str, tuple[str, str]]
) -> tuple[dict[str, str], dict[str, StepGoal], tuple[str, ...]]:
    """Goals (name to kind and formula) as invariants, step goals, and the names of the rest."""
    invariants, steps, later = {}, {}, []
    for name, (kind, formula) in goals.items():
        if kind == "invariant":
            invariants[name] = formula
            continue
        step = step_goal(spec, formula) if kind == "action" else None
        if step is None:
            later.append(name)
        else:
            steps[name] = step
    return invariants, steps, tuple(later)


def can_batch(cfg: Cfg) -> str | None:
    """Why a model can't be run in batches, or None.

    A view or a symmetry set would have to know of the runs; a constraint would
    be ours and the model's at once.
    """
    for name in ("view", "symmetry", "constraints", "action_constraints"):
        if getattr(cfg, name):
            return f"the configuration has {name.replace('_', ' ')}"
    return None


def run_batch(
    model: Model,
    runs: Sequence[Run],
    tools: Tools,
    *,
    limit: int,
    seconds: float,
    every_goal: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> BatchResult:
    """Check ``runs`` in one TLC process.

    ``limit`` is the number of distinct states after which a run is given up.

    Raises:
        UnparsedError: the generated modules don't parse.
        VstackError: the job can't be set up.
    """
    goals = BatchGoals(model.invariants, {**{name: step.operator for name, step in model.steps.items()}, **model.transitions})
    # Neither the marks nor the registers can be foreseen, so the model's own PrintT and TLCSet can't pass for ours.
    registers = Registers(f"vs-{secrets.token_hex(4)}", 1000 + secrets.randbelow(20_000), len(goals.names))
    schemata = model_schemata(model.spec, model.actions, runs, registers, tuple(model.steps.values()))
    root = batch_module(
        model.spec.root.name,
        [variable.name for variable in model.spec.root.variables],
        model.init,
        model.next,
        goals,
        runs,
        registers,
        framed=schemata.framed,
        limit=limit,
        every_goal=every_goal,
        definitions=model.definitions,
    )
    invariants = ("vs_inv",)
    properties = ("vs_prop",) if goals.steps else ()
    job = batch_job(
        model.job, schemata, BATCH_MODULE, root, invariants, properties, ("vs_live",), runs=len(runs), seconds=seconds
    )
    result = read_batch(job, tools, registers, on_progress)
    named = (
        Shown(run, tuple(goals.names[number - 1] for number in numbers), trace) for run, numbers, trace in result.shown
    )
    return BatchResult(tuple(named), result)


def batch_job(
    job: TlcJob,
    schemata: Schemata,
    name: str,
    root: str,
    invariants: tuple[str, ...],
    properties: tuple[str, ...],
    constraints: tuple[str, ...],
    *,
    runs: int,
    seconds: float,
) -> TlcJob:
    """The job of a generated root module ``name`` over ``schemata`` with so many runs, from the model's own job."""
    kept = tuple(item for item in job.cfg.constants if item.name not in schemata.switched)
    added = tuple(Assignment(symbol, value) for symbol, value in schemata.constants.items())
    cfg = replace(
        job.cfg,
        specification=None,
        init="vs_init",
        next="vs_next",
        constants=(*kept, *added),
        invariants=invariants,
        properties=properties,
        constraints=constraints,
    )
    return replace(
        job,
        module=job.module.parent / f"{name}.tla",
        cfg=cfg,
        workers=1,
        check_deadlock=False,
        coverage=False,
        # Many short runs in one process are a long one.
        brief=job.brief and runs <= BRIEF_RUNS,
        extra_files={**schemata.files, f"{name}.tla": root},
        continue_after_violation=True,
        budget=Budget(seconds=seconds, heap_mb=job.budget.heap_mb),
    )


class _LastRun:
    """The run of the last state that TLC printed."""

    def __init__(self) -> None:
        self.number: int | None = None

    def see(self, line: str) -> None:
        found = _RUN_LINE.match(line)
        if found:
            self.number = int(found[1])


@dataclass(frozen=True)
class _Note:
    """What a generated module printed: a run, and the numbers of what it showed."""

    run: int
    numbers: tuple[int, ...]

    @classmethod
    def read(cls, value: Value) -> _Note:
        assert isinstance(value, tuple) and isinstance(value[0], int) and isinstance(value[1], frozenset)
        return cls(value[0], tuple(sorted(number for number in value[1] if isinstance(number, int))))


def read_batch(
    job: TlcJob, tools: Tools, registers: Registers, on_progress: Callable[[Progress], None] | None = None
) -> Search:
    """Run TLC on generated modules and read what they showed.

    Raises:
        UnparsedError: the modules don't parse.
        VstackError: the job can't be set up.
    """
    started = monotonic()
    last = _LastRun()
    with workspace(job, tools) as place:
        command = command_line(job, tools, place)
        seen = Collector(on_progress)

        def line(text: str) -> str | None:
            last.see(text)
            return seen.line(text)

        finished = run_process(
            command,
            cwd=place.folder,
            env=clean_environment(place.temporary),
            seconds=job.budget.seconds,
            on_line=line,
            on_tick=seen.tick,
            keep_lines=400,
        )
        if finished.returncode == 150 and not finished.stopped:
            detail = " ".join(" ".join(seen.sany[-12:]).split())
            raise UnparsedError(f"The modules generated for a batch don't parse: {detail}", where=job.module.name)
    # After a violation TLC 2.15 ends with 0 and the success message all the same; other jars with its exit status.
    passed = finished.returncode == 0 and seen.success
    complete = (
        not finished.stopped
        and (passed or (finished.returncode in (12, 13) and bool(seen.violations)))
        and seen.final is not None
        and seen.final[2] == 0
        and not seen.errors
        and not seen.out_of_memory
    )
    reason = "complete search"
    if not complete:
        first = " ".join(seen.errors[0].text.split())[:400] if seen.errors else ""
        reason = finished.stopped or first or f"TLC exited with {finished.returncode}"
    latest = seen.last_progress
    counts = seen.final or ((latest.generated, latest.distinct, latest.queue) if latest else (0, 0, 0))
    error = bool(seen.errors) and not finished.stopped and not seen.out_of_memory
    notes = [_Note.read(value) for _, value in printed_tuples(seen.printed, registers.mark)]
    shown = _pair([note for note in notes if note.numbers], seen)
    if complete and len(shown) != len(seen.violations):
        raise VstackError("The batch showed a violation that it can't name", where=job.module.name)
    return Search(
        shown=shown,
        given_up=frozenset(note.run for note in notes if not note.numbers),
        complete=complete,
        error=error,
        failed=last.number if error else None,
        reason="heap exhausted" if seen.out_of_memory else reason,
        distinct=counts[1],
        generated=counts[0],
        depth=seen.depth,
        seconds=monotonic() - started,
        command=command,
    )


def _pair(notes: Sequence[_Note], seen: Collector) -> tuple[tuple[int, tuple[int, ...], Trace], ...]:
    """Each note of ours with the violation that TLC printed after it; a note without one, or of another run, is none.

    TLC's violations of one process and our notes of them come in the same order.
    """
    shown = []
    for note, violation in zip(notes, seen.violations, strict=False):
        trace = read_trace(violation.message, violation.following)
        if trace is not None and trace.steps[-1].state.get(RUN) == note.run:
            shown.append((note.run, note.numbers, _without_run(trace)))
    return tuple(shown)


def _without_run(trace: Trace) -> Trace:
    """The trace as the model's own: without our variable, and with no span in a generated module."""
    steps = tuple(
        replace(
            step,
            number=number,
            span=None,
            action=step.action if step.action != "vs_next" else "Next",
            state={name: value for name, value in step.state.items() if name != RUN},
        )
        for number, step in enumerate(trace.steps, start=1)
    )
    return replace(trace, steps=steps)
