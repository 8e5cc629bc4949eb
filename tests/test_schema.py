"""The published JSON Schema is that of the models."""

from __future__ import annotations

import json

from vstack.schema import PATH, schema_text


def test_the_published_schema_is_up_to_date() -> None:
    assert PATH.read_text() == schema_text(), "run `python -m vstack.schema`"
    schema = json.loads(PATH.read_text())
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == {"version", "project", "goals"}
