"""The generated module that walks the model along a recorded log."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from vstack.tla.actions import Action
from vstack.tla.values import quoted
from vstack.validate.traces.mapping import Mapped

NAME = "VsTrace"
COMPLETE, CONTROL, AT, STATE, ENABLED, PREDICTED = "complete", "control", "at", "state", "enabled", "predicted"


@dataclass(frozen=True)
class Walk:
    """What the generated module walks: the model, the events, their order, and the controls.

    ``before`` as in ``log.Order``; ``controls`` maps places of events (from 0)
    to a corrupted event that is tried there besides the real one; ``calls``
    maps action names to the text that calls them in Next; ``model_values`` are
    those that no constant of the model is named after, declared here so that
    the log can speak of them. All that the module prints begins with ``mark``,
    which the model can't foresee, so that its own PrintT can't pass for ours.
    """

    root: str
    init: str
    variables: tuple[str, ...]
    events: tuple[Mapped, ...]
    initial: Mapped | None
    before: tuple[tuple[int, ...], ...] | None
    silent: tuple[str, ...]
    actions: Mapping[str, Action]
    calls: Mapping[str, str]
    controls: Mapping[int, Mapped]
    model_values: tuple[str, ...] = ()
    mark: str = field(default_factory=lambda: f"vs-{secrets.token_hex(4)}")


def accept_module(walk: Walk) -> str:
    """The module of the main run: it prints ``complete`` where the whole log is matched.

    TLC 2.15 has no Json module and no POSTCONDITION, so the log is data in the
    module and the end is printed by the constraint.
    """
    report = [
        f'  /\\ (vs_at = {len(walk.events)} => PrintT(<<"{walk.mark}", "{COMPLETE}">>))',
        f'  /\\ (vs_control > 0 => PrintT(<<"{walk.mark}", "{CONTROL}", vs_control>>))',
    ]
    return _module(walk, report, extra=_control_steps(walk))


def track_module(walk: Walk) -> str:
    """The module of the run that finds how far a log that does not match gets: it prints each new maximum."""
    report = [f'  /\\ (vs_at + 1 > TLCGet(1) => (TLCSet(1, vs_at + 1) /\\ PrintT(<<"{walk.mark}", "{AT}", vs_at>>)))']
    return _module(walk, report, extra=[], header="ASSUME TLCSet(1, 0)\n")


def explain_module(walk: Walk, matched: int, failing: int | None) -> str:
    """The module of the run that shows the last matched states, the enabled actions, and what the model does.

    ``failing`` is the place of the event whose action is then taken without
    comparing its state; None if which event fails is not known yet.
    """
    state = ", ".join(walk.variables)
    cursor = "vs_cursor" if walk.before is not None else "<<>>"
    report = [f'  /\\ (vs_at = {matched} => PrintT(<<"{walk.mark}", "{STATE}", {cursor}, <<{state}>>>>))']
    for name, action in sorted(walk.actions.items()):
        if name in walk.calls:
            quantified = _exists(action, walk.calls[name])
            report.append(f'  /\\ ((vs_at = {matched} /\\ ENABLED ({quantified})) => PrintT(<<"{walk.mark}", "{ENABLED}", {quoted(name)}>>))')
    extra: list[str] = []
    if failing is not None:
        event = walk.events[failing]
        shown = f"<<{', '.join(event.state) or 'TRUE'}>>"
        for bound, value in reversed(list(zip(walk.actions[event.action].params, event.params, strict=True))):
            shown = f"(LET {bound.name} == {value} IN {shown})"
        report.append(f'  /\\ (vs_at = {matched + 1} => PrintT(<<"{walk.mark}", "{PREDICTED}", {shown}>>))')
        bare = _step_of(event, walk, event.params, [])
        moved = "vs_cursor' = vs_cursor /\\ " if walk.before is not None else ""
        extra = [f"  \\/ (vs_at = {matched} /\\ vs_at' = {matched + 1} /\\ {moved}vs_control' = 0 /\\ {bare})"]
    return _module(walk, report, extra=extra, stop_at=matched)


def _module(walk: Walk, report: Sequence[str], *, extra: Sequence[str], header: str = "", stop_at: int | None = None) -> str:
    rendered = _rendered(walk)
    shapes = {shape: number for number, shape in enumerate(dict.fromkeys(shape for shape, _ in rendered), start=1)}
    events = (
        _event(shapes[shape], event, texts, walk, place)
        for place, (event, (shape, texts)) in enumerate(zip(walk.events, rendered, strict=True))
    )
    partial = walk.before is not None
    variables = "vs_at, vs_control" + (", vs_cursor" if partial else "")
    lines = [
        f"---- MODULE {NAME} ----",
        f"EXTENDS {walk.root}, Naturals, Sequences, TLC",
        f"VARIABLES {variables}",
        f"CONSTANTS {', '.join(walk.model_values)}" if walk.model_values else "",
        header,
        "vs_Log == <<",
        ",\n".join(events),
        ">>",
        _places(walk) if partial else "",
        f"vs_Init == {walk.init} /\\ vs_at = 0 /\\ vs_control = 0" + _initial(walk),
    ]
    limit = len(walk.events) if stop_at is None else stop_at
    if partial:
        lines += [
            "vs_Ready(e) == \\A n \\in e.n : vs_cursor[n[1]] >= n[2]",
            "vs_Step == \\E t \\in DOMAIN vs_Places :",
            f"  /\\ vs_at < {limit} /\\ vs_control = 0 /\\ vs_cursor[t] < Len(vs_Places[t])",
            "  /\\ vs_at' = vs_at + 1 /\\ vs_control' = 0",
            "  /\\ vs_cursor' = [vs_cursor EXCEPT ![t] = @ + 1]",
            "  /\\ LET e == vs_Log[vs_Places[t][vs_cursor[t] + 1]] IN vs_Ready(e) /\\ vs_Do(e)",
        ]
        kept = "UNCHANGED <<vs_at, vs_control, vs_cursor>>"
    else:
        lines += [
            "vs_Step ==",
            f"  /\\ vs_at < {limit} /\\ vs_control = 0",
            "  /\\ vs_at' = vs_at + 1 /\\ vs_control' = 0",
            "  /\\ vs_Do(vs_Log[vs_at + 1])",
        ]
        kept = "UNCHANGED <<vs_at, vs_control>>"
    do = ["vs_Do(e) =="]
    samples = {shape: event for event, (shape, _) in zip(walk.events, rendered, strict=True)}
    for shape, number in shapes.items():
        params = [f"e.p[{place}]" for place in range(1, shape.arity + 1)]
        do.append(f"  \\/ (e.k = {number} /\\ {_step_of(samples[shape], walk, params, shape.conditions())})")
    place = next(index for index, line in enumerate(lines) if line.startswith("vs_Step"))
    lines[place:place] = do
    lines.append("vs_Next ==\n  \\/ vs_Step")
    for name in walk.silent:
        lines.append(f"  \\/ (vs_at < {limit} /\\ vs_control = 0 /\\ {kept} /\\ ({_exists(walk.actions[name], walk.calls[name])}))")
    lines += [*extra, "vs_Report ==", *report, "===="]
    return "\n".join(lines) + "\n"


def _control_steps(walk: Walk) -> list[str]:
    steps = []
    moved = " /\\ vs_cursor' = vs_cursor" if walk.before is not None else ""
    for place, event in sorted(walk.controls.items()):
        compared = [f"({expression})' = {value.text}" for expression, value in event.state.items()]
        step = _step_of(event, walk, event.params, compared)
        steps.append(f"  \\/ (vs_at = {place} /\\ vs_control = 0 /\\ vs_at' = vs_at{moved} /\\ vs_control' = {place + 1} /\\ {step})")
    return steps


def _step_of(event: Mapped, walk: Walk, params: Sequence[str], compared: Sequence[str]) -> str:
    """The action of ``event`` with ``params``, then the conditions on the state after the step."""
    text = f"({walk.calls[event.action]})" + "".join(f" /\\ {condition}" for condition in compared)
    for bound, value in reversed(list(zip(walk.actions[event.action].params, params, strict=True))):
        # Bound, not LET: a prime on the compared expression must not reach into the log's cursor.
        text = f"(\\E {bound.name} \\in {{{value}}} : {bound.name} \\in ({bound.domain_text}) /\\ {text})"
    return text


def _exists(action: Action, call: str) -> str:
    text = f"({call})"
    for bound in reversed(action.params):
        text = f"(\\E {bound.name} \\in ({bound.domain_text}) : {text})"
    return text


@dataclass(frozen=True)
class _Shape:
    """Events that one disjunct can walk: the action, and how each expression is compared.

    ``delta`` expressions are compared with their value before the step,
    overridden by what changed. That is the same condition, since the event
    before was compared whole, and keeps the module small however large the state.
    """

    action: str
    arity: int
    expressions: tuple[tuple[str, bool], ...]

    def conditions(self) -> list[str]:
        return [
            f"({expression})' = " + (f"(e.s[{place}] @@ ({expression}))" if delta else f"e.s[{place}]")
            for place, (expression, delta) in enumerate(self.expressions, start=1)
        ]


def _rendered(walk: Walk) -> list[tuple[_Shape, list[str]]]:
    """Each event's shape and the texts of its state values."""
    # Only where the log's order is the only one, and nothing silent comes between, is the state before known.
    known = walk.before is None and not walk.silent
    before = walk.initial
    rendered = []
    for event in walk.events:
        modes, texts = [], []
        for expression, value in event.state.items():
            earlier = before.state.get(expression) if known and before is not None else None
            changes = value.changes_from(earlier) if earlier is not None and _fixed(expression, walk, event) else None
            modes.append((expression, changes is not None))
            texts.append(value.text if changes is None else changes)
        rendered.append((_Shape(event.action, len(event.params), tuple(modes)), texts))
        before = event
    return rendered


def _fixed(expression: str, walk: Walk, event: Mapped) -> bool:
    """Whether the expression means the same in every event: it is a variable, not one of the action's parameters."""
    return expression in walk.variables and expression not in {bound.name for bound in walk.actions[event.action].params}


def _event(shape: int, event: Mapped, texts: Sequence[str], walk: Walk, place: int) -> str:
    needs = ""
    if walk.before is not None:
        threads, spots = _threads(walk.before)
        pairs = ", ".join(f"<<{threads[need]}, {spots[need]}>>" for need in walk.before[place])
        needs = f", n |-> {{{pairs}}}"
    return f"[k |-> {shape}, p |-> <<{', '.join(event.params)}>>, s |-> <<{', '.join(texts)}>>{needs}]"


def _initial(walk: Walk) -> str:
    compared = "".join(f" /\\ ({expr}) = {value.text}" for expr, value in walk.initial.state.items()) if walk.initial else ""
    return compared + (" /\\ vs_cursor = [t \\in DOMAIN vs_Places |-> 0]" if walk.before is not None else "")


@lru_cache(maxsize=4)
def _threads(before: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Chains that cover the order: for each event its chain (from 1) and its place in the chain (from 1)."""
    threads: list[int] = []
    spots: list[int] = []
    ends: dict[int, int] = {}
    lengths: list[int] = []
    for place, needs in enumerate(before):
        chain = next((ends.pop(need) for need in reversed(needs) if need in ends), None)
        if chain is None:
            lengths.append(0)
            chain = len(lengths)
        lengths[chain - 1] += 1
        threads.append(chain)
        spots.append(lengths[chain - 1])
        ends[place] = chain
    return tuple(threads), tuple(spots)


def _places(walk: Walk) -> str:
    assert walk.before is not None
    threads, _ = _threads(walk.before)
    chains = [
        "<<" + ", ".join(str(place + 1) for place, chain in enumerate(threads) if chain == number) + ">>"
        for number in range(1, max(threads) + 1)
    ]
    return f"vs_Places == <<{', '.join(chains)}>>"


def done_events(before: tuple[tuple[int, ...], ...], cursor: Sequence[int]) -> set[int]:
    """The places of the events that have happened when each chain stands at ``cursor``."""
    threads, spots = _threads(before)
    return {place for place, (chain, spot) in enumerate(zip(threads, spots, strict=True)) if spot <= cursor[chain - 1]}
