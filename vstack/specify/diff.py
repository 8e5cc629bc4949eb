"""A changed goal compared with the approved one: stronger, weaker, both or neither, on the states that TLC reaches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vstack.specify.pins import Pin, Pins
from vstack.specify.rebuild import HOLDS, NotComparable, rebuild
from vstack.tla.tree import Spec
from vstack.tla.values import format_value
from vstack.tlc.job import TlcJob
from vstack.tlc.outcome import TlcResult
from vstack.tlc.run import run_tlc
from vstack.tlc.trace import Trace
from vstack.tools.find import Tools
from vstack.verdicts import Verdict

_MODULE = "VstackDiff"


@dataclass(frozen=True)
class World:
    """One job of the model without goals, and its name for people (`after / aborts`)."""

    name: str
    job: TlcJob


@dataclass(frozen=True)
class Witness:
    """A reachable state (or, for ``step``, a step) that one goal accepts and the other rejects.

    ``accepted_by`` is ``now`` or ``approved``; ``steps`` are the actions that
    lead there; ``states`` are the variables as TLA+ text: one state, or the
    step's two.
    """

    accepted_by: str
    world: str
    steps: tuple[str, ...]
    states: tuple[dict[str, str], ...]


@dataclass(frozen=True)
class Comparison:
    """``relation`` of the goal now to the approved one, within the bounds.

    ``stronger``, ``weaker``, ``neither``, ``the same on every reachable state``
    or ``undecided`` (with ``reason``).
    """

    goal: str
    relation: str
    reason: str = ""
    witnesses: tuple[Witness, ...] = ()
    worlds: tuple[str, ...] = ()
    distinct: int = 0


@dataclass(frozen=True)
class _Question:
    """Whether a goal's form in module ``left`` implies that in ``right``; where not, ``accepts`` says who accepts."""

    goal: str
    accepts: str
    left: str
    right: str
    shape: str

    @property
    def name(self) -> str:
        """The operator that states it."""
        return f"{self.left}Implies{self.right}"


@dataclass
class _Search:
    """What the runs have found so far, by question and by goal."""

    files: dict[str, str]
    spec: Spec
    tools: Tools
    found: dict[str, Witness] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    distinct: Counter[str] = field(default_factory=Counter)

    def ask(self, world: World, questions: Sequence[_Question]) -> None:
        """Put all ``questions`` to one run, and after each violation the rest to another."""
        asking = list(questions)
        while asking:
            result = run_tlc(_job(world.job, self.spec, self.files, asking), self.tools)
            goals = {question.goal: None for question in asking}
            if result.verdict is Verdict.HOLDS:
                self.distinct.update(dict.fromkeys(goals, result.distinct))
                return
            failed = _failed(result, asking)
            if failed is not None and result.trace is not None:
                self.found[failed.name] = _witness(failed, world.name, result.trace)
                asking.remove(failed)
            elif result.verdict is Verdict.ERROR and len(goals) > 1:
                # One goal that can't be evaluated must not hide what the others come to.
                for goal in goals:
                    self.ask(world, [question for question in asking if question.goal == goal])
                return
            else:
                for goal in goals:
                    self.problems[goal].append(f"{world.name}: {result.verdict}, {result.reason}")
                return


def compare_goals(
    goals: Sequence[str],
    approved: Pins,
    now: Pins,
    *,
    spec: Spec,
    worlds: Sequence[World],
    tools: Tools,
    on_world: Callable[[str], None] = lambda name: None,
) -> tuple[Comparison, ...]:
    """Compare each goal as approved with the goal now over all ``worlds``, the likeliest to tell them apart first.

    The model itself is the one that stands now; a variant that violates the
    goal is what reaches states that a correct one doesn't. One TLC run decides
    all goals about states at once.
    """
    undecided: dict[str, Comparison] = {}
    questions: list[_Question] = []
    files: dict[str, str] = {}
    for number, goal in enumerate(goals, start=1):
        old, new = f"VstackOld{number}", f"VstackNew{number}"
        try:
            old_text, old_shape = _rebuild(old, "approved", approved, approved.goals[goal], spec, tools)
            new_text, new_shape = _rebuild(new, "now", now, now.goals[goal], spec, tools)
            if old_shape != new_shape:
                raise NotComparable(f"approved it speaks of a {old_shape}, now of a {new_shape}")
        except NotComparable as error:
            undecided[goal] = Comparison(goal, "undecided", str(error))
            continue
        files |= {f"{old}.tla": old_text, f"{new}.tla": new_text}
        questions.append(_Question(goal, "now", new, old, new_shape))
        questions.append(_Question(goal, "approved", old, new, new_shape))
    search = _Search({**files, f"{_MODULE}.tla": _diff_module(spec, questions)}, spec, tools)
    for world in worlds if questions else ():
        on_world(world.name)
        open_questions = [question for question in questions if question.name not in search.found]
        search.ask(world, [question for question in open_questions if question.shape == "state"])
        # TLC doesn't always name a violated action property: those are asked one at a time.
        for question in open_questions:
            if question.shape == "step":
                search.ask(world, [question])
    names = tuple(world.name for world in worlds)
    return tuple(undecided.get(goal) or _conclude(goal, questions, search, names) for goal in goals)


def _rebuild(module: str, when: str, pins: Pins, pin: Pin, spec: Spec, tools: Tools) -> tuple[str, str]:
    try:
        return rebuild(module, pins, pin, spec, tools)
    except NotComparable as error:
        raise NotComparable(f"as it is {when}, {error}") from None


def _diff_module(spec: Spec, questions: Sequence[_Question]) -> str:
    lines = [f"---- MODULE {_MODULE} ----", f"EXTENDS {spec.root.name}"]
    # Each form is the left side of one question.
    lines += [f"{question.left}Form == INSTANCE {question.left}" for question in questions]
    for question in questions:
        implied = f"{question.left}Form!{HOLDS} => {question.right}Form!{HOLDS}"
        if question.shape == "step":
            variables = ", ".join(item.name for item in spec.root.variables)
            implied = f"[][{implied}]_<<{variables}>>"
        lines.append(f"{question.name} == {implied}")
    return "\n".join([*lines, "===="]) + "\n"


def _job(job: TlcJob, spec: Spec, files: dict[str, str], questions: Sequence[_Question]) -> TlcJob:
    # A symmetry or a view is sound for the model's goals, not for a formula that nobody has looked at.
    cfg = replace(
        job.cfg,
        invariants=tuple(question.name for question in questions if question.shape == "state"),
        properties=tuple(question.name for question in questions if question.shape == "step"),
        symmetry=None,
        view=None,
    )
    root = spec.root.path
    folder = root.parent if root is not None else Path()
    return replace(
        job, module=folder / f"{_MODULE}.tla", cfg=cfg, check_deadlock=False, coverage=False, extra_files=files
    )


def _failed(result: TlcResult, questions: Sequence[_Question]) -> _Question | None:
    if result.verdict is not Verdict.VIOLATED:
        return None
    if len(questions) == 1:
        return questions[0]
    return next((question for question in questions if question.name == result.violated), None)


def _witness(question: _Question, world: str, trace: Trace) -> Witness:
    kept = trace.steps[-2:] if question.shape == "step" else trace.steps[-1:]
    states = tuple({name: format_value(value) for name, value in step.state.items()} for step in kept)
    steps = tuple(step.action for step in trace.steps[1:])
    return Witness(question.accepts, world, steps, states)


def _conclude(goal: str, questions: Sequence[_Question], search: _Search, worlds: tuple[str, ...]) -> Comparison:
    found = [
        search.found[question.name] for question in questions if question.goal == goal and question.name in search.found
    ]
    witnesses, problems, distinct = tuple(found), search.problems[goal], search.distinct[goal]
    if len(witnesses) == 2:
        return Comparison(goal, "neither", "", witnesses, worlds, distinct)
    if problems or not worlds:
        reason = "; ".join(problems) or "the project has no model to reach states with"
        return Comparison(goal, "undecided", reason, witnesses, worlds, distinct)
    relation = "the same on every reachable state"
    if witnesses:
        relation = "weaker" if witnesses[0].accepted_by == "now" else "stronger"
    return Comparison(goal, relation, "", witnesses, worlds, distinct)
