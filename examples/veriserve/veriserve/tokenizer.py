"""Text to tokens and back, and chat messages to text, for both kinds of model files."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import AddedToken, decoders, models, pre_tokenizers

from veriserve.errors import RequestError, VeriserveError

# How a GGUF file's `tokenizer.ggml.pre` cuts text before the merges.
PRE_TOKENIZERS = {
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "smollm": pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    ),
}


class Tokenizer:
    """A tokenizer and its model's chat template; ``eos`` are the tokens that end an answer."""

    def __init__(
        self, inner: tokenizers.Tokenizer, template: str, eos: tuple[int, ...], names: Mapping[str, str] | None = None
    ) -> None:
        self._inner = inner
        self.eos = eos
        self._names = dict(names or {})
        # A template comes with the weights, from whoever made them: it runs in a sandbox.
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
        try:
            self._template = environment.from_string(template) if template else None
        except TemplateError as error:
            raise VeriserveError(f"The model's chat template can't be read: {error}") from None

    @classmethod
    def from_bpe(
        cls,
        *,
        tokens: Sequence[str],
        merges: Sequence[str],
        special: Sequence[bool],
        pre: str,
        template: str,
        bos: int,
        eos: tuple[int, ...],
        where: str,
    ) -> Tokenizer:
        """The byte-level BPE tokenizer that a GGUF file spells out; ``special`` marks control tokens.

        Raises:
            VeriserveError: the file cuts text in a way that is not known here.
        """
        if pre not in PRE_TOKENIZERS:
            raise VeriserveError(f"The GGUF file's pre-tokenizer is {pre}, which is not known here", where=where)
        pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
        inner = tokenizers.Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=pairs))
        inner.pre_tokenizer = PRE_TOKENIZERS[pre]
        inner.decoder = decoders.ByteLevel()
        inner.add_special_tokens(
            [
                AddedToken(token, special=True, normalized=False)
                for token, is_special in zip(tokens, special)
                if is_special
            ]
        )
        names = {"eos_token": tokens[eos[0]]} | ({"bos_token": tokens[bos]} if bos >= 0 else {})
        return cls(inner, template, eos, names)

    @classmethod
    def from_folder(cls, folder: Path, eos: tuple[int, ...]) -> Tokenizer:
        """The tokenizer.json of a Hugging Face folder, with the chat template and end tokens beside it.

        Raises:
            VeriserveError: a file is missing or does not read.
        """
        try:
            inner = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # noqa: BLE001 - the library raises nothing narrower
            raise VeriserveError(
                f"The tokenizer can't be read: {error}", where=str(folder / "tokenizer.json")
            ) from None
        settings = _optional(folder / "tokenizer_config.json")
        template = settings.get("chat_template") or ""
        if isinstance(template, list):  # several, by name
            template = next((each["template"] for each in template if each.get("name") == "default"), "")
        if (beside := folder / "chat_template.jinja").is_file():
            template = beside.read_text(encoding="utf-8")
        names = {}
        for name in ("bos_token", "eos_token"):
            value = settings.get(name)
            names[name] = value.get("content", "") if isinstance(value, dict) else value or ""
        stated = _optional(folder / "generation_config.json").get("eos_token_id")
        if stated is not None:  # what answers end with, where config.json knows only what documents end with
            eos = tuple(stated) if isinstance(stated, list) else (stated,)
        return cls(inner, template, eos, names)

    def save(self, path: Path) -> None:
        """Write the tokenizer as a Hugging Face tokenizer.json."""
        self._inner.save(str(path))

    def encode(self, text: str, special: bool = True) -> list[int]:
        """The tokens of ``text``; with ``special`` between the tokens that the model wants around a document.

        Raises:
            RequestError: the text holds half of a surrogate pair, which no UTF-8 can say.
        """
        try:
            return self._inner.encode(text, add_special_tokens=special).ids
        except (TypeError, UnicodeEncodeError):
            raise RequestError("The text is not valid Unicode", code="invalid_unicode") from None

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of ``tokens`` without control tokens; an incomplete character is U+FFFD."""
        return self._inner.decode(list(tokens), skip_special_tokens=True)

    def render(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The text that stands for a conversation, up to where the assistant is to speak.

        Raises:
            RequestError: the model has no chat template, or its template refuses the conversation.
        """
        if self._template is None:
            raise RequestError("The model has no chat template; use /v1/completions", code="no_chat_template")
        try:
            return self._template.render(messages=list(messages), add_generation_prompt=True, **self._names)
        except (TemplateError, TypeError) as error:
            raise RequestError(f"The chat template refuses the messages: {error}", param="messages") from None


def _refuse(message: str) -> None:
    raise TemplateError(message)


def _optional(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise VeriserveError(f"The file can't be read as JSON: {error}", where=str(path)) from None
    return raw if isinstance(raw, dict) else {}
