"""Attention on CUDA: a Triton kernel that reads pages where they lie, for the requests that decode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
import triton
import triton.language as tl

from veriserve.attention import GatherStep, Span

BLOCK = 64  # context tokens that one turn of the kernel's loop reads


@triton.jit  # type: ignore[untyped-decorator]
def _decode(  # type: ignore[no-untyped-def]
    queries,
    rows,
    table,
    ends,
    out,
    layer_rows,
    page_rows,
    scale,
    query_stride,
    table_stride,
    SIZE: tl.constexpr,
    HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    GROUP_PADDED: tl.constexpr,
    DIM: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """One request and KV head: softmax over its pages in one pass, for all query heads that share the KV head."""
    request, head = tl.program_id(0), tl.program_id(1)
    end = tl.load(ends + request)
    group, dims = tl.arange(0, GROUP_PADDED), tl.arange(0, DIM)
    real = group[:, None] < GROUP
    places = (head * GROUP + group[:, None]) * DIM + dims[None, :]
    query = tl.load(queries + request * query_stride + places, mask=real, other=0.0).to(tl.float32) * scale
    best = tl.full([GROUP_PADDED], float("-inf"), tl.float32)
    total = tl.zeros([GROUP_PADDED], tl.float32)
    mixed = tl.zeros([GROUP_PADDED, DIM], tl.float32)
    for start in range(0, end, BLOCK):
        tokens = start + tl.arange(0, BLOCK)
        seen = tokens < end
        pages = tl.load(table + request * table_stride + tokens // SIZE, mask=seen, other=0)
        row = pages * page_rows + layer_rows + tokens % SIZE
        at = row[:, None] * (HEADS * DIM) + head * DIM + dims[None, :]
        keys = tl.load(rows + at, mask=seen[:, None], other=0.0).to(tl.float32)
        values = tl.load(rows + at + SIZE * HEADS * DIM, mask=seen[:, None], other=0.0).to(tl.float32)
        scores = tl.sum(query[:, None, :] * keys[None, :, :], axis=2)
        scores = tl.where(seen[None, :], scores, float("-inf"))
        higher = tl.maximum(best, tl.max(scores, axis=1))
        shrink, weights = tl.exp(best - higher), tl.exp(scores - higher[:, None])
        total = total * shrink + tl.sum(weights, axis=1)
        mixed = mixed * shrink[:, None] + tl.sum(weights[:, :, None] * values[None, :, :], axis=1)
        best = higher
    mixed = mixed / total[:, None]
    heads_all: tl.constexpr = HEADS * GROUP
    tl.store(out + request * (heads_all * DIM) + places, mixed.to(out.dtype.element_ty), mask=real)


class TritonStep(GatherStep):
    """Decodes with the paged kernel; chunks of prompts, which are bound by arithmetic, still gather their pages."""

    def _plan_single(self, spans: Sequence[Span]) -> tuple[torch.Tensor, torch.Tensor]:
        """The requests' tables [requests, pages] and where their contexts end."""
        used = [-(-span.end // self.pool.page_size) for span in spans]
        table = np.zeros((len(spans), max(used)), np.int64)
        for row, span, count in zip(table, spans, used, strict=True):
            row[:count] = span.pages[:count]
        return self.to_device(table), self.to_device(np.array([span.end for span in spans]))

    def _attend_single(self, layer: int, queries: torch.Tensor) -> torch.Tensor:
        assert self._single is not None
        (table, ends), pool = self._single, self.pool
        group = self.num_heads // pool.num_kv_heads
        out = torch.empty(queries.shape, dtype=queries.dtype, device=queries.device)
        _decode[(len(queries), pool.num_kv_heads)](
            queries,
            pool.rows,
            table,
            ends,
            out,
            2 * layer * pool.page_size,
            2 * pool.num_layers * pool.page_size,
            pool.head_dim**-0.5,
            queries.stride(0),
            table.stride(0),
            SIZE=pool.page_size,
            HEADS=pool.num_kv_heads,
            GROUP=group,
            GROUP_PADDED=triton.next_power_of_2(group),
            DIM=pool.head_dim,
            BLOCK=BLOCK,
        )
        return out
