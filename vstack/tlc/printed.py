"""Tuples that a generated module prints with ``PrintT``, read back as values."""

from __future__ import annotations

from collections.abc import Iterable

from vstack.errors import VstackError
from vstack.tla.values import Value, parse_value

_LONGEST = 1_000


def printed_tuples(lines: Iterable[str], mark: str) -> list[tuple[Value, ...]]:
    """The tuples in ``lines`` whose first element is the string ``mark``, in order.

    TLC breaks a value that is wider than its page over several lines, with a
    blank after ``<<``; other lines are the model's own and are passed over.
    """
    found: list[tuple[Value, ...]] = []
    starts = (f'<<"{mark}"', f'<< "{mark}"')
    pending: list[str] = []
    for line in lines:
        if line.startswith(starts):
            pending = [line]
        elif pending and len(pending) < _LONGEST:
            pending.append(line)
        else:
            continue
        try:
            value = parse_value("\n".join(pending))
        except VstackError:
            continue
        pending = []
        if isinstance(value, tuple):
            found.append(value)
    return found
