"""A changed goal compared with the approved one: stronger, weaker, both or neither, on the states that TLC reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
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

_MODULE, _OLD, _NEW = "VstackDiff", "VstackOld", "VstackNew"
# Where one of these fails, the approved goal and the one now part ways.
WEAKER, STRONGER = "VstackNewImpliesOld", "VstackOldImpliesNew"


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


def compare_goal(
    goal: str,
    approved: Pins,
    now: Pins,
    *,
    spec: Spec,
    worlds: Sequence[World],
    tools: Tools,
    on_world: Callable[[str], None] = lambda name: None,
) -> Comparison:
    """Compare the goal as approved with the goal now over all ``worlds``, the likeliest to tell them apart first.

    The model itself is the one that stands now; a variant that violates the
    goal is what reaches states that a correct one doesn't.
    """
    try:
        old_text, old_shape = _rebuild(_OLD, "approved", approved, approved.goals[goal], spec, tools)
        new_text, new_shape = _rebuild(_NEW, "now", now, now.goals[goal], spec, tools)
        if old_shape != new_shape:
            raise NotComparable(f"approved it speaks of a {old_shape}, now of a {new_shape}")
    except NotComparable as error:
        return Comparison(goal, "undecided", str(error))
    files = {f"{_OLD}.tla": old_text, f"{_NEW}.tla": new_text, f"{_MODULE}.tla": _diff_module(spec, old_shape)}
    found: dict[str, Witness] = {}
    problems: list[str] = []
    distinct = 0
    for world in worlds:
        on_world(world.name)
        open_questions = [name for name in (WEAKER, STRONGER) if name not in found]
        while open_questions:
            # TLC doesn't always name a violated action property: those are asked one at a time.
            asking = open_questions if old_shape == "state" else open_questions[:1]
            result = run_tlc(_job(world.job, spec, files, asking, old_shape), tools)
            if result.verdict is Verdict.HOLDS:
                distinct += result.distinct
                open_questions = [name for name in open_questions if name not in asking]
                continue
            asked = _asked(result, asking)
            if asked is None or result.trace is None:
                problems.append(f"{world.name}: {result.verdict}, {result.reason}")
                break
            found[asked] = _witness(asked, world.name, result.trace, old_shape)
            open_questions.remove(asked)
        if len(found) == 2:
            break
    return _conclude(goal, found, problems, [world.name for world in worlds], distinct)


def _rebuild(module: str, when: str, pins: Pins, pin: Pin, spec: Spec, tools: Tools) -> tuple[str, str]:
    try:
        return rebuild(module, pins, pin, spec, tools)
    except NotComparable as error:
        raise NotComparable(f"as it is {when}, {error}") from None


def _diff_module(spec: Spec, shape: str) -> str:
    old, new = f"{_OLD}Form!{HOLDS}", f"{_NEW}Form!{HOLDS}"
    lines = [f"---- MODULE {_MODULE} ----", f"EXTENDS {spec.root.name}"]
    lines += [f"{_OLD}Form == INSTANCE {_OLD}", f"{_NEW}Form == INSTANCE {_NEW}"]
    for name, left, right in ((WEAKER, new, old), (STRONGER, old, new)):
        implied = f"{left} => {right}"
        if shape == "step":
            variables = ", ".join(item.name for item in spec.root.variables)
            implied = f"[][{implied}]_<<{variables}>>"
        lines.append(f"{name} == {implied}")
    return "\n".join([*lines, "===="]) + "\n"


def _job(job: TlcJob, spec: Spec, files: dict[str, str], questions: Iterable[str], shape: str) -> TlcJob:
    names = tuple(questions)
    # A symmetry or a view is sound for the model's goals, not for a formula that nobody has looked at.
    cfg = replace(
        job.cfg,
        invariants=names if shape == "state" else (),
        properties=names if shape == "step" else (),
        symmetry=None,
        view=None,
    )
    root = spec.root.path
    folder = root.parent if root is not None else Path()
    return replace(job, module=folder / f"{_MODULE}.tla", cfg=cfg, check_deadlock=False, coverage=False, extra_files=files)


def _asked(result: TlcResult, questions: Sequence[str]) -> str | None:
    if result.verdict is not Verdict.VIOLATED:
        return None
    return questions[0] if len(questions) == 1 else result.violated if result.violated in questions else None


def _witness(question: str, world: str, trace: Trace, shape: str) -> Witness:
    kept = trace.steps[-2:] if shape == "step" else trace.steps[-1:]
    states = tuple({name: format_value(value) for name, value in step.state.items()} for step in kept)
    steps = tuple(step.action for step in trace.steps[1:])
    return Witness("now" if question == WEAKER else "approved", world, steps, states)


def _conclude(
    goal: str, found: dict[str, Witness], problems: list[str], worlds: list[str], distinct: int
) -> Comparison:
    witnesses = tuple(found.values())
    if len(found) == 2:
        return Comparison(goal, "neither", "", witnesses, tuple(worlds), distinct)
    if problems or not worlds:
        reason = "; ".join(problems) or "the project has no model to reach states with"
        return Comparison(goal, "undecided", reason, witnesses, tuple(worlds), distinct)
    relation = "the same on every reachable state"
    if WEAKER in found:
        relation = "weaker"
    elif STRONGER in found:
        relation = "stronger"
    return Comparison(goal, relation, "", witnesses, tuple(worlds), distinct)
