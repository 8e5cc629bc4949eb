"""YAML read by the safe loader, in which a key written twice is an error, not the last one's win."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from vstack.errors import VstackError


class StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader that refuses a key that stands twice in one mapping (``yaml.constructor.ConstructorError``).

    What PyYAML's own constructors can't make of a value, such as the date
    2026-13-45, is that error too, with the value's place.
    """

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
            value = f"`{node.value}`" if isinstance(node, yaml.ScalarNode) else "this"
            kind = node.tag.rpartition(":")[2]
            known = "date or time" if kind == "timestamp" else f"value of the kind {kind}"
            why = f" ({error})" if isinstance(error, ValueError) else ""
            raise yaml.constructor.ConstructorError(
                None, None, f"{value[:80]} is no {known}{why}", node.start_mark
            ) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a single value", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the key `{key}` stands twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def parse_yaml(text: str, path: Path | str, *, what: str) -> Any:
    """The YAML ``text`` of the file at ``path`` (or what a message should call it).

    Raises:
        VstackError: it does not parse: ``what`` (the sentence's beginning), the fault and its line.
    """
    try:
        return yaml.load(text, Loader=StrictLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise VstackError(f"{what}: {getattr(error, 'problem', error)}", where=where, todo="Mend that line") from None
    except RecursionError:
        raise VstackError(f"{what}: it is nested too deeply", where=str(path), todo="Write it flatter") from None
