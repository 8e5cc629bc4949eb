"""One event per transition of a ledger, with tickets and the state after it, for traces that replay through the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Emit = Callable[[dict[str, Any]], None]


class LedgerLog:
    """Hands each transition of the ledger of ``worker`` to ``emit``, as a dictionary of plain JSON values.

    An event holds `event` (`ledger.` and the transition), `worker`, `owner`
    (absent where there is none), `pages`, `gens` (the tickets), and `after`:
    for each of these pages its state, owner, completeness and open leases once
    the transition is over. What the caller knows beside that (the request's
    message, the position in its prompt) it adds with ``about``.
    """

    def __init__(self, worker: str, emit: Emit) -> None:
        self.worker = worker
        self._emit = emit
        self._about: dict[str, Any] = {}

    @contextmanager
    def about(self, **fields: Any) -> Iterator[None]:
        """Add ``fields`` to every event within."""
        before = self._about
        self._about = {**before, **fields}
        try:
            yield
        finally:
            self._about = before

    def write(self, transition: str, fields: dict[str, Any]) -> None:
        """Emit one event."""
        self._emit({"event": f"ledger.{transition}", "worker": self.worker, **fields, **self._about})
