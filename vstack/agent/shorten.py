"""Reports cut to what fits into an agent's context, saying what was cut."""

from __future__ import annotations

import json
from typing import Any

MOST_CHARACTERS = 40_000
_MOST_TEXT = 20_000
# Of a record of one engine run an agent needs what came out, not what would repeat it.
_RECORD = ("engine", "subject", "verdict", "reason", "violated", "strength", "numbers", "warnings")
_GOOD = {"killed", "equivalent", "exact", "reproduced", "parts"}
# What a person reads in `spec show`, or what is the same at each check.
_HEAVY = ("actions", "processes", "guard_anchors", "variant_guards", "machine", "tools", "pins", "definitions")


def shorten(data: Any) -> tuple[Any, str]:
    """``data`` without the bulk of its engine records and its good rows, and a sentence saying so."""
    cut = _cut(data)
    said = "Shortened: engine records without inputs and traces (`explain` tells a trace), good rows counted."
    if len(json.dumps(cut)) > MOST_CHARACTERS:
        return None, "Left out: even shortened it is too long to show here."
    return cut, said


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        if "engine" in value and "verdict" in value:
            record = {key: _cut(value[key]) for key in _RECORD if value.get(key)}
            trace = value.get("trace")
            return {**record, "trace_steps": len(trace["steps"]) - 1} if trace else record
        return {key: _cut(item) for key, item in value.items() if key not in _HEAVY}
    if isinstance(value, list):
        bad = [_cut(item) for item in value if _state(item) not in _GOOD]
        good: dict[str, int] = {}
        for item in value:
            if (state := _state(item)) in _GOOD:
                good[str(state)] = good.get(str(state), 0) + 1
        return [*bad, *({"rows left out": count, "state": state} for state, count in good.items())]
    return value


def _state(item: Any) -> Any:
    return item.get("status", item.get("state")) if isinstance(item, dict) else None


def shorten_text(text: str) -> str:
    """``text``, its middle left out where it is too long."""
    if len(text) <= _MOST_TEXT:
        return text
    half = _MOST_TEXT // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
