"""The JSON Schema of `vstack.yaml`, published with the package for editors: `python -m vstack.schema` writes it."""

from __future__ import annotations

import json
from pathlib import Path

from vstack.files import write_atomic
from vstack.project import ProjectFile

PATH = Path(__file__).parent / "vstack.schema.json"


def schema_text() -> str:
    """The schema as JSON text, the same for the same models."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **ProjectFile.model_json_schema()}
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    write_atomic(PATH, schema_text())
