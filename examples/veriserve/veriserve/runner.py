"""Runs the model over a step's work: the only code that launches kernels over pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from veriserve.attention import Backend, Span
from veriserve.kv import KvPool
from veriserve.model import Decoder
from veriserve.sampling import sample
from veriserve.scheduler import Work


class Runner:
    """A model, its KV pool and an attention backend."""

    def __init__(self, model: Decoder, pool: KvPool, backend: Backend) -> None:
        self.model = model
        self.pool = pool
        self.backend = backend

    @torch.inference_mode()
    def logits(self, work: Sequence[Work]) -> torch.Tensor:
        """Logits [rows, vocabulary] after the last token of each piece of work that samples, in order."""
        spans, ids, positions = [], [], []
        for each in work:
            spans.append(Span(each.table.tickets.page, each.start, each.length))
            ids += each.request.tokens[each.start : each.start + each.length]
            positions.append(np.arange(each.start, each.start + each.length))
        step = self.backend(self.pool, spans, self.model.config.num_heads)
        hidden = self.model.forward(step.to_device(np.asarray(ids)), step.to_device(np.concatenate(positions)), step)
        ends = np.cumsum([each.length for each in work]) - 1
        rows = ends[[each.samples for each in work]]
        return self.model.logits(hidden[step.to_device(rows)])

    @torch.inference_mode()
    def run(self, work: Sequence[Work]) -> list[int]:
        """The tokens that follow, one for each piece of work that samples, in order.

        They are on the host when this returns, so the device is through with the step's pages.
        """
        logits = self.logits(work)
        requests = [each.request for each in work if each.samples]
        if not requests:
            if logits.is_cuda:
                torch.cuda.synchronize(logits.device)
            return []
        return sample(logits, [request.params for request in requests], [len(request.tokens) for request in requests])
