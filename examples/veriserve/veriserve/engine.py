"""One worker's engine: scheduler, page tables, runner and text, advanced one step at a time."""

from __future__ import annotations

import time

import torch

from veriserve.attention import find_backend
from veriserve.config import EngineConfig
from veriserve.errors import RequestError
from veriserve.kv import KvPool
from veriserve.ledger import PdLedger
from veriserve.request import Event, FinishReason, Load, Request
from veriserve.runner import Runner
from veriserve.sampling import SamplingParams
from veriserve.scheduler import Scheduler
from veriserve.tables import PageTables
from veriserve.text import TextStream
from veriserve.weights import Source, find_model


class Engine:
    """The life of a request:

    1. ``request`` checks prompt and parameters; ``add`` queues the request.
    2. The scheduler admits it once there are pages for its prompt: what the prefix cache knows is shared, the rest
       comes from the ledger.
    3. Each step computes a chunk of its prompt, beside one token of each request that decodes.
    4. Pages that a chunk filled are complete, and are published to the prefix cache.
    5. With the last chunk its first token is sampled; from then on it decodes, a page more whenever one is full.
    6. When pages run out the youngest request is preempted: it lets go of its pages and later starts again.
    7. It ends at an end token, a stop string, its limit of tokens, its deadline, or by ``abort``.
    8. Its pages go back: those in the prefix cache stay there until they are evicted, the others are free.

    Not thread-safe: whoever drives ``step`` makes all other calls from the same thread.
    """

    def __init__(self, config: EngineConfig, source: Source | None = None) -> None:
        self.config = config
        self.source = source or find_model(config.model, config.seed)
        self.tokenizer = self.source.tokenizer
        shape, device, dtype = self.source.config, torch.device(config.device), config.torch_dtype
        limits = [shape.max_position, config.num_pages * config.page_size]
        self.max_len = min([*limits, config.max_model_len] if config.max_model_len else limits)
        backend = find_backend(config.attention, config.device)
        pool = KvPool(shape, config.num_pages, config.page_size, dtype, device)
        self.runner = Runner(self.source.load(dtype, device, self.max_len), pool, backend)
        self.ledger = PdLedger(config.num_pages)
        self.tables = PageTables(self.ledger, config.page_size, config.prefix_cache)
        self.scheduler = Scheduler(config, self.tables)

    def request(self, id: str, prompt: list[int], params: SamplingParams) -> Request:
        """A request that this engine can serve.

        Raises:
            RequestError: the prompt is empty, or too long with the tokens it asks for, or not of this vocabulary.
        """
        check_prompt(prompt, params, self.source.config.vocab_size, self.max_len)
        text = TextStream(self.tokenizer.decode, params.stop)
        return Request(id, prompt, params, deadline=time.monotonic() + self.config.deadline_s, text=text)

    def add(self, request: Request) -> None:
        """Queue ``request``; one that comes with a table of landed KV starts where that ends."""
        self.scheduler.add(request)

    def abort(self, id: str) -> None:
        """End the request called ``id``, if there still is one."""
        for request in [each for each in self.scheduler if each.id == id]:
            self._end(request, "abort")

    @property
    def busy(self) -> bool:
        """Whether there is any request to advance."""
        return bool(self.scheduler.running or self.scheduler.waiting)

    def step(self) -> list[Event]:
        """Advance by one forward pass; what it did for each request that has news."""
        events = self._expire()
        work = self.scheduler.schedule()
        if not work:
            if (stuck := self.scheduler.stuck()) is not None:
                events.append(self._end(stuck, "no_pages"))
            return events
        self.tables.begin([each.table for each in work])
        tokens = iter(self.runner.run(work))
        for each in work:
            request, samples = each.request, each.samples
            each.table.length = each.start + each.length
            if each.start < len(request.prompt):
                self.tables.publish(each.table, request.tokens)
            if samples:
                events.append(self._append(request, next(tokens)))
        return events

    def load(self) -> Load:
        """How busy the engine is."""
        scheduler = self.scheduler
        return Load(len(scheduler.running), len(scheduler.waiting), self.ledger.counts(), scheduler.preemptions)

    def _append(self, request: Request, token: int) -> Event:
        request.tokens.append(token)
        if token in self.tokenizer.eos and not request.params.ignore_eos:
            return self._end(request, "stop", token)
        text = request.text.push(token) if request.text else ""
        if request.text and request.text.stopped:
            return self._end(request, "stop", token, text)
        if len(request.output) >= request.params.max_tokens:
            return self._end(request, "length", token, text)
        return Event(request, token, text)

    def _end(self, request: Request, finish: FinishReason, token: int | None = None, text: str = "") -> Event:
        request.finish = finish
        self.scheduler.remove(request, overdue=finish == "timeout")
        if request.text:
            text += request.text.finish()
            if request.text.stopped and finish == "length":
                request.finish = "stop"  # the stop string was complete with the text that was held back
        return Event(request, token, text, request.finish)

    def _expire(self) -> list[Event]:
        now = time.monotonic()
        return [self._end(request, "timeout") for request in list(self.scheduler) if request.deadline <= now]


def check_prompt(prompt: list[int], params: SamplingParams, vocab_size: int, max_len: int) -> None:
    """Refuse what no engine of this model and size can serve.

    Raises:
        RequestError: see ``Engine.request``.
    """
    if not prompt:
        raise RequestError("The prompt is empty", param="prompt", code="empty_prompt")
    if (bad := next((token for token in prompt if not 0 <= token < vocab_size), None)) is not None:
        raise RequestError(f"Token {bad} is outside the vocabulary of {vocab_size}", param="prompt")
    if len(prompt) + params.max_tokens > max_len:
        raise RequestError(
            f"The prompt has {len(prompt)} tokens and {params.max_tokens} are to be generated; the longest context here "
            f"is {max_len} tokens",
            code="context_length_exceeded",
            param="prompt",
        )
