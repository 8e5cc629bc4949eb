"""The paged kernel against gathered pages, in Triton's interpreter where there is no GPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from veriserve.attention import GatherStep, Span
from veriserve.config import ModelConfig
from veriserve.kv import KvPool

pytest.importorskip("triton")
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize("page_size", [1, 16, 64])
@pytest.mark.parametrize(("heads", "kv_heads", "dim"), [(6, 2, 32), (4, 4, 16)])
def test_the_kernel_equals_gathered_attention(page_size: int, heads: int, kv_heads: int, dim: int) -> None:
    from veriserve.triton_step import TritonStep

    shape = ModelConfig("llama", 10, heads * dim, 10, 2, heads, kv_heads, dim, 512)
    pool = KvPool(shape, 512 // page_size, page_size, torch.float32, DEVICE)
    torch.manual_seed(0)
    pool.data.normal_()
    pages = np.random.default_rng(0).permutation(512 // page_size)
    ends = [1, 64, 130]
    spans, first = [], 0
    for end in [*ends, 70]:
        count = -(-end // page_size)
        spans.append(Span(pages[first : first + count], end - 1, 1))
        first += count
    spans[-1] = Span(spans[-1].pages, 60, 10)  # a chunk of a prompt beside those that decode
    qkv = torch.randn(13, heads + 1, dim, device=DEVICE)  # a slice, as the model hands it over
    found, expected = (step(pool, spans, heads).attend(1, qkv[:, :heads]) for step in (TritonStep, GatherStep))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
