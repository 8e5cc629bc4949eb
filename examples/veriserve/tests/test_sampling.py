"""Sampling follows the distribution that temperature and top-p ask for, and nothing but seed and position."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from veriserve.sampling import SamplingParams, sample

LOGITS = torch.tensor([2.0, 1.0, 0.0, -1.0, -30.0])


def frequencies(params: SamplingParams, draws: int = 4000) -> torch.Tensor:
    tokens = sample(LOGITS.expand(draws, -1).clone(), [params] * draws, range(draws))
    return torch.bincount(torch.tensor(tokens), minlength=len(LOGITS)) / draws


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_follow_the_softmax(temperature: float) -> None:
    expected = torch.softmax(LOGITS / temperature, dim=-1)
    found = frequencies(SamplingParams(temperature=temperature, seed=5))
    assert (found - expected).abs().max() < 0.03  # four standard deviations at most


@pytest.mark.parametrize(("top_p", "kept"), [(0.001, 1), (0.6, 1), (0.7, 2), (0.9, 3), (0.999, 4)])
def test_top_p_keeps_the_fewest_that_reach_it(top_p: float, kept: int) -> None:
    expected = torch.softmax(LOGITS, dim=-1)
    expected[kept:] = 0
    found = frequencies(SamplingParams(top_p=top_p, seed=5))
    assert (found - expected / expected.sum()).abs().max() < 0.03
    assert found[kept:].sum() == 0


def test_greedy_takes_the_likeliest_and_needs_no_seed() -> None:
    assert frequencies(SamplingParams(temperature=0.0))[0] == 1


def test_a_draw_depends_on_seed_and_position_alone() -> None:
    torch.manual_seed(0)
    logits = torch.randn(6, 1000)
    params = [SamplingParams(seed=seed) for seed in range(6)]
    together = sample(logits, params, range(6))
    alone = [sample(logits[i : i + 1], [params[i]], [i])[0] for i in (3, 1, 0, 5, 2, 4)]
    assert [together[i] for i in (3, 1, 0, 5, 2, 4)] == alone
    row = logits[:1].expand(50, -1).clone()
    assert len(set(sample(row, [params[0]] * 50, range(50)))) > 10
    assert len(set(sample(row, [dataclasses.replace(params[0], seed=seed) for seed in range(50)], [0] * 50))) > 10
