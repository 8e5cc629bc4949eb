"""YAML read by the safe loader, in which a key written twice is an error, not the last one's win."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from vstack.errors import VstackError


class StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader that refuses a key that stands twice in one mapping (``yaml.constructor.ConstructorError``)."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the key `{key}` stands twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def parse_yaml(text: str, path: Path, *, what: str) -> Any:
    """The YAML ``text`` of the file at ``path``.

    Raises:
        VstackError: it does not parse: ``what`` (the sentence's beginning), the fault and its line.
    """
    try:
        return yaml.load(text, Loader=StrictLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise VstackError(f"{what}: {getattr(error, 'problem', error)}", where=where, todo="Mend that line") from None
