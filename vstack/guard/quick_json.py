"""JSON read without the `re` module, which costs more than everything else that a hook does."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes longer to import than this takes to run
    from typing import Any

make_scanner: Any
try:
    from _json import make_scanner
except ImportError:  # an interpreter other than CPython
    make_scanner = None

_BLANK = " \t\n\r"


class _Rules:
    """What the scanner of CPython's own `json` reads its rules from: those of `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> float:
        """`NaN` and the infinities, which JSON does not have."""
        raise ValueError(name)


def loads(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    if make_scanner is not None:
        start = len(text) - len(text.lstrip(_BLANK))
        try:
            value, end = make_scanner(_Rules())(text, start)
        except (StopIteration, SystemError):
            pass  # the scanner can't make its own error without the rest of `json`, which tells it
        else:
            if text[end:].strip(_BLANK):
                raise ValueError("more than one value")
            return value
    import json

    return json.loads(text)
