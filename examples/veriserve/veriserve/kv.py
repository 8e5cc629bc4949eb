"""The pool of KV pages: page-major, so that one page of all layers, K and V, is one contiguous extent."""

from __future__ import annotations

import numpy as np
import torch

from veriserve.config import ModelConfig


class KvPool:
    """``data[page, layer, k_or_v, slot, kv_head, head_dim]``.

    A page is what a transfer moves (``page_bytes`` from ``address(page)``); a *row* is one token's K or V of one
    layer (what a step writes); a *block* is the K or V of one page and layer (what attention gathers).
    """

    def __init__(
        self, config: ModelConfig, num_pages: int, page_size: int, dtype: torch.dtype, device: torch.device
    ) -> None:
        shape = (num_pages, config.num_layers, 2, page_size, config.num_kv_heads, config.head_dim)
        # Zeros, not garbage: masked slots still take part in a sum, where a NaN would survive a weight of zero.
        self.data = torch.zeros(shape, dtype=dtype, device=device)
        self.page_size = page_size
        self.num_layers = config.num_layers
        self.num_kv_heads = config.num_kv_heads
        self.head_dim = config.head_dim
        self.rows = self.data.view(-1, config.num_kv_heads, config.head_dim)
        self.blocks = self.data.view(-1, page_size * config.num_kv_heads * config.head_dim)

    @property
    def page_bytes(self) -> int:
        """Bytes of one page over all layers, K and V."""
        return self.data[0].numel() * self.data.element_size()

    def address(self, page: int) -> int:
        """Where the extent of ``page`` begins; readable or writable only under an open lease on its ticket."""
        return self.data.data_ptr() + page * self.page_bytes

    def first_rows(self, pages: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """The rows of (page, slot) for K of layer 0; layer L's K lies ``2 * L * page_size`` rows on, V a page_size more."""
        rows: np.ndarray = pages.astype(np.int64) * (self.num_layers * 2 * self.page_size) + slots
        return rows

    def first_blocks(self, pages: np.ndarray) -> np.ndarray:
        """The blocks of pages for K of layer 0; layer L's K lies ``2 * L`` blocks on, its V one more."""
        return pages.astype(np.int64) * (self.num_layers * 2)
