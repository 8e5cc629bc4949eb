"""Small steps that several tests take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from veriserve.attention import Span
from veriserve.engine import Engine
from veriserve.request import Request
from veriserve.sampling import SamplingParams

GREEDY = SamplingParams(max_tokens=12, temperature=0.0, ignore_eos=True)


def prompt_of(length: int, seed: int = 0) -> list[int]:
    """``length`` random tokens."""
    return np.random.default_rng(seed).integers(3, 49_000, length).tolist()


def run(engine: Engine, *requests: Request) -> list[list[int]]:
    """The outputs of ``requests``, served together until all are over, with the books in order after each step."""
    for request in requests:
        engine.add(request)
    while engine.busy:
        engine.step()
        engine.tables.check_integrity()
    return [request.output for request in requests]


def answer(engine: Engine, prompt: list[int], params: SamplingParams = GREEDY) -> list[int]:
    """The output of one request served alone."""
    return run(engine, engine.request("alone", prompt, params))[0]


@torch.inference_mode()
def all_logits(engine: Engine, tokens: list[int], chunks: Sequence[int]) -> torch.Tensor:
    """Logits [tokens, vocabulary] at every position, computed chunk by chunk through pages of the engine's pool."""
    table = engine.tables.open(0, [0])
    engine.tables.grow(table, len(tokens))
    model, pool, start, parts = engine.runner.model, engine.runner.pool, 0, []
    for length in chunks:
        step = engine.runner.backend(pool, [Span(table.tickets.page, start, length)], model.config.num_heads)
        positions = torch.arange(start, start + length)
        ids = torch.tensor(tokens[start : start + length])
        parts.append(model.logits(model.forward(ids, positions, step)))
        start += length
    engine.tables.close(table)
    assert start == len(tokens)
    return torch.cat(parts)
