"""Arguments that an agent gives, held against the JSON schema it was shown."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from vstack.errors import VstackError


def check(name: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Look at names and types of the arguments of the tool ``name`` before anything runs.

    Raises:
        VstackError: an unknown or missing argument, or a value of the wrong type.
    """
    known = schema["properties"]
    for key, value in arguments.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            todo = f"The nearest is `{near[0]}`" if near else f"It takes: {', '.join(known) or 'none'}"
            raise VstackError(f"`{name}` takes no argument `{key}`", todo=todo)
        wrong = _wrong(value, known[key])
        if wrong:
            raise VstackError(f"The argument `{key}` of `{name}` {wrong}, and is {repr(value)[:100]}")
    missing = [key for key in schema["required"] if key not in arguments]
    if missing:
        raise VstackError(f"`{name}` needs the argument `{missing[0]}`", todo=known[missing[0]].get("description"))


def _wrong(value: Any, schema: Mapping[str, Any]) -> str | None:
    """What ``value`` should be, if it is not; for the kinds of schema that tools here have."""
    kind = schema["type"]
    if kind == "array":
        if not isinstance(value, list):
            return "must be a list"
        wrong = next((wrong for item in value if (wrong := _wrong(item, schema["items"]))), None)
        return f"is a list whose every item {wrong}" if wrong else None
    types: Any = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}[kind]
    if not isinstance(value, types) or (kind in ("integer", "number") and isinstance(value, bool)):
        return f"must be {'an' if kind == 'integer' else 'a'} {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(schema['enum'])}"
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        return f"must lie between {least} and {most}" if most is not None else f"must be at least {least}"
    return None
