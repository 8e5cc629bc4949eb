"""Whether what was observed in the real code is what the model predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vstack.tla.values import FnValue, ModelValue, Record, Symbolic, Value, format_value, ordered


def plain(value: Value) -> Any:
    """A model's value as the JSON that a driver is given: sets are sorted lists, model values their names."""
    match value:
        case bool() | int() | str():
            return value
        case ModelValue():
            return value.name
        case Symbolic():
            return value.text
        case tuple():
            return [plain(item) for item in value]
        case frozenset():
            return [plain(item) for item in ordered(value)]
        case Record():
            return {str(key): plain(value[key]) for key in ordered(value)}
        case FnValue():
            return [[plain(key), plain(value[key])] for key in ordered(value)]
    raise TypeError(f"not a TLA+ value: {value!r}")


def agrees(value: Value, observed: Any) -> bool:
    """Whether the JSON ``observed`` stands for the model's ``value``.

    A set is a list in any order, a sequence a list, a record or function an
    object (keys as text) or a list of ``[key, value]`` pairs, a model value its
    name. ``True`` is not 1.
    """
    match value:
        case bool():
            return observed is value
        case int():
            return type(observed) is int and observed == value
        case str():
            return type(observed) is str and observed == value
        case ModelValue():
            return observed == value.name
        case tuple():
            if not value and observed == {}:
                return True
            if isinstance(observed, Mapping):
                return _function_agrees(dict(enumerate(value, start=1)), observed)
            return isinstance(observed, list) and len(observed) == len(value) and all(map(agrees, value, observed))
        case frozenset():
            return isinstance(observed, list) and _matches_up(list(value), list(observed))
        case FnValue():
            return _function_agrees(dict(value), observed)
    return False


def _function_agrees(function: Mapping[Any, Value], observed: Any) -> bool:
    if isinstance(observed, Mapping):
        wanted = {_key(key): item for key, item in function.items()}
        return set(map(str, observed)) == set(wanted) and all(agrees(wanted[str(key)], item) for key, item in observed.items())
    if isinstance(observed, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in observed):
        return _matches_up([(key, item) for key, item in function.items()], observed)
    return False


def _key(key: Any) -> str:
    if isinstance(key, ModelValue):
        return key.name
    return key if isinstance(key, str) else format_value(key)


def _matches_up(values: list[Value], observed: list[Any]) -> bool:
    """Whether each value has an observed item of its own."""
    if len(values) != len(observed):
        return False
    left = list(observed)
    for value in values:
        place = next((place for place, item in enumerate(left) if agrees(value, item)), None)
        if place is None:
            return False
        del left[place]
    return True
