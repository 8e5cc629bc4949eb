"""What the HTTP API serves from, and the simplest of them: an engine in a thread of this process."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from veriserve.engine import Engine
from veriserve.errors import RequestError
from veriserve.request import Event, FinishReason, Load
from veriserve.sampling import SamplingParams
from veriserve.tokenizer import Tokenizer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Delta:
    """News of one request: text that is certain, tokens it took, how much of the prompt was cached, and the end."""

    text: str
    tokens: int
    cached: int
    finish: FinishReason | None


class Backend(ABC):
    """Whatever turns prompts into text: one engine, or a router with its workers."""

    name: str
    tokenizer: Tokenizer
    vocab_size: int
    max_len: int

    @abstractmethod
    def generate(self, id: str, prompt: list[int], params: SamplingParams) -> AsyncGenerator[Delta, None]:
        """The answer as it comes; the last delta has ``finish``. Closing the iterator earlier aborts the request.

        Raises:
            RequestError: the request can't be served, or was given up.
        """

    @abstractmethod
    def healthy(self) -> bool:
        """Whether requests can be served."""

    @abstractmethod
    async def load(self) -> Load:
        """How busy it is."""


class LocalBackend(Backend):
    """One engine, stepped by a thread of its own; calls reach that thread through an inbox between steps."""

    def __init__(self, engine: Engine) -> None:
        self.name = engine.source.name
        self.tokenizer = engine.tokenizer
        self.vocab_size = engine.source.config.vocab_size
        self.max_len = engine.max_len
        self._engine = engine
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._streams: dict[str, asyncio.Queue[Event | RequestError]] = {}
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Begin to serve, from the event loop that will call ``generate``."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def stop(self) -> None:
        """End the thread after its current step; requests in flight get no further news."""
        self._inbox.put(None)
        self._thread.join()

    def healthy(self) -> bool:
        return self._thread.is_alive()

    async def generate(self, id: str, prompt: list[int], params: SamplingParams) -> AsyncGenerator[Delta, None]:
        request = self._engine.request(id, prompt, params)
        if not self.healthy():
            raise RequestError("The engine has stopped", status=503, code="engine_down")
        stream = self._streams[id] = asyncio.Queue()
        self._inbox.put(lambda: self._engine.add(request))
        finish = None
        try:
            while finish is None:
                event = await stream.get()
                if isinstance(event, RequestError):
                    raise event
                finish = event.finish
                if finish == "timeout":
                    raise RequestError("The request's deadline has passed", status=504, code="deadline_exceeded")
                if finish == "no_pages":
                    raise RequestError("The KV pool has too few pages left", status=503, code="out_of_pages")
                yield Delta(event.text, int(event.token is not None), request.cached, finish)
        finally:
            del self._streams[id]
            if finish is None:
                self._inbox.put(lambda: self._engine.abort(id))

    async def load(self) -> Load:
        return self._engine.load()  # reads of counters, which need not be of one moment

    def _run(self) -> None:
        try:
            while self._take_calls():
                events = self._engine.step()
                if events and self._loop:
                    self._loop.call_soon_threadsafe(self._deliver, events)
        except Exception:
            # A broken precondition of the ledger among them: nothing that follows could be trusted.
            log.exception("the engine has stopped")
            if self._loop:
                self._loop.call_soon_threadsafe(self._fail)

    def _take_calls(self) -> bool:
        """Make the calls in the inbox, waiting for one while there is nothing to step; False to stop."""
        while True:
            try:
                call = self._inbox.get(block=not self._engine.busy)
            except queue.Empty:
                return True
            if call is None:
                return False
            call()

    def _deliver(self, events: list[Event]) -> None:
        for event in events:
            if event.request.id in self._streams:
                self._streams[event.request.id].put_nowait(event)

    def _fail(self) -> None:
        for stream in self._streams.values():
            stream.put_nowait(RequestError("The engine has stopped", status=500, code="engine_down"))
