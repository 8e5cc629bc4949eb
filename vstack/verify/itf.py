"""Apalache's counterexamples (ITF, its Informal Trace Format, JSON) as our traces."""

from __future__ import annotations

import json
from typing import Any

from vstack.errors import VstackError
from vstack.tla.values import Record, Symbolic, Value, function
from vstack.tlc.trace import INITIAL, Step, Trace


def read_itf(text: str, *, where: str, next_name: str = "Next") -> Trace:
    """The trace in an ITF document; every step after the first is named ``next_name``: ITF does not say which action.

    Raises:
        VstackError: it is not ITF, or has no state.
    """
    try:
        data = json.loads(text)
        states, names = data["states"], data["vars"]
        steps = tuple(
            Step(
                number,
                INITIAL if number == 1 else next_name,
                None,
                None,
                {name: _value(state[name]) for name in names},
            )
            for number, state in enumerate(states, 1)
        )
        loop = data.get("loop")
        loop_to = None if loop is None else int(loop) + 1
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VstackError(f"The counterexample is not in ITF: {type(error).__name__} {error}", where=where) from None
    if not steps:
        raise VstackError("The counterexample has no state", where=where)
    return Trace(steps, loop_to)


def _value(data: Any) -> Value:
    if isinstance(data, bool | int | str):
        return data
    if isinstance(data, list):
        return tuple(_value(item) for item in data)
    if not isinstance(data, dict):
        raise TypeError(f"{data!r} is no value")
    match data:
        case {"#bigint": number}:
            return int(number)
        case {"#tup": items}:
            return tuple(_value(item) for item in items)
        case {"#set": items}:
            return frozenset(_value(item) for item in items)
        case {"#map": pairs}:
            return function((_value(key), _value(value)) for key, value in pairs)
        case {"#unserializable": text}:
            return Symbolic(str(text))
    return Record((name, _value(value)) for name, value in data.items() if name != "#meta")
