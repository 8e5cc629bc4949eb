"""What a Z3 goal's script hands over: obligations, each a goal under named assumptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import z3


@dataclass(frozen=True)
class Obligation:
    """``goal`` must follow from all ``assumptions`` together.

    A script defines `goal()`, which returns one of these or a list of them. It
    states the goal itself, not its negation, and solves nothing: vstack negates
    and decides it elsewhere. Names are of letters, digits, `_`, `.` and `-`.
    """

    name: str
    goal: z3.BoolRef
    assumptions: Mapping[str, z3.BoolRef] = field(default_factory=dict)
