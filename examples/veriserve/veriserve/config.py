"""What an engine is told at its start: the model's shape, and how much it may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from veriserve.errors import VeriserveError

PAGE_SIZES = (1, 16, 64)
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass(frozen=True)
class RopeScaling:
    """Llama 3's stretching of low frequencies to contexts longer than the model was first trained on."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_position: int


@dataclass(frozen=True)
class ModelConfig:
    """The shape of a Llama or Qwen3 decoder, in the words of Hugging Face's config.json."""

    architecture: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    max_position: int
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10_000.0
    rope_scaling: RopeScaling | None = None
    tie_embeddings: bool = False
    eos_ids: tuple[int, ...] = ()

    @property
    def qk_norm(self) -> bool:
        """Whether queries and keys are normalised per head before the rotation, as in Qwen3."""
        return self.architecture == "qwen3"


ARCHITECTURES = {"LlamaForCausalLM": "llama", "Qwen3ForCausalLM": "qwen3"}


def from_hf(raw: dict[str, Any], where: str) -> ModelConfig:
    """The shape that a config.json states.

    Raises:
        VeriserveError: an architecture, an option or a rope scaling that the engine does not compute,
            or a field that is missing.
    """
    name = (raw.get("architectures") or ["none"])[0]
    if name not in ARCHITECTURES:
        raise VeriserveError(
            f"The model's architecture is {name}", where=where, todo=f"The engine runs {', '.join(ARCHITECTURES)}"
        )
    for option in ("attention_bias", "mlp_bias", "use_sliding_window"):
        if raw.get(option):
            raise VeriserveError(f"The model sets `{option}`, which the engine does not compute", where=where)
    if raw.get("hidden_act", "silu") != "silu":
        raise VeriserveError(f"The model's activation is {raw['hidden_act']}, not silu", where=where)
    eos = raw.get("eos_token_id")
    rope = raw.get("rope_parameters") or {}  # where transformers 5 keeps what used to be two fields
    try:
        return ModelConfig(
            architecture=ARCHITECTURES[name],
            vocab_size=raw["vocab_size"],
            hidden_size=raw["hidden_size"],
            intermediate_size=raw["intermediate_size"],
            num_layers=raw["num_hidden_layers"],
            num_heads=raw["num_attention_heads"],
            num_kv_heads=raw.get("num_key_value_heads") or raw["num_attention_heads"],
            head_dim=raw.get("head_dim") or raw["hidden_size"] // raw["num_attention_heads"],
            max_position=raw["max_position_embeddings"],
            rms_norm_eps=raw.get("rms_norm_eps", 1e-6),
            rope_theta=float(rope.get("rope_theta") or raw.get("rope_theta") or 10_000.0),
            rope_scaling=_rope_scaling(raw.get("rope_scaling") or rope, where),
            tie_embeddings=bool(raw.get("tie_word_embeddings", False)),
            eos_ids=() if eos is None else tuple(eos) if isinstance(eos, list) else (eos,),
        )
    except KeyError as error:
        raise VeriserveError(f"The configuration has no `{error.args[0]}`", where=where) from None


def _rope_scaling(raw: dict[str, Any], where: str) -> RopeScaling | None:
    kind = raw.get("rope_type") or raw.get("type") or "default"
    if kind == "default":
        return None
    if kind != "llama3":
        raise VeriserveError(f"The rope scaling `{kind}` is not computed here", where=where)
    return RopeScaling(
        factor=raw["factor"],
        low_freq_factor=raw["low_freq_factor"],
        high_freq_factor=raw["high_freq_factor"],
        original_max_position=raw["original_max_position_embeddings"],
    )


@dataclass(frozen=True)
class EngineConfig:
    """How one worker runs its model.

    The KV pool holds ``kv_tokens`` tokens in pages of ``page_size``; a step takes at most ``max_batch`` requests and
    ``max_step_tokens`` tokens (decode first, then chunks of prompts); a request ends with an error after
    ``deadline_s``. ``max_model_len`` 0 means what the model and the pool allow.
    """

    model: str = "smollm2"
    device: str = "cpu"
    dtype: str = "auto"
    page_size: int = 16
    kv_tokens: int = 16_384
    max_batch: int = 32
    max_step_tokens: int = 512
    max_model_len: int = 0
    attention: str = "auto"
    prefix_cache: bool = True
    deadline_s: float = 600.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.page_size not in PAGE_SIZES:
            raise VeriserveError(f"A page holds 1, 16 or 64 tokens, not {self.page_size}", todo="Set --page-size")
        if self.dtype not in ("auto", *DTYPES):
            raise VeriserveError(f"The dtype is {self.dtype}", todo=f"Take auto, {' or '.join(DTYPES)}")
        for name, least in (("kv_tokens", self.page_size), ("max_batch", 1), ("max_step_tokens", 1)):
            if getattr(self, name) < least:
                raise VeriserveError(f"`{name}` is {getattr(self, name)}", todo=f"It must be at least {least}")
        if self.device.startswith("cuda") and not torch.cuda.is_available():
            raise VeriserveError("This torch sees no CUDA device", todo="Start with --device cpu")

    @property
    def num_pages(self) -> int:
        """Pages in the KV pool."""
        return self.kv_tokens // self.page_size

    @property
    def torch_dtype(self) -> torch.dtype:
        """fp32 on a CPU, where it makes a token independent of how it was batched; bf16 on CUDA."""
        if self.dtype == "auto":
            return torch.float32 if self.device == "cpu" else torch.bfloat16
        return DTYPES[self.dtype]
