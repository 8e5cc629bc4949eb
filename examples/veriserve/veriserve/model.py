"""Llama and Qwen3 as one decoder in plain torch: tensors and functions, no modules."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from veriserve.attention import AttentionStep
from veriserve.config import ModelConfig

# Hands out one tensor by its Hugging Face name, checked against the shape asked for.
Fetch = Callable[[str, tuple[int, ...]], torch.Tensor]


@dataclass(frozen=True)
class Layer:
    """One block's weights; projections that read the same input are one matrix."""

    attn_norm: torch.Tensor
    qkv: torch.Tensor
    qk_norm: torch.Tensor | None  # [heads + kv_heads, head_dim]: one row a head, so that one product does all
    out: torch.Tensor
    mlp_norm: torch.Tensor
    gate_up: torch.Tensor
    down: torch.Tensor


def load_layer(config: ModelConfig, index: int, fetch: Fetch) -> Layer:
    """Layer ``index`` of the model whose tensors ``fetch`` hands out."""
    hidden, inner, dim = config.hidden_size, config.intermediate_size, config.head_dim
    queries, keys = config.num_heads * dim, config.num_kv_heads * dim

    def get(name: str, *shape: int) -> torch.Tensor:
        return fetch(f"model.layers.{index}.{name}.weight", shape)

    qk_norm = None
    if config.qk_norm:
        q_norm, k_norm = get("self_attn.q_norm", dim), get("self_attn.k_norm", dim)
        qk_norm = torch.cat([q_norm.expand(config.num_heads, dim), k_norm.expand(config.num_kv_heads, dim)])
    q, k, v = (
        get("self_attn.q_proj", queries, hidden),
        get("self_attn.k_proj", keys, hidden),
        get("self_attn.v_proj", keys, hidden),
    )
    return Layer(
        attn_norm=get("input_layernorm", hidden),
        qkv=lay_out(torch.cat([q, k, v])),
        qk_norm=qk_norm,
        out=lay_out(get("self_attn.o_proj", hidden, queries)),
        mlp_norm=get("post_attention_layernorm", hidden),
        gate_up=lay_out(torch.cat([get("mlp.gate_proj", inner, hidden), get("mlp.up_proj", inner, hidden)])),
        down=lay_out(get("mlp.down_proj", hidden, inner)),
    )


def lay_out(matrix: torch.Tensor) -> torch.Tensor:
    """``matrix`` in the memory order that its products are fastest in; shape and values stay.

    On a CPU, fp32 products of a few rows take half the time with the columns of the weights contiguous.
    """
    return matrix.t().contiguous().t() if matrix.device.type == "cpu" and matrix.dtype == torch.float32 else matrix


class Decoder:
    """The whole model: token ids in, hidden states and logits out; KV goes through an ``AttentionStep``."""

    def __init__(self, config: ModelConfig, fetch: Fetch, max_len: int) -> None:
        self.config = config
        self.embedding = fetch("model.embed_tokens.weight", (config.vocab_size, config.hidden_size))
        self.layers = [load_layer(config, index, fetch) for index in range(config.num_layers)]
        self.norm = fetch("model.norm.weight", (config.hidden_size,))
        tied = config.tie_embeddings
        head = self.embedding if tied else fetch("lm_head.weight", (config.vocab_size, config.hidden_size))
        self.head = lay_out(head)
        self.cos, self.sin = rotation(config, max_len, self.embedding.dtype, self.embedding.device)

    def forward(self, ids: torch.Tensor, positions: torch.Tensor, step: AttentionStep) -> torch.Tensor:
        """Hidden states [tokens, hidden] of ``ids`` at ``positions`` (both [tokens])."""
        config = self.config
        heads, kv_heads, dim = config.num_heads, config.num_kv_heads, config.head_dim
        cos, sin = self.cos[positions][:, None, :], self.sin[positions][:, None, :]
        hidden = F.embedding(ids, self.embedding)
        for index, layer in enumerate(self.layers):
            qkv = F.linear(self._norm(hidden, layer.attn_norm), layer.qkv).view(len(ids), heads + 2 * kv_heads, dim)
            qk, values = torch.split(qkv, [heads + kv_heads, kv_heads], dim=1)
            if layer.qk_norm is not None:
                qk = F.rms_norm(qk, (dim,), eps=config.rms_norm_eps) * layer.qk_norm
            queries, keys = torch.split(rotate(qk, cos, sin), [heads, kv_heads], dim=1)
            step.write(index, keys, values)
            mixed = step.attend(index, queries).reshape(len(ids), heads * dim)
            hidden = hidden + F.linear(mixed, layer.out)
            gate, up = F.linear(self._norm(hidden, layer.mlp_norm), layer.gate_up).chunk(2, dim=-1)
            hidden = hidden + F.linear(F.silu(gate) * up, layer.down)
        return hidden

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits [rows, vocabulary] of the hidden states [rows, hidden] that are to be sampled."""
        return F.linear(self._norm(hidden, self.norm), self.head)

    def _norm(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, (x.shape[-1],), weight, self.config.rms_norm_eps)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary embedding of ``x`` [tokens, heads, head_dim] in the halves' order of Hugging Face."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


def rotation(
    config: ModelConfig, max_len: int, dtype: torch.dtype, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines [max_len, head_dim] of every position's rotation."""
    frequencies = config.rope_theta ** -(torch.arange(0, config.head_dim, 2, dtype=torch.float32) / config.head_dim)
    if (scaling := config.rope_scaling) is not None:
        # How many turns a frequency makes in the original context decides how far it is stretched.
        turns = scaling.original_max_position * frequencies / (2 * math.pi)
        keep = (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor)
        keep = keep.clamp(0, 1)
        frequencies = frequencies * keep + frequencies / scaling.factor * (1 - keep)
    angles = torch.arange(max_len, dtype=torch.float32)[:, None] * frequencies[None, :]
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos().to(device, dtype), angles.sin().to(device, dtype)
