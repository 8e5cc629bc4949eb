"""What clients may ask, as OpenAI's API words it, and how answers are worded; no engine, no network."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from veriserve.errors import RequestError
from veriserve.request import FinishReason
from veriserve.sampling import SamplingParams

MAX_STOPS = 16
StopString = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Token = Annotated[int, Field(ge=0)]

# Options that would change the answer and are not served: only the value that changes nothing is taken.
NEUTRAL: dict[str, tuple[Any, ...]] = {
    "frequency_penalty": (None, 0, 0.0),
    "presence_penalty": (None, 0, 0.0),
    "logit_bias": (None, {}),
    "logprobs": (None, False),
    "top_logprobs": (None, 0),
    "best_of": (None, 1),
    "echo": (None, False),
    "suffix": (None, ""),
    "tools": (None, []),
    "tool_choice": (None, "none"),
    "response_format": (None, {"type": "text"}),
}
# Options that change nothing about the answer's text.
IGNORED = ("user", "store", "metadata", "service_tier", "parallel_tool_calls")


class StreamOptions(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    include_usage: bool = False


class Common(BaseModel):
    """What both kinds of request take."""

    model_config = ConfigDict(strict=True, extra="forbid")

    model: str
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
    seed: int | None = Field(default=None, ge=-(2**63), lt=2**63)
    stop: StopString | Annotated[list[StopString], Field(max_length=MAX_STOPS)] | None = None
    n: int = Field(default=1, ge=1, le=16)
    stream: bool = False
    stream_options: StreamOptions | None = None
    ignore_eos: bool = False

    @model_validator(mode="before")
    @classmethod
    def _only_what_is_served(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        for name, neutral in NEUTRAL.items():
            # By type as well, for False equals 0 and `logprobs: 0` asks for something.
            if name in raw and not any(type(raw[name]) is type(each) and raw[name] == each for each in neutral):
                raise RequestError(f"`{name}` is not served here", param=name, code="unsupported_parameter")
        return {name: value for name, value in raw.items() if name not in NEUTRAL and name not in IGNORED}

    def params(self, max_tokens: int, seed: int) -> SamplingParams:
        """How to sample, where the request leaves ``max_tokens`` or the seed open with these."""
        stop = () if self.stop is None else (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)
        return SamplingParams(
            max_tokens=self.max_tokens if self.max_tokens is not None else max_tokens,
            temperature=1.0 if self.temperature is None else self.temperature,
            top_p=1.0 if self.top_p is None else self.top_p,
            seed=seed if self.seed is None else self.seed % 2**64,
            stop=stop,
            ignore_eos=self.ignore_eos,
        )


R = TypeVar("R", bound=Common)


class CompletionRequest(Common):
    prompt: str | Annotated[list[str], Field(min_length=1, max_length=64)] | list[Token] | list[list[Token]]

    def prompts(self) -> list[str | list[int]]:
        """The prompts, one for each group of choices."""
        if isinstance(self.prompt, str):
            return [self.prompt]
        if self.prompt and isinstance(self.prompt[0], int):
            return [self.prompt]
        return list(self.prompt)  # type: ignore[arg-type]


class TextPart(BaseModel):
    model_config = ConfigDict(strict=True)

    type: Literal["text"]
    text: str


class Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]

    def plain(self) -> dict[str, str]:
        """Role and text as chat templates expect them."""
        text = self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)
        return {"role": "system" if self.role == "developer" else self.role, "content": text}


class ChatRequest(Common):
    messages: Annotated[list[Message], Field(min_length=1, max_length=4096)]
    max_completion_tokens: int | None = Field(default=None, ge=1)

    def params(self, max_tokens: int, seed: int) -> SamplingParams:
        return super().params(self.max_completion_tokens or max_tokens, seed)


def parse(kind: type[R], body: bytes) -> R:
    """The request in ``body``.

    Raises:
        RequestError: it is not JSON in UTF-8, or not a request of this kind; ``param`` names the field.
    """
    try:
        raw = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RequestError(f"The body is not UTF-8 (byte {error.start})", code="invalid_json") from None
    except (ValueError, RecursionError) as error:
        raise RequestError(f"The body is not JSON: {error}"[:300], code="invalid_json") from None
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"][:1])
        told = first["msg"] if where else "The body must be a JSON object"
        raise RequestError(f"{where}: {told}" if where else told, param=where or None, code=first["type"]) from None


def finish_word(finish: FinishReason | None) -> str | None:
    """How OpenAI's API words the end of a choice."""
    return finish if finish in (None, "stop", "length") else "stop"


def usage(prompt: int, completion: int, cached: int) -> dict[str, Any]:
    """The `usage` object."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
