"""Map the events of a log to actions, parameters and state values of the model, as TLA+ text."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vstack.errors import RefusedError, VstackError
from vstack.sections import TraceField, TraceMapping
from vstack.tla.actions import Action
from vstack.tla.values import quoted
from vstack.validate.traces.log import MISSING, Event


@dataclass(frozen=True)
class Logged:
    """A state value as the log holds it: JSON, and how it reads (``TraceField.kind``).

    It becomes TLA+ text only where the generated module needs it: a log of a
    large state repeats itself, and most of it need never be written out.
    """

    value: Any
    kind: str
    model_values: frozenset[str]
    where: str

    @property
    def text(self) -> str:
        """The whole value as TLA+ text.

        Raises:
            VstackError: TLA+ has no such value.
        """
        return to_tla(self.value, self.kind, self.model_values, self.where)

    def changes_from(self, before: Logged) -> str | None:
        """The entries that differ from ``before``, as a function that overrides it; None to write the whole value.

        Both must be functions (or sequences) with one domain, and large enough for it to pay.
        """
        pairs = _changed_entries(self.value, before.value) if self.kind == before.kind != "set" else None
        if pairs is None:
            return None
        return _function([[key, item] for key, item in pairs], self.model_values, self.where)


@dataclass(frozen=True)
class Mapped:
    """An event as the model sees it: parameters in the action's order, state values by expression."""

    event: Event
    name: str
    action: str
    params: tuple[str, ...]
    state: dict[str, Logged]


def map_events(
    events: tuple[Event, ...],
    mapping: TraceMapping,
    actions: tuple[Action, ...],
    init: str,
    model_values: frozenset[str],
    where: str,
) -> tuple[tuple[Mapped, ...], Counter[str]]:
    """The events that the model speaks of, mapped, and how many of each ignored kind were left out.

    The first event may be mapped to ``init``, the model's initial predicate:
    its state is then compared with the initial state.

    Raises:
        VstackError: the mapping names an action or parameter that the model lacks, or a field is missing.
        RefusedError: an event is neither mapped nor ignored, or every event is ignored.
    """
    known = {action.name: action for action in actions}
    for name, target in mapping.events.items():
        if target.action != init:
            _check_target(name, target.action, set(target.params), known)
    for silent in mapping.silent:
        _check_target("silent", silent, None, known)
    mapped, ignored = [], Counter[str]()
    for event in events:
        place = f"{where}:{event.line}"
        name = event.field(mapping.event)
        if not isinstance(name, str):
            raise VstackError(f"The event has no name in field `{mapping.event}`", where=place)
        if name in mapping.ignore:
            ignored[name] += 1
        elif name not in mapping.events:
            near = difflib.get_close_matches(name, mapping.events, n=1)
            raise RefusedError(
                f"The event `{name}` is neither mapped nor ignored" + (f" (nearest: `{near[0]}`)" if near else ""),
                where=place,
                todo="Map it under `events`, or list it under `ignore` with the reason",
            )
        elif mapping.events[name].action == init and mapped:
            raise RefusedError(f"The event `{name}` stands for {init} but is not the first", where=place)
        else:
            mapped.append(_map(event, name, mapping, known, model_values, place))
    if not mapped:
        raise RefusedError(
            "Every event of the trace is ignored", where=where, todo="A trace that matches nothing shows nothing: map its events"
        )
    return tuple(mapped), ignored


def to_tla(value: Any, kind: str, model_values: Collection[str], where: str) -> str:
    """A JSON value as TLA+ text; ``kind`` as in ``TraceField``.

    Raises:
        VstackError: TLA+ has no such value (null, a fraction), or the JSON does not fit ``kind``.
    """
    if kind == "set":
        if not isinstance(value, list):
            raise VstackError(f"A set must be a JSON list, not {json.dumps(value)[:60]}", where=where)
        return "{" + ", ".join(to_tla(item, "value", model_values, where) for item in value) + "}"
    if kind == "function":
        return _function(value, model_values, where)
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case str():
            return value if value in model_values else quoted(value)
        case list():
            return "<<" + ", ".join(to_tla(item, "value", model_values, where) for item in value) + ">>"
        case dict() if value and all(key.isidentifier() for key in value):
            fields = (f"{key} |-> {to_tla(item, 'value', model_values, where)}" for key, item in value.items())
            return "[" + ", ".join(fields) + "]"
    raise VstackError(
        f"TLA+ has no value for {json.dumps(value)[:60]}", where=where, todo="Log an integer, text, list or object there"
    )


def _function(value: Any, model_values: Collection[str], where: str) -> str:
    if isinstance(value, dict):
        pairs = [(_key(key), item) for key, item in value.items()]
    elif isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        pairs = [(pair[0], pair[1]) for pair in value]
    else:
        raise VstackError(f"A function must be an object or a list of pairs, not {json.dumps(value)[:60]}", where=where)
    if not pairs:
        return "<<>>"
    texts = (
        f"{to_tla(key, 'value', model_values, where)} :> {to_tla(item, 'value', model_values, where)}" for key, item in pairs
    )
    return "(" + " @@ ".join(texts) + ")"


def _map(
    event: Event, name: str, mapping: TraceMapping, known: dict[str, Action], model_values: frozenset[str], place: str
) -> Mapped:
    target = mapping.events[name]
    bounds = known[target.action].params if target.action in known else ()
    params = tuple(_logged(event, target.params[bound.name], model_values, place) for bound in bounds)
    state = {
        expression: logged
        for expression, source in {**mapping.variables, **target.variables}.items()
        if (logged := _logged(event, source, model_values, place)) is not None
    }
    return Mapped(event, name, target.action, tuple(param.text if param else "" for param in params), state)


@lru_cache(maxsize=256)
def _field(path: str) -> TraceField:
    return TraceField(field=path)


def _logged(event: Event, source: str | TraceField, model_values: frozenset[str], place: str) -> Logged | None:
    wanted = source if isinstance(source, TraceField) else _field(source)
    value = event.field(wanted.field)
    if value is MISSING:
        if wanted.optional:
            return None
        raise VstackError(
            f"The event has no field `{wanted.field}`", where=place, todo="Log it, or mark the field `optional: true`"
        )
    return Logged(value, wanted.kind, model_values, place)


_WORTH = 8


def _changed_entries(now: Any, before: Any) -> list[tuple[Any, Any]] | None:
    """Key and new value of each entry that changed; None where the domains differ, or it does not pay."""
    if isinstance(now, list) and isinstance(before, list):
        if len(now) != len(before) or len(now) < _WORTH:
            return None
        changed = [(place, item) for place, (item, old) in enumerate(zip(now, before, strict=True), 1) if item != old]
    elif isinstance(now, dict) and isinstance(before, dict):
        if len(now) < _WORTH or len(now) != len(before):
            return None
        # Equal in all but a few entries is the rule, and then dict equality decides most of it at once.
        if now == before:
            return []
        changed = [(_key(key), item) for key, item in now.items() if before.get(key, MISSING) != item]
        if any(str(key) not in before for key, _ in changed):
            return None
    else:
        return None
    return changed if 2 * len(changed) <= len(now) else None


def _key(key: str) -> int | str:
    return int(key) if key.lstrip("-").isdigit() else key


def _check_target(event: str, action: str, params: set[str] | None, known: dict[str, Action]) -> None:
    if action not in known:
        near = difflib.get_close_matches(action, known, n=1)
        raise VstackError(
            f"The trace mapping of `{event}` names action `{action}`, which is not in the model's Next",
            where="vstack.yaml",
            todo=f"The nearest action is `{near[0]}`" if near else "Name an action of Next",
        )
    if params is not None and params != {bound.name for bound in known[action].params}:
        wanted = ", ".join(bound.name for bound in known[action].params) or "none"
        raise VstackError(
            f"The trace mapping of `{event}` must give the parameters of {action} ({wanted})", where="vstack.yaml"
        )
