"""Llama models in GGUF files: shape, tensors (dequantized, rows put back in order) and tokenizer."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from gguf.quants import dequantize

from veriserve.config import ModelConfig
from veriserve.errors import VeriserveError
from veriserve.tokenizer import Tokenizer

# GGUF's names of what Hugging Face calls `model.layers.N.` and more.
LAYER_NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


# How GGUF numbers the types of its metadata, as struct knows them; 8 is a string, 9 an array.
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


class GgufFile:
    """One GGUF file (version 2 or 3, little endian), read through a memory map.

    The package's own reader takes seconds over a vocabulary, for it makes an array of each string's bytes; from it
    come the sizes of quantized blocks and their arithmetic.

    Raises:
        VeriserveError: the file is not GGUF, is cut short, or holds no llama.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fields: dict[str, Any] = {}
        self._tensors: dict[str, tuple[tuple[int, ...], gguf.GGMLQuantizationType, int]] = {}
        try:
            self._bytes = np.memmap(path, mode="r")
            self._read_header(memoryview(self._bytes.data))
        except (OSError, ValueError, KeyError, OverflowError, struct.error) as error:
            raise VeriserveError(f"The GGUF file can't be read: {error}", where=str(path)) from None
        if (architecture := self._field("general.architecture")) != "llama":
            raise VeriserveError(f"The GGUF file holds a {architecture} model, not a llama", where=str(path))

    def _read_header(self, data: memoryview) -> None:
        at = 0

        def scalar(form: str) -> Any:
            nonlocal at
            (value,) = struct.unpack_from("<" + form, data, at)
            at += struct.calcsize("<" + form)
            return value

        def string() -> str:
            nonlocal at
            length = scalar("Q")
            at += length
            return str(data[at - length : at], "utf-8", "replace")

        def value(kind: int) -> Any:
            if kind == 8:
                return string()
            if kind == 9:
                inner, length = scalar("I"), scalar("Q")
                return [value(inner) for _ in range(length)]
            return scalar(SCALARS[kind])

        if bytes(data[:4]) != b"GGUF" or data[4] not in (2, 3):
            raise ValueError("it does not begin as GGUF of version 2 or 3")
        at = 8
        tensors, fields = scalar("Q"), scalar("Q")
        for _ in range(fields):
            name = string()
            self._fields[name] = value(scalar("I"))
        for _ in range(tensors):
            name = string()
            shape = tuple(scalar("Q") for _ in range(scalar("I")))[::-1]  # the fastest dimension comes first
            self._tensors[name] = (shape, gguf.GGMLQuantizationType(scalar("I")), scalar("Q"))
        alignment = self._fields.get("general.alignment", 32)
        self._start = at + -at % alignment

    def _field(self, name: str, default: Any = None) -> Any:
        found = self._fields.get(name, default)
        if found is None:
            raise VeriserveError(f"The GGUF file has no `{name}`", where=str(self.path))
        return found

    def config(self) -> ModelConfig:
        """The model's shape."""
        hidden, heads = self._field("llama.embedding_length"), self._field("llama.attention.head_count")
        return ModelConfig(
            architecture="llama",
            vocab_size=self._tensors["token_embd.weight"][0][0],
            hidden_size=hidden,
            intermediate_size=self._field("llama.feed_forward_length"),
            num_layers=self._field("llama.block_count"),
            num_heads=heads,
            num_kv_heads=self._field("llama.attention.head_count_kv", heads),
            head_dim=self._field("llama.attention.key_length", hidden // heads),
            max_position=self._field("llama.context_length"),
            rms_norm_eps=self._field("llama.attention.layer_norm_rms_epsilon"),
            rope_theta=self._field("llama.rope.freq_base", 10_000.0),
            tie_embeddings="output.weight" not in self._tensors,
            eos_ids=(self._field("tokenizer.ggml.eos_token_id"),),
        )

    def tokenizer(self) -> Tokenizer:
        """The tokenizer in the file's metadata."""
        if (model := self._field("tokenizer.ggml.model")) != "gpt2":
            raise VeriserveError(f"The GGUF file's tokenizer is {model}, not byte-level BPE", where=str(self.path))
        return Tokenizer.from_bpe(
            tokens=self._field("tokenizer.ggml.tokens"),
            merges=self._field("tokenizer.ggml.merges"),
            special=[kind == gguf.TokenType.CONTROL for kind in self._field("tokenizer.ggml.token_type")],
            pre=self._field("tokenizer.ggml.pre", "default"),
            template=self._field("tokenizer.chat_template", ""),
            bos=self._field("tokenizer.ggml.bos_token_id", -1),
            eos=(self._field("tokenizer.ggml.eos_token_id"),),
            where=str(self.path),
        )

    def read(self, name: str, shape: tuple[int, ...]) -> torch.Tensor:
        """The tensor of Hugging Face's ``name`` in fp32; KeyError where there is none."""
        stem = name.removesuffix(".weight")
        if stem.startswith("model.layers."):
            number, _, part = stem.removeprefix("model.layers.").partition(".")
            own = f"blk.{number}.{LAYER_NAMES[part]}"
        else:
            own = NAMES[stem]
        full, kind, offset = self._tensors[f"{own}.weight"]
        block, block_bytes = gguf.GGML_QUANT_SIZES[kind]
        start, size = self._start + offset, math.prod(full) // block * block_bytes
        if start + size > len(self._bytes):
            raise VeriserveError("The GGUF file is cut short", where=str(self.path), todo="Fetch it again")
        rows = np.asarray(self._bytes[start : start + size]).reshape(*full[:-1], -1)
        values = torch.from_numpy(np.array(dequantize(rows, kind), dtype=np.float32))
        if own.endswith((".attn_q", ".attn_k")):
            values = _unpermute(
                values, self._field("llama.attention.head_count" + ("_kv" if own.endswith("k") else ""))
            )
        return values


def _unpermute(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """Rows of q or k from GGUF's order, which pairs neighbours for the rotation, to the order of halves."""
    return rows.view(heads, -1, 2, rows.shape[-1]).transpose(1, 2).reshape(rows.shape)
