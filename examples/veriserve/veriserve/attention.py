"""Attention over paged KV: one contract, a registry of backends, and the backend that torch alone computes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from veriserve.errors import VeriserveError
from veriserve.kv import KvPool


@dataclass(frozen=True)
class Span:
    """Tokens ``[start, start + length)`` of one request, whose KV of ``[0, start + length)`` lies in ``pages``.

    ``pages`` are the pages of tickets that a lease holds while the step runs; a span does not outlive its step.
    """

    pages: np.ndarray
    start: int
    length: int

    @property
    def end(self) -> int:
        """The length of the context that the span's last token sees."""
        return self.start + self.length


class AttentionStep(ABC):
    """One forward pass over ``spans``, whose tokens are concatenated in order, spans of length 1 first.

    A step writes K and V of its tokens before any of them reads, layer by layer.
    """

    def __init__(self, pool: KvPool, spans: Sequence[Span], num_heads: int) -> None:
        self.pool = pool
        self.num_heads = num_heads
        self.num_single = sum(span.length == 1 for span in spans)
        assert all(span.length == 1 for span in spans[: self.num_single]), "spans of length 1 come first"
        size = pool.page_size
        rows = []
        for span in spans:
            positions = np.arange(span.start, span.end)
            rows.append(pool.first_rows(span.pages[positions // size], positions % size))
        self._rows = self.to_device(np.concatenate(rows))

    def to_device(self, array: np.ndarray) -> torch.Tensor:
        """An index array where the pool lies."""
        return torch.from_numpy(array).to(self.pool.data.device, non_blocking=True)

    def write(self, layer: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Put the K and V (both [tokens, kv_heads, head_dim]) of the step's tokens into their slots."""
        rows = self._rows + 2 * layer * self.pool.page_size
        self.pool.rows.index_copy_(0, rows, keys)
        self.pool.rows.index_copy_(0, rows + self.pool.page_size, values)

    @abstractmethod
    def attend(self, layer: int, queries: torch.Tensor) -> torch.Tensor:
        """Causal attention of ``queries`` [tokens, heads, head_dim] over each span's own context; same shape."""


class GatherStep(AttentionStep):
    """torch's scaled_dot_product_attention over pages gathered into one tensor; runs wherever torch does."""

    def __init__(self, pool: KvPool, spans: Sequence[Span], num_heads: int) -> None:
        super().__init__(pool, spans, num_heads)
        self._single = self._plan_single(spans[: self.num_single]) if self.num_single else None
        self._chunks = [self._plan_chunk(span) for span in spans[self.num_single :]]
        counts = [len(plan[0]) for plan in (self._single, *self._chunks) if plan is not None]
        most = max(counts, default=0)
        # Gathered into the same memory for each layer: fresh memory costs more than the copy.
        self._keys, self._values = pool.blocks.new_empty(2, most, pool.blocks.shape[1])

    def _plan_single(self, spans: Sequence[Span]) -> tuple[torch.Tensor, torch.Tensor]:
        size = self.pool.page_size
        width = max(-(-span.end // size) for span in spans)
        table = np.empty((len(spans), width), dtype=np.int64)
        for row, span in zip(table, spans, strict=True):
            used = -(-span.end // size)
            row[:used] = span.pages[:used]
            row[used:] = span.pages[used - 1]  # masked; the request's own page, so that nothing foreign is read
        ends = torch.tensor([span.end for span in spans])
        seen = torch.arange(width * size)[None, :] < ends[:, None]
        return self.to_device(self.pool.first_blocks(table.reshape(-1))), self._bias(seen)[:, None, None, :]

    def _plan_chunk(self, span: Span) -> tuple[torch.Tensor, torch.Tensor, int]:
        used = -(-span.end // self.pool.page_size)
        seen = torch.arange(used * self.pool.page_size)[None, :] <= torch.arange(span.start, span.end)[:, None]
        return self.to_device(self.pool.first_blocks(span.pages[:used])), self._bias(seen), span.length

    def _bias(self, seen: torch.Tensor) -> torch.Tensor:
        data = self.pool.data
        return torch.zeros(seen.shape, dtype=data.dtype).masked_fill_(~seen, -torch.inf).to(data.device)

    def _gather(self, layer: int, blocks: torch.Tensor, batch: int) -> tuple[torch.Tensor, torch.Tensor]:
        """K and V of ``layer``, each [batch, kv_heads, tokens, head_dim], valid until the next call."""
        both = []
        for offset, scratch in enumerate((self._keys, self._values)):
            gathered = scratch[: len(blocks)]
            torch.index_select(self.pool.blocks, 0, blocks + 2 * layer + offset, out=gathered)
            both.append(gathered.view(batch, -1, self.pool.num_kv_heads, self.pool.head_dim).transpose(1, 2))
        return both[0], both[1]

    def attend(self, layer: int, queries: torch.Tensor) -> torch.Tensor:
        first = self.num_single
        parts = [self._attend_single(layer, queries[:first])] if first else []
        for blocks, bias, length in self._chunks:
            keys, values = self._gather(layer, blocks, 1)
            chunk = queries[first : first + length].transpose(0, 1)[None]
            shared = self.num_heads > self.pool.num_kv_heads
            mixed = F.scaled_dot_product_attention(chunk, keys, values, bias, enable_gqa=shared)
            parts.append(mixed[0].transpose(0, 1))
            first += length
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def _attend_single(self, layer: int, queries: torch.Tensor) -> torch.Tensor:
        """Attention of the spans of one token."""
        assert self._single is not None
        blocks, bias = self._single
        count, heads, dim = len(queries), self.pool.num_kv_heads, self.pool.head_dim
        keys, values = self._gather(layer, blocks, count)
        # With one query a head, the heads that share K and V stand where a chunk's queries would.
        grouped = queries.view(count, heads, self.num_heads // heads, dim)
        return F.scaled_dot_product_attention(grouped, keys, values, bias).reshape(count, -1, dim)


Backend = Callable[[KvPool, Sequence[Span], int], AttentionStep]


def _triton() -> Backend:
    from veriserve.triton_step import TritonStep  # only CUDA builds of torch bring Triton along

    return TritonStep


BACKENDS: dict[str, Callable[[], Backend]] = {"gather": lambda: GatherStep, "triton": _triton}


def find_backend(name: str, device: str) -> Backend:
    """The backend called ``name``; `auto` takes what suits the device.

    Raises:
        VeriserveError: there is no such backend, or what it needs is not installed.
    """
    if name == "auto":
        name = "triton" if device.startswith("cuda") else "gather"
    if name not in BACKENDS:
        raise VeriserveError(f"No attention backend is called {name}", todo=f"There are auto, {', '.join(BACKENDS)}")
    try:
        return BACKENDS[name]()
    except ImportError as error:
        raise VeriserveError(
            f"The attention backend {name} needs {error.name}", todo="Take --attention gather"
        ) from None
