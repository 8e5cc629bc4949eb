"""Replay a recorded trace through the model with TLC, and say where they part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from vstack.errors import RefusedError, VstackError
from vstack.project import Project
from vstack.results import TraceRow
from vstack.sections import TraceMapping
from vstack.tla.actions import Action
from vstack.tla.cfg import Assignment
from vstack.tla.tree import Spec
from vstack.tla.values import format_value, parse_value
from vstack.tlc.job import TlcJob
from vstack.tlc.outcome import TlcResult
from vstack.tlc.printed import printed_tuples
from vstack.tlc.run import run_tlc
from vstack.tools.find import Tools
from vstack.validate.cells import Setting, as_items, cell_job
from vstack.validate.traces import module as generated
from vstack.validate.traces.controls import corrupt
from vstack.validate.traces.log import Order, order_events
from vstack.validate.traces.mapping import Mapped, map_events
from vstack.validate.traces.module import Walk
from vstack.validate.traces.recorded import Recorded, read_recorded
from vstack.verdicts import Verdict

BRIEF_EVENTS = 50_000


@dataclass(frozen=True)
class Prepared:
    """A trace ready to be replayed: what to walk, the job to run, and what was ignored."""

    walk: Walk
    job: TlcJob
    ignored: Counter[str]
    log: Path
    recorded: Recorded | None = None


def prepare(project: Project, spec: Spec, actions: tuple[Action, ...], name: str, log: Path | None = None) -> Prepared:
    """Read, order and map the trace ``name`` of `vstack.yaml`; ``log`` stands in for its own log.

    Raises:
        VstackError: the log, its order or its mapping can't be read.
        RefusedError: the trace is empty of events that the model speaks of, or holds one that nothing maps.
    """
    mapping = project.file.traces[name]
    path = log or project.root / mapping.log
    recorded, events = read_recorded(path)
    stale = recorded.stale(project, mapping) if recorded is not None else None
    if recorded is None and project.file.reproduce is not None and name in project.file.reproduce.traces:
        stale = "its first line does not say what recorded it"
    if stale:
        raise RefusedError(
            f"The trace is stale: {stale}", where=str(path), todo=f"Record it again: `vstack reproduce --record {name}`"
        )
    order = order_events(events, mapping, str(path))
    init = project.model.init
    mapped, ignored = map_events(order.events, mapping, actions, init, frozenset(project.model.model_values), str(path))
    initial = mapped[0] if mapped[0].action == init else None
    steps = mapped[1:] if initial else mapped
    if not steps:
        raise RefusedError("The trace holds no event after the initial one", where=str(path), todo="Record a longer one")
    walk = Walk(
        root=project.model_path.stem,
        init=init,
        variables=tuple(item.name for item in spec.root.variables),
        events=steps,
        initial=initial,
        before=_restrict(order, steps),
        silent=tuple(mapping.silent),
        actions={action.name: action for action in actions},
        calls=_calls(spec, actions),
        controls=corrupt(steps),
        model_values=tuple(value for value in project.model.model_values if value not in {c.name for c in spec.root.constants}),
    )
    job = cell_job(project, Setting(mapping.variant, mapping.environment, (), as_items(mapping.constants)), [])
    cfg = replace(
        job.cfg, constants=(*job.cfg.constants, *(Assignment(value, value) for value in walk.model_values))
    )
    cfg = replace(cfg, specification=None, init="vs_Init", next="vs_Next", constraints=(*job.cfg.constraints, "vs_Report"))
    # A log is one path, so even a long one is walked before the JVM's better compiler would pay.
    job = replace(job, cfg=cfg, coverage=False, check_deadlock=False, brief=job.brief or len(steps) <= BRIEF_EVENTS)
    return Prepared(walk, job, ignored, path, recorded)


def generated_job(prepared: Prepared, text: str) -> TlcJob:
    """The job of one generated module."""
    name = f"{generated.NAME}.tla"
    job = prepared.job
    return replace(job, module=job.module.with_name(name), extra_files={name: text})


def replay(project: Project, spec: Spec, actions: tuple[Action, ...], name: str, tools: Tools, log: Path | None = None) -> TraceRow:
    """Replay one trace: matched whole, or where it fails, with the corrupted events tried in the same run.

    Raises:
        VstackError: the log or mapping can't be read, or TLC could not run.
    """
    started = monotonic()
    mapping = project.file.traces[name]
    try:
        prepared = prepare(project, spec, actions, name, log)
    except RefusedError as error:
        return TraceRow(name=name, variant=mapping.variant, verdict=Verdict.REFUSED, reason=error.paragraph(), matched=0, total=0)
    walk = prepared.walk
    result, printed = _run(prepared, generated.accept_module(walk), tools)
    accepted = {int(entry[1]) - 1 for entry in printed if entry[0] == generated.CONTROL}
    complete = any(entry[0] == generated.COMPLETE for entry in printed)
    happened = {event.action for event in walk.events}
    # A trace without states says little: that an altered action or parameter fails shows no comparison of any.
    states = {place for place, altered in walk.controls.items() if altered.state != walk.events[place].state}
    row = TraceRow(
        name=name,
        variant=mapping.variant,
        verdict=Verdict.HOLDS,
        reason=f"all {len(walk.events)} events match; {len(walk.controls) - len(accepted)} of {len(walk.controls)} corrupted events rejected",
        matched=len(walk.events),
        total=len(walk.events),
        ignored=sum(prepared.ignored.values()),
        control_rejected=not states <= accepted,
        never_exercised=tuple(sorted(set(walk.actions) - happened - set(walk.silent))),
        recorded=prepared.recorded.words if prepared.recorded is not None else "",
    )
    if result.verdict is not Verdict.HOLDS:
        row = row.model_copy(update={"verdict": result.verdict, "reason": result.reason, "matched": 0})
    elif not complete:
        failure = _failure(prepared, tools)
        row = row.model_copy(
            update={
                "verdict": Verdict.VIOLATED,
                "reason": _failure_text(failure),
                "matched": failure["matched"],
                "failure": failure,
            }
        )
    elif not row.control_rejected:
        row = row.model_copy(
            update={
                "verdict": Verdict.REFUSED,
                "reason": "every event with a corrupted state is accepted too, so this mapping compares nothing: map state variables"
                if states
                else "no state value could be corrupted as a control: the mapping compares nothing of the state, or each"
                " expression has one value in the whole log: map state variables",
            }
        )
    return row.model_copy(update={"seconds": round(monotonic() - started, 3)})


def _failure(prepared: Prepared, tools: Tools) -> dict[str, Any]:
    """Where the log and the model part: two more runs, one to find the place, one to show it."""
    walk = prepared.walk
    _, tracked = _run(prepared, generated.track_module(walk), tools)
    matched = max((int(entry[1]) for entry in tracked if entry[0] == generated.AT), default=-1)
    if matched < 0:
        first = walk.initial or walk.events[0]
        return {"matched": 0, "line": first.event.line, "log": str(prepared.log), "event": first.event.data, "action": first.action,
                "reason": "the initial state of the log is not one of the model", "states": [], "enabled": [], "difference": []}  # fmt: skip
    failing = matched if walk.before is None else None
    _, shown = _run(prepared, generated.explain_module(walk, matched, failing), tools)
    states = [entry for entry in shown if entry[0] == generated.STATE]
    if failing is None:
        failing = _first_ready(walk, states[0][1]) if states else matched
        shown += _run(prepared, generated.explain_module(walk, matched, failing), tools)[1]
    event = walk.events[failing]
    predicted = [entry[1] for entry in shown if entry[0] == generated.PREDICTED]
    enabled = sorted({str(entry[1]) for entry in shown if entry[0] == generated.ENABLED})
    return {
        "matched": matched,
        "line": event.event.line,
        "log": str(prepared.log),
        "event": event.event.data,
        "action": event.action,
        "params": dict(zip((bound.name for bound in walk.actions[event.action].params), event.params, strict=True)),
        "states": [dict(zip(walk.variables, map(format_value, entry[2]), strict=True)) for entry in states[:3]],
        "enabled": enabled,
        "difference": _differences(event, predicted),
        "reason": "the model's step differs from the recorded state" if predicted else "the model can't take this action here",
    }


def _failure_text(failure: dict[str, Any]) -> str:
    text = f"{failure['log']}:{failure['line']}: {failure['action']}: {failure['reason']}"
    for field in failure["difference"][:3]:
        text += f"; {field['expression']}: recorded {field['recorded']}, model {' or '.join(field['model'])}"
    return text


def _differences(event: Mapped, predicted: list[Any]) -> list[dict[str, Any]]:
    """For each compared expression whose recorded value no successor has: recorded against the model's."""
    found = []
    for place, (expression, logged) in enumerate(event.state.items()):
        models = sorted({format_value(values[place]) for values in predicted})
        recorded = _readable(logged.text)
        if predicted and recorded not in models:
            found.append({"expression": expression, "recorded": recorded, "model": models[:4]})
    return found


def _readable(text: str) -> str:
    try:
        return format_value(parse_value(text))
    except VstackError:
        return text


def _first_ready(walk: Walk, cursor: Any) -> int:
    """The first event in the log's order that has not happened while all that must come before it has."""
    assert walk.before is not None
    done = generated.done_events(walk.before, cursor)
    return next(place for place, needs in enumerate(walk.before) if place not in done and done.issuperset(needs))


def _run(prepared: Prepared, text: str, tools: Tools) -> tuple[TlcResult, list[tuple[Any, ...]]]:
    """What TLC says of a generated module, and what the module printed (kind first)."""
    result = run_tlc(generated_job(prepared, text), tools)
    if result.verdict is Verdict.ERROR:
        raise VstackError(
            f"TLC could not replay the trace: {result.reason}",
            where=str(prepared.log),
            todo="Check the mapping's expressions and the kinds of its fields",
        )
    return result, [printed[1:] for printed in printed_tuples(result.printed, prepared.walk.mark)]


def _calls(spec: Spec, actions: tuple[Action, ...]) -> dict[str, str]:
    """The text by which Next calls each action; disjuncts without a name of their own can't be called."""
    return {action.name: spec.text(action.call_span) for action in actions if action.definition is not None}


def _restrict(order: Order, steps: tuple[Mapped, ...]) -> tuple[tuple[int, ...], ...] | None:
    """The order between the events that are replayed: through an ignored event it passes on."""
    if order.before is None:
        return None
    place_of = {event.line: place for place, event in enumerate(order.events)}
    kept = {place_of[step.event.line]: new for new, step in enumerate(steps)}
    through: list[frozenset[int]] = []
    for place, needs in enumerate(order.before):
        reach: set[int] = set()
        for need in needs:
            reach |= {kept[need]} if need in kept else through[need]
        through.append(frozenset(reach))
    return tuple(tuple(sorted(through[place_of[step.event.line]])) for step in steps)


def trace_mapping(project: Project, name: str) -> TraceMapping:
    """The mapping called ``name``.

    Raises:
        VstackError: there is none.
    """
    if name not in project.file.traces:
        known = ", ".join(project.file.traces) or "none"
        raise VstackError(f"No trace `{name}` in vstack.yaml (declared: {known})", where=str(project.root / "vstack.yaml"))
    return project.file.traces[name]
