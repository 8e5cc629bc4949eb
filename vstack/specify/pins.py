"""What a person approves, by hash: goals, environment, assumptions, fairness and settings as plain data."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from vstack.files import sha256_bytes

# Names of the sections of `Pins` that hold closures of definitions, with the word for one entry.
CLOSURES = {
    "goals": "goal",
    "environment": "environment definition",
    "assumptions": "assumption",
    "operators": "operator",
    "fairness": "fairness",
}


class Frozen(BaseModel):
    """Base of the lock's models: frozen, and no key that the reader doesn't know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PinnedDefinition(Frozen):
    """One definition as it was approved: hash of its normal form, `file:line`, and its source text."""

    digest: str
    place: str
    text: str


class Pin(Frozen):
    """One approved thing.

    ``digest`` is what is compared; ``definitions`` are keys of
    ``Pins.definitions``, the formula's own first, then what it uses;
    ``value`` is the plain data that goes into the digest with the closure.
    """

    digest: str
    definitions: tuple[str, ...] = ()
    value: Any = None


class Pins(Frozen):
    """Everything that a lock pins. Keys of ``settings`` are sections of `vstack.yaml`."""

    definitions: dict[str, PinnedDefinition] = {}
    goals: dict[str, Pin] = {}
    environment: dict[str, Pin] = {}
    assumptions: dict[str, Pin] = {}
    operators: dict[str, Pin] = {}
    fairness: dict[str, Pin] = {}
    settings: dict[str, Pin] = {}


def canonical(value: Any) -> bytes:
    """``value`` (JSON data) as bytes that depend on nothing but its content."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def digest_of(value: Any) -> str:
    """Hexadecimal SHA-256 of ``canonical(value)``."""
    return sha256_bytes(canonical(value))
