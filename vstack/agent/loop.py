"""The headless conversation: a model asked again and again, its tool calls carried out, until it ends or a budget does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import anthropic

from vstack.agent.ask import OutOfTimeError, Reply, ask
from vstack.agent.tools import Outcome, Toolbox
from vstack.agent.transcript import Transcript
from vstack.errors import VstackError

MOST_PER_REPLY = 16_000
_LEAST_PER_REPLY = 256
_GO_ON = "Your reply was cut off at its length limit. Go on, in smaller steps."
_CUT = "The call was cut off at the length limit of a reply and was not carried out. Make it smaller."


@dataclass(frozen=True)
class Budget:
    """What one run may use: tokens read and written, all requests together, and seconds of wall clock."""

    tokens: int
    seconds: float


@dataclass(frozen=True)
class End:
    """How a run ended: ``reason`` is `ended`, `tokens`, `time` or `refusal`; ``words`` are the model's last."""

    reason: str
    words: str
    read: int
    written: int
    seconds: float


def system_prompt() -> str:
    """What every headless model is told."""
    return (resources.files("vstack.agent") / "prompt.md").read_text(encoding="utf-8")


def converse(
    client: anthropic.Anthropic,
    transcript: Transcript,
    toolbox: Toolbox,
    budget: Budget,
    *,
    tell: Callable[[str], None],
    first_pause: float = 1.0,
) -> End:
    """Go on with the conversation of ``transcript`` until the model ends it or the budget is used up.

    Every reply and every tool's result is in the transcript before the next
    step, so that a run that was killed can be resumed.

    Raises:
        VstackError: the API refuses, or kept failing; the transcript can be resumed.
    """
    started = time.monotonic()
    deadline = started + budget.seconds
    before = sum(transcript.used())
    words = ""
    reason = None
    while reason is None:
        left = budget.tokens - (sum(transcript.used()) - before)
        if left < _LEAST_PER_REPLY:
            reason = "tokens"
        elif time.monotonic() >= deadline:
            reason = "time"
        else:
            try:
                reply = _ask(client, transcript, toolbox, min(left, MOST_PER_REPLY), deadline, tell, first_pause)
            except OutOfTimeError:
                reason = "time"
                continue
            words = "\n".join(block["text"] for block in reply.content if block["type"] == "text")
            reason = _carry_out(reply, transcript, toolbox, deadline, tell)
    read, written = transcript.used()
    end = End(reason, words, read, written, time.monotonic() - started)
    transcript.add("end", reason=reason, read=read, written=written, seconds=round(end.seconds, 1))
    return end


def _ask(
    client: anthropic.Anthropic,
    transcript: Transcript,
    toolbox: Toolbox,
    most: int,
    deadline: float,
    tell: Callable[[str], None],
    first_pause: float,
) -> Reply:
    request = {
        "model": transcript.start["model"],
        "max_tokens": most,
        "system": system_prompt(),
        "messages": transcript.messages(),
        "tools": [tool.described() for tool in toolbox.tools.values()],
        # What was sent before is read from the service's cache, at a fraction of its price.
        "cache_control": {"type": "ephemeral"},
    }

    def retry(fault: str, pause: float) -> None:
        transcript.add("fault", fault=fault, pause=round(pause, 1))
        tell(f"{fault}; asking again in {pause:.0f} s")

    reply = ask(client, request, deadline=deadline, on_text=lambda text: None, on_retry=retry, first_pause=first_pause)
    usage = {"input": reply.read, "output": reply.written}
    # The service takes no message without content back.
    content = reply.content or [{"type": "text", "text": "(nothing)"}]
    transcript.add("assistant", content=content, stop_reason=reply.stop_reason, usage=usage)
    return reply


def _carry_out(
    reply: Reply, transcript: Transcript, toolbox: Toolbox, deadline: float, tell: Callable[[str], None]
) -> str | None:
    """Do what the reply asks for; the reason to end, or None to go on."""
    for block in reply.content:
        if block["type"] == "text" and block["text"].strip():
            tell(block["text"].strip())
    calls = [block for block in reply.content if block["type"] == "tool_use"]
    cut = reply.stop_reason == "max_tokens"
    for number, block in enumerate(calls):
        # Only the last call of a reply that was cut off can itself be cut.
        lost = cut and number == len(calls) - 1
        outcome = Outcome(_CUT, is_error=True) if lost else _use(toolbox, block, deadline)
        said = outcome.answer.meaning if outcome.answer and not outcome.is_error else outcome.text
        tell(f"{block['name']} {_brief(block['input'])}: {_brief(said)}")
        result = {"type": "tool_result", "tool_use_id": block["id"], "content": outcome.text}
        answer = outcome.answer.model_dump(mode="json", exclude={"data", "text"}) if outcome.answer else None
        transcript.add(
            "tool",
            name=block["name"],
            arguments=block["input"],
            result=result | ({"is_error": True} if outcome.is_error else {}),
            answer=answer,
        )
    if cut and not calls:
        transcript.add("user", text=_GO_ON)
    if reply.stop_reason == "model_context_window_exceeded":
        raise VstackError(
            "The conversation no longer fits into the model's context",
            where=str(transcript.path),
            todo="Start a new task with what is left to do",
        )
    if reply.stop_reason == "refusal":
        return "refusal"
    return None if calls or cut or reply.stop_reason == "pause_turn" else "ended"


def _use(toolbox: Toolbox, block: Mapping[str, Any], deadline: float) -> Outcome:
    arguments = block["input"]
    left = max(0.0, deadline - time.monotonic())
    if isinstance(arguments, dict) and isinstance(arguments.get("wait"), int | float) and arguments["wait"] > left:
        arguments = {**arguments, "wait": left}
    return toolbox.use(block["name"], arguments)


def _brief(value: Any) -> str:
    text = " ".join(f"{key}={item}" for key, item in value.items()) if isinstance(value, dict) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= 160 else f"{text[:157]}..."
