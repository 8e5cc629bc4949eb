"""From logits to a token: greedy, temperature and top-p, with randomness that depends on nothing but seed and position."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class SamplingParams:
    """How a request's tokens are chosen and when it ends; ``seed`` is settled before the request starts."""

    max_tokens: int = 16
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    ignore_eos: bool = False

    @property
    def greedy(self) -> bool:
        """Whether the likeliest token is taken, so that the seed plays no part."""
        return self.temperature == 0.0


def sample(logits: torch.Tensor, params: Sequence[SamplingParams], positions: Sequence[int]) -> list[int]:
    """One token for each row of ``logits`` [rows, vocabulary], the token at ``positions`` of its request.

    The same seed and position give the same token from the same logits, whatever else is in the batch and however
    often the request was preempted.
    """
    chosen = logits.argmax(dim=-1)
    for row, (param, position) in enumerate(zip(params, positions, strict=True)):
        if not param.greedy:
            chosen[row] = _draw(logits[row].float(), param, position)
    return chosen.tolist()


def _draw(logits: torch.Tensor, param: SamplingParams, position: int) -> torch.Tensor:
    probabilities = torch.softmax(logits / param.temperature, dim=-1)
    if param.top_p < 1:
        ordered, tokens = probabilities.sort(descending=True)
        # A token is kept when those before it do not reach top_p yet; the first always is.
        left_out = ordered.cumsum(dim=-1) - ordered >= param.top_p
        left_out[0] = False
        probabilities[tokens[left_out]] = 0
    # The first of many races whose speeds are the probabilities: it falls to each with its probability, and rounding
    # changes the winner only where two arrive together. A search in the cumulative sum would shift with every error.
    generator = torch.Generator(logits.device).manual_seed(_seed(param.seed, position))
    return (probabilities / torch.empty_like(probabilities).exponential_(generator=generator)).argmax()


def _seed(seed: int, position: int) -> int:
    """A generator's seed for one token; hashed, for a generator's first numbers are alike under seeds that are."""
    return int.from_bytes(hashlib.blake2b(f"{seed} {position}".encode(), digest_size=8).digest()) >> 1
