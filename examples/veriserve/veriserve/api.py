"""The OpenAI-compatible HTTP API over a backend."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from veriserve.backend import Backend, Delta
from veriserve.engine import check_prompt
from veriserve.errors import RequestError
from veriserve.metrics import Metrics
from veriserve.protocol import ChatRequest, CompletionRequest, finish_word, parse, usage
from veriserve.request import FinishReason
from veriserve.sampling import SamplingParams

MAX_BODY = 4 << 20


@dataclass
class Choice:
    """One choice of an answer while it comes."""

    index: int
    prompt: list[int]
    params: SamplingParams
    text: list[str] = field(default_factory=list)
    tokens: int = 0
    cached: int = 0
    finish: FinishReason | None = None


@dataclass
class Answer:
    """One answer: how it is worded (a chat's or a completion's) and its choices."""

    id: str
    chat: bool
    model: str
    choices: list[Choice]
    prompt_tokens: int
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self) -> dict[str, Any]:
        """The answer as one object."""
        return self._object(
            "chat.completion" if self.chat else "text_completion",
            [
                {"index": choice.index, "finish_reason": finish_word(choice.finish), "logprobs": None}
                | _content(self.chat, "message", "".join(choice.text))
                for choice in self.choices
            ],
        ) | {"usage": self.usage()}

    def piece(self, choice: Choice, text: str, finish: FinishReason | None) -> dict[str, Any]:
        """A piece of a streamed answer."""
        part = {"index": choice.index, "finish_reason": finish_word(finish), "logprobs": None}
        return self._object(
            "chat.completion.chunk" if self.chat else "text_completion", [part | _content(self.chat, "delta", text)]
        )

    def last(self) -> dict[str, Any]:
        """The piece that tells the usage after all others."""
        return self._object("chat.completion.chunk" if self.chat else "text_completion", []) | {"usage": self.usage()}

    def usage(self) -> dict[str, Any]:
        """Prompts are counted once, however many choices each has."""
        return usage(
            self.prompt_tokens,
            sum(choice.tokens for choice in self.choices),
            min(self.prompt_tokens, sum(choice.cached for choice in self.choices)),
        )

    def _object(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model, "choices": choices}


def _content(chat: bool, name: str, text: str) -> dict[str, Any]:
    return {name: {"role": "assistant", "content": text}} if chat else {"text": text}


class Api:
    """The routes, over one backend."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.metrics = Metrics()

    def app(self, lifespan: Callable[[Starlette], Any] | None = None) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/v1/completions", self._answers(self._completion), methods=["POST"]),
                Route("/v1/chat/completions", self._answers(self._chat), methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/health", self._health),
                Route("/metrics", self._metrics),
            ],
            exception_handlers={HTTPException: _no_such_route},
            lifespan=lifespan,
        )

    def _answers(self, build: Callable[[bytes], Awaitable[tuple[Answer, bool, bool]]]) -> Any:
        async def endpoint(request: Request) -> Response:
            try:
                answer, stream, with_usage = await build(await _body(request))
                if stream:
                    response = await self._stream(answer, with_usage)
                else:
                    response = await self._whole(request, answer)
            except RequestError as error:
                response = JSONResponse(error.body(), status_code=error.status)
            except ClientDisconnect:
                response = Response(status_code=499)  # nobody reads it; the status is for the metrics
            self.metrics.requests.labels(response.status_code).inc()
            return response

        return endpoint

    async def _completion(self, body: bytes) -> tuple[Answer, bool, bool]:
        asked = parse(CompletionRequest, body)
        self._check_model(asked.model)
        prompts = [
            await asyncio.to_thread(self.backend.tokenizer.encode, prompt) if isinstance(prompt, str) else prompt
            for prompt in asked.prompts()
        ]
        return self._answer(asked, prompts, chat=False, default_tokens=16)

    async def _chat(self, body: bytes) -> tuple[Answer, bool, bool]:
        asked = parse(ChatRequest, body)
        self._check_model(asked.model)
        text = self.backend.tokenizer.render([message.plain() for message in asked.messages])
        prompt = await asyncio.to_thread(self.backend.tokenizer.encode, text, False)
        return self._answer(asked, [prompt], chat=True, default_tokens=max(1, self.backend.max_len - len(prompt)))

    def _answer(
        self, asked: ChatRequest | CompletionRequest, prompts: list[list[int]], *, chat: bool, default_tokens: int
    ) -> tuple[Answer, bool, bool]:
        params = asked.params(default_tokens, secrets.randbits(63))
        choices: list[Choice] = []
        for prompt in prompts:
            check_prompt(prompt, params, self.backend.vocab_size, self.backend.max_len)
            for _ in range(asked.n):
                # Choices of one request differ, and all follow from its seed.
                own = dataclasses.replace(params, seed=(params.seed + len(choices)) % 2**64)
                choices.append(Choice(len(choices), prompt, own))
        id = ("chatcmpl-" if chat else "cmpl-") + secrets.token_hex(12)
        answer = Answer(id, chat, self.backend.name, choices, sum(len(prompt) for prompt in prompts))
        return answer, asked.stream, bool(asked.stream_options and asked.stream_options.include_usage)

    def _check_model(self, name: str) -> None:
        if name != self.backend.name:
            raise RequestError(
                f"The model `{name}` is not served here; `{self.backend.name}` is"[:300],
                status=404,
                code="model_not_found",
                param="model",
            )

    async def _whole(self, request: Request, answer: Answer) -> Response:
        async def collect() -> None:
            async for choice, delta in self._deltas(answer):
                choice.text.append(delta.text)

        work = asyncio.ensure_future(collect())
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientDisconnect
            await work
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        return JSONResponse(answer.whole())

    async def _stream(self, answer: Answer, with_usage: bool) -> Response:
        deltas = self._deltas(answer)
        # What is wrong before the first token still has a status of its own.
        first = await anext(deltas)

        async def events() -> AsyncIterator[bytes]:
            async with contextlib.aclosing(deltas):
                try:
                    choice, delta = first
                    yield _event(answer.piece(choice, delta.text, delta.finish))
                    async for choice, delta in deltas:
                        if delta.text or delta.finish:
                            yield _event(answer.piece(choice, delta.text, delta.finish))
                    if with_usage:
                        yield _event(answer.last())
                except RequestError as error:
                    yield _event(error.body())
                yield b"data: [DONE]\n\n"

        return StreamingResponse(events(), media_type="text/event-stream")

    async def _deltas(self, answer: Answer) -> AsyncGenerator[tuple[Choice, Delta], None]:
        """The deltas of all choices as they come, counted; those still open are aborted when this is closed."""
        news: asyncio.Queue[tuple[Choice, Delta] | BaseException] = asyncio.Queue()

        async def follow(choice: Choice) -> None:
            began = previous = time.monotonic()
            try:
                stream = self.backend.generate(f"{answer.id}-{choice.index}", choice.prompt, choice.params)
                async with contextlib.aclosing(stream):
                    async for delta in stream:
                        now = time.monotonic()
                        if delta.tokens:
                            metric = self.metrics.next_token if choice.tokens else self.metrics.first_token
                            metric.observe(now - (previous if choice.tokens else began))
                            self.metrics.output_tokens.inc(delta.tokens)
                            previous = now
                        choice.tokens += delta.tokens
                        choice.cached, choice.finish = delta.cached, delta.finish
                        news.put_nowait((choice, delta))
            except Exception as error:  # noqa: BLE001 - it is raised again by whoever reads the news
                news.put_nowait(error)

        tasks = [asyncio.ensure_future(follow(choice)) for choice in answer.choices]
        try:
            open_choices = len(tasks)
            while open_choices:
                item = await news.get()
                if isinstance(item, BaseException):
                    raise item
                open_choices -= item[1].finish is not None
                yield item
            self.metrics.prompt_tokens.inc(answer.prompt_tokens)
            self.metrics.cached_tokens.inc(answer.usage()["prompt_tokens_details"]["cached_tokens"])
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _models(self, request: Request) -> Response:
        model = {"id": self.backend.name, "object": "model", "created": 0, "owned_by": "veriserve"}
        return JSONResponse({"object": "list", "data": [model | {"max_model_len": self.backend.max_len}]})

    async def _health(self, request: Request) -> Response:
        healthy = self.backend.healthy()
        return JSONResponse({"status": "ok" if healthy else "down"}, status_code=200 if healthy else 503)

    async def _metrics(self, request: Request) -> Response:
        load = await self.backend.load()
        return Response(self.metrics.text(load), media_type="text/plain; version=0.0.4; charset=utf-8")


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


async def _body(request: Request) -> bytes:
    """The body, given up as soon as it is longer than anything that is served."""
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        size += len(part)
        if size > MAX_BODY:
            raise RequestError(f"The body is over {MAX_BODY} bytes", status=413, code="body_too_large")
    return b"".join(parts)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _no_such_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = RequestError(f"{request.method} {request.url.path}: {error.detail}"[:300], status=error.status_code)
    return JSONResponse(told.body(), status_code=error.status_code, headers=error.headers)
