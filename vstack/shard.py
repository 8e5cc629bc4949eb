"""One part of several: which items are its own, by name, whatever order they come in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vstack.errors import VstackError
from vstack.files import sha256_bytes


@dataclass(frozen=True)
class Shard:
    """Part ``number`` (from 1) of ``of`` parts."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, name: str) -> bool:
        """Whether the item called ``name`` is of this part: exactly one part has it."""
        return int(sha256_bytes(name.encode())[:8], 16) % self.of == self.number - 1


def parse_shard(text: str) -> Shard:
    """The shard that `K/N` names.

    Raises:
        VstackError: not two numbers, or K is not between 1 and N.
    """
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of:
        raise VstackError(f"`{text}` names no part of a whole", where="K/N", todo="Write for example 1/4, the first of four")
    return Shard(number, of)
