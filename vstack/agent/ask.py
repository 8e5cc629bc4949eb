"""One request to the Messages API, streamed; asked again where the service, not the request, is at fault."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anthropic
import httpx2

from vstack.errors import VstackError

_TRIES = 6
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Reply:
    """A whole message of the model: its blocks, why it ended, and tokens read (cached ones too) and written."""

    content: list[dict[str, Any]]
    stop_reason: str
    read: int
    written: int


class OutOfTimeError(Exception):
    """The time budget ended while the model was speaking."""


class BrokenStreamError(Exception):
    """The stream ended before its message did, or held what is no event."""


def ask(
    client: anthropic.Anthropic,
    request: Mapping[str, Any],
    *,
    deadline: float,
    on_text: Callable[[str], None],
    on_retry: Callable[[str, float], None],
    first_pause: float = 1.0,
) -> Reply:
    """The model's reply to ``request``; ``on_retry`` is told of each fault of the service and of the pause after it.

    ``deadline`` is a ``time.monotonic()`` after which nothing is asked again.

    Raises:
        VstackError: the request is refused (key, model, size), or the service kept failing.
        OutOfTimeError: the deadline has passed.
    """
    fault = ""
    for number in range(_TRIES):
        try:
            return _once(client, request, deadline, on_text)
        except anthropic.APIStatusError as error:
            if not _passing(error):
                raise _refused(error) from None
            fault, pause = f"{error.status_code}: {_message(error)}", _asked_pause(error)
        except (anthropic.APIConnectionError, httpx2.HTTPError, BrokenStreamError) as error:
            fault, pause = f"{type(error).__name__}: {error}", None
        if pause is None:
            pause = min(first_pause * 2**number, _LONGEST_PAUSE) * random.uniform(0.75, 1.25)
        if time.monotonic() + pause >= deadline:
            raise OutOfTimeError
        if number == _TRIES - 1:
            break
        on_retry(fault, pause)
        time.sleep(pause)
    raise VstackError(
        f"The Messages API could not answer, after {number + 1} tries; the last one came to {fault}",
        where=str(client.base_url),
        todo="Go on later with --resume TRANSCRIPT",
    )


def _once(
    client: anthropic.Anthropic, request: Mapping[str, Any], deadline: float, on_text: Callable[[str], None]
) -> Reply:
    ended = False
    seconds = max(1.0, deadline - time.monotonic())
    # A silence of a minute ends the request; a whole reply may take as long as the budget allows.
    timeout = httpx2.Timeout(seconds, connect=10.0, read=min(60.0, seconds))
    try:
        with client.messages.stream(**request, timeout=timeout) as stream:
            for event in stream:
                if time.monotonic() > deadline:
                    raise OutOfTimeError
                if event.type == "text":
                    on_text(event.text)
                elif event.type == "message_stop":
                    ended = True
            message = stream.current_message_snapshot if ended else None
    except (ValueError, AssertionError) as error:
        raise BrokenStreamError(f"the stream does not read: {error}") from None
    if message is None or message.stop_reason is None:
        raise BrokenStreamError("the stream ended before the message did")
    usage = message.usage
    read = usage.input_tokens + (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return Reply([_block(block) for block in message.content], message.stop_reason, read, usage.output_tokens)


def _block(block: Any) -> dict[str, Any]:
    """A block as a later request may send it back: only what requests take."""
    fields = {
        "text": ("type", "text"),
        "tool_use": ("type", "id", "name", "input"),
        "thinking": ("type", "thinking", "signature"),
        "redacted_thinking": ("type", "data"),
    }.get(block.type)
    data: dict[str, Any] = block.model_dump(mode="json", exclude_none=True)
    return {key: data[key] for key in fields if key in data} if fields else data


def _asked_pause(error: anthropic.APIStatusError) -> float | None:
    """The pause that the service asks for, in seconds."""
    try:
        return min(max(float(error.response.headers["retry-after"]), 0.0), _LONGEST_PAUSE)
    except (KeyError, ValueError):
        return None


def _passing(error: anthropic.APIStatusError) -> bool:
    """Whether the fault is the service's. An error event inside of a stream comes with the stream's own status, 200."""
    if error.status_code == 200:
        return _inner(error).get("type") in ("overloaded_error", "api_error", "rate_limit_error", "timeout_error")
    return error.status_code in (408, 409, 429) or error.status_code >= 500


def _inner(error: anthropic.APIStatusError) -> Mapping[str, Any]:
    body = error.body
    inner = body.get("error") if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _message(error: anthropic.APIStatusError) -> str:
    return str(_inner(error).get("message") or error.message)[:300]


def _refused(error: anthropic.APIStatusError) -> VstackError:
    todo = {
        401: "Set ANTHROPIC_API_KEY to a key that is valid",
        403: "Use a key that may use this model",
        404: "Name a model with --model that there is",
        413: "Start a new task: this one has grown too long",
    }.get(error.status_code, "Mend what it says; if the conversation has grown too long, start a new task")
    return VstackError(
        f"The Messages API refuses the request ({error.status_code}): {_message(error)}",
        where=str(error.request.url),
        todo=todo,
    )
