"""A request on its way through an engine, and what the engine says about it."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import Literal

from veriserve.sampling import SamplingParams
from veriserve.tables import PageTable
from veriserve.text import TextStream

FinishReason = Literal["stop", "length", "abort", "timeout", "no_pages"]
_numbers = itertools.count(1)


@dataclass(eq=False)
class Request:
    """Prompt and output of one request, and its pages while it has any.

    ``number`` is its name in the ledger. ``tokens`` is the prompt and what was generated; ``table`` says how many of
    them have their KV in place. With ``keep_pages`` its pages outlive it, for whoever is to read them.
    """

    id: str
    prompt: list[int]
    params: SamplingParams
    deadline: float = float("inf")
    text: TextStream | None = None
    keep_pages: bool = False
    number: int = field(default_factory=lambda: next(_numbers))
    arrived: float = field(default_factory=time.monotonic)
    table: PageTable | None = None
    cached: int = 0
    preemptions: int = 0
    finish: FinishReason | None = None
    tokens: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = list(self.prompt)

    @property
    def output(self) -> list[int]:
        """The tokens generated so far."""
        return self.tokens[len(self.prompt) :]

    @property
    def computed(self) -> int:
        """How many tokens have their KV in place."""
        return self.table.length if self.table else 0


@dataclass(frozen=True)
class Event:
    """What a step did for one request: at most one token, the text that is certain by now, and whether it is over."""

    request: Request
    token: int | None = None
    text: str = ""
    finish: FinishReason | None = None


@dataclass(frozen=True)
class Load:
    """How busy an engine is: requests that have pages and that wait for them, pages by state, preemptions so far."""

    running: int
    waiting: int
    pages: dict[str, int]
    preemptions: int
