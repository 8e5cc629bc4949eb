"""How tokens are batched, cached, chunked or preempted does not change them."""

from __future__ import annotations

import dataclasses

import pytest
from helpers import GREEDY, answer, prompt_of, run

from veriserve.config import EngineConfig
from veriserve.engine import Engine
from veriserve.errors import RequestError
from veriserve.evidence import Access
from veriserve.evidence import Event as Evidence
from veriserve.ledger_types import Kind
from veriserve.sampling import SamplingParams
from veriserve.weights import find_model

CONFIG = EngineConfig("random:tiny-llama", kv_tokens=2048)
SOURCE = find_model(CONFIG.model)
DRAWN = SamplingParams(max_tokens=12, temperature=0.9, top_p=0.9, seed=7, ignore_eos=True)
PROMPTS = [prompt_of(length, seed) for seed, length in enumerate((5, 40, 100, 64, 17))]


def engine(**changes: object) -> Engine:
    return Engine(dataclasses.replace(CONFIG, **changes), SOURCE)


@pytest.fixture(scope="module")
def expected() -> list[list[int]]:
    """Each prompt's greedy output, served alone, whole, without a cache."""
    alone = engine(prefix_cache=False)
    return [answer(alone, prompt) for prompt in PROMPTS]


@pytest.mark.parametrize("page_size", [1, 16, 64])
@pytest.mark.parametrize("max_step_tokens", [512, 23, 3])
def test_batched_and_chunked_equals_alone(expected: list[list[int]], page_size: int, max_step_tokens: int) -> None:
    together = engine(page_size=page_size, max_step_tokens=max_step_tokens)
    requests = [together.request(str(i), prompt, GREEDY) for i, prompt in enumerate(PROMPTS)]
    assert run(together, *requests) == expected
    assert together.tables.available == together.config.num_pages


@pytest.mark.parametrize("page_size", [1, 16, 64])
def test_a_prefix_from_the_cache_equals_a_cold_one(page_size: int) -> None:
    warm, cold = engine(page_size=page_size), engine(prefix_cache=False)
    base = prompt_of(130)
    prompts = [base, base, base[:70] + prompt_of(30, 1), base[:70] + prompt_of(50, 2), base + [9] * 70]
    cached = []
    for prompt in prompts:
        request = warm.request("x", prompt, GREEDY)
        assert run(warm, request) == [answer(cold, prompt)]
        cached.append(request.cached)
    whole = [0, 129, 70, 70, 130]
    assert cached == [length - length % page_size for length in whole]


@pytest.mark.parametrize("params", [GREEDY, DRAWN], ids=["greedy", "drawn"])
def test_preemption_keeps_the_tokens(params: SamplingParams) -> None:
    params = dataclasses.replace(params, max_tokens=60)
    roomy, tight = engine(), engine(kv_tokens=12 * 16)
    prompts = [prompt_of(30, seed) for seed in range(4)]
    requests = [tight.request(str(i), prompt, params) for i, prompt in enumerate(prompts)]
    assert run(tight, *requests) == [answer(roomy, prompt, params) for prompt in prompts]
    assert sum(request.preemptions for request in requests) > 0
    assert tight.tables.available == 12


def test_two_that_compute_the_same_prefix_share_one_copy(expected: list[list[int]]) -> None:
    twins = engine()
    requests = [twins.request(str(i), PROMPTS[2], GREEDY) for i in range(3)]
    assert run(twins, *requests) == [expected[2]] * 3
    assert twins.tables.cache.pages == (len(PROMPTS[2]) + GREEDY.max_tokens - 1) // 16


def test_abort_and_deadline_give_all_pages_back() -> None:
    one = engine(prefix_cache=False)
    aborted, late, waiting = (one.request(name, prompt_of(50), GREEDY) for name in ("a", "l", "w"))
    for request in (aborted, late, waiting):
        one.add(request)
    one.step()
    one.abort("a")
    one.abort("nobody")
    late.deadline = waiting.deadline = 0
    events = one.step()
    assert {(event.request.id, event.finish) for event in events} == {("l", "timeout"), ("w", "timeout")}
    assert aborted.finish == "abort" and not one.busy
    assert one.ledger.free == one.config.num_pages


def test_eviction_makes_room_for_new_prompts() -> None:
    small = engine(kv_tokens=10 * 16)
    cold = engine(prefix_cache=False)
    for seed in range(6):
        prompt = prompt_of(100, seed)
        assert answer(small, prompt) == answer(cold, prompt)
    assert small.tables.cache.pages <= 10


@pytest.mark.parametrize(
    ("prompt", "max_tokens", "told"),
    [([], 1, "empty"), ([49_152], 1, "vocabulary"), ([-1], 1, "vocabulary"), ([5] * 2000, 49, "longest context")],
)
def test_what_can_not_be_served_is_refused(prompt: list[int], max_tokens: int, told: str) -> None:
    with pytest.raises(RequestError, match=told):
        engine().request("x", prompt, SamplingParams(max_tokens=max_tokens))


def test_smollm2_answers(smol_engine: Engine) -> None:
    text = smol_engine.tokenizer.render([{"role": "user", "content": "What is the capital of France?"}])
    request = smol_engine.request("x", smol_engine.tokenizer.encode(text, special=False), GREEDY)
    request.params = dataclasses.replace(GREEDY, ignore_eos=False)
    run(smol_engine, request)
    assert smol_engine.tokenizer.decode(request.output) == "The capital of France is Paris."
    assert request.finish == "stop"


def test_kv_that_a_transfer_landed_goes_on_as_if_computed(expected: list[list[int]]) -> None:
    """What a decode worker does: pages are filled by a transfer, here a copy, and the request starts behind them."""
    prompt, there, here = PROMPTS[2], engine(), engine()
    source = there.request("x", prompt, dataclasses.replace(GREEDY, max_tokens=1))
    source.keep_pages = True
    (first,) = run(there, source)
    request = here.request("x", prompt, GREEDY)
    table = here.tables.open(request.number, prompt)
    here.tables.grow(table, len(prompt))
    lease = here.ledger.open(table.tickets, Kind.TRANSFER, request.number, Access.READ_TARGET)
    here.runner.pool.data[table.tickets.page] = there.runner.pool.data[source.table.tickets.page]
    here.ledger.evidence(lease, table.tickets, Evidence.DONE)
    request.table, table.length = table, len(prompt)
    request.tokens += first
    assert run(here, request) == [expected[2]]
    there.tables.close(source.table)
    for each in (here, there):
        each.tables.check_integrity()
        assert each.tables.available == each.config.num_pages
