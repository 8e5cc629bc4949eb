"""Values of a model in plain text, and what differs between two of them, as small as it can be said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vstack.tla.values import FnValue, ModelValue, Record, Symbolic, Value, ordered


@dataclass(frozen=True)
class Difference:
    """One small change of the state.

    ``place`` names it (``status[r1]``, ``free``). A replaced value has both
    ``before`` and ``after``; what a set, sequence or function gained has only
    ``after``; what it lost has only ``before``.
    """

    place: str
    before: str | None
    after: str | None

    def text(self) -> str:
        """The change in one line."""
        if self.before is None:
            return f"{self.place} gains {self.after}"
        if self.after is None:
            return f"{self.place} loses {self.before}"
        return f"{self.place}: {self.before} → {self.after}"


def show(value: Value) -> str:
    """``value`` for a reader who knows no TLA+: ``{a, b}``, ``⟨1, 2⟩``, ``[a: 1, b: 2]``."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return f'"{value}"'
        case ModelValue():
            return value.name
        case Symbolic():
            return value.text
        case tuple():
            return f"⟨{_several(value)}⟩"
        case frozenset():
            return f"{{{_several(ordered(value))}}}"
        case Record():
            return f"[{', '.join(f'{key}: {show(value[key])}' for key in ordered(value))}]"
        case FnValue():
            return f"[{', '.join(f'{show(key)}: {show(value[key])}' for key in ordered(value))}]"
    raise TypeError(f"not a value: {value!r}")


def differences(place: str, before: Value, after: Value) -> tuple[Difference, ...]:
    """How ``after`` differs from ``before``: the innermost parts that changed, in a fixed order."""
    if before == after and type(before) is type(after):
        return ()
    # TLC prints a function with an empty domain as the empty sequence.
    if before == () and isinstance(after, FnValue):
        before = type(after)({})
    if after == () and isinstance(before, FnValue):
        after = type(before)({})
    match before, after:
        case frozenset(), frozenset():
            lost = [Difference(place, show(item), None) for item in ordered(before - after)]
            return (*lost, *(Difference(place, None, show(item)) for item in ordered(after - before)))
        case FnValue(), FnValue():
            return tuple(_by_key(place, before, after))
        case tuple(), tuple():
            return tuple(_sequence(place, before, after))
    return (Difference(place, show(before), show(after)),)


def _by_key(place: str, before: FnValue, after: FnValue) -> Iterable[Difference]:
    for key in ordered({*before, *after}):
        inner = place + _index(key)
        if key not in after:
            yield Difference(inner, show(before[key]), None)
        elif key not in before:
            yield Difference(inner, None, show(after[key]))
        else:
            yield from differences(inner, before[key], after[key])


def _sequence(place: str, before: tuple[Value, ...], after: tuple[Value, ...]) -> Iterable[Difference]:
    """A queue's push and pop are told as such; a change in place by index; the rest whole."""
    dropped = len(before) - len(after)
    if before == after[: len(before)]:
        yield from (Difference(place, None, f"{show(item)} at the end") for item in after[len(before) :])
    elif len(after) < len(before) and after == before[dropped:]:
        yield from (Difference(place, f"{show(item)} from the front", None) for item in before[:dropped])
    elif len(before) == len(after):
        for index, (was, now) in enumerate(zip(before, after, strict=True), start=1):
            yield from differences(f"{place}[{index}]", was, now)
    else:
        yield Difference(place, show(before), show(after))


def _index(key: Value) -> str:
    return f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{show(key)}]"


def _several(values: Iterable[Value]) -> str:
    return ", ".join(show(item) for item in values)
