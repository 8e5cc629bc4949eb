"""The model's logits through paged attention equal those of transformers, for both architectures and real weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from helpers import all_logits, prompt_of
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from veriserve.config import EngineConfig
from veriserve.engine import Engine
from veriserve.weights import Source, find_model

TOKENS = prompt_of(150)
COMMON = {
    "vocab_size": 49_152,
    "hidden_size": 96,
    "intermediate_size": 200,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
}
LLAMA3_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
REFERENCES = {
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**COMMON)),
    "llama-stretched": lambda: LlamaForCausalLM(
        LlamaConfig(**COMMON, rope_parameters=LLAMA3_ROPE, tie_word_embeddings=True)
    ),
    "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**COMMON, head_dim=32, tie_word_embeddings=False)),
}


@pytest.fixture(scope="module", params=REFERENCES)
def reference(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, smollm2: Source
) -> tuple[Path, torch.Tensor]:
    """A folder in Hugging Face's layout with random weights, in several shards, and its logits of TOKENS."""
    torch.manual_seed(1)
    model = REFERENCES[request.param]().eval()
    with torch.no_grad():  # norms that are all ones would hide one that is not applied
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.mul_(torch.rand_like(weight) + 0.5)
        logits = model(torch.tensor([TOKENS])).logits[0]
    folder = tmp_path_factory.mktemp(request.param)
    model.save_pretrained(folder, max_shard_size="10MB")
    smollm2.tokenizer.save(folder / "tokenizer.json")
    assert len(list(folder.glob("*.safetensors"))) > 1
    return folder, logits


@pytest.mark.parametrize("page_size", [1, 16, 64])
@pytest.mark.parametrize("chunks", [[150], [1, 70, 1, 1, 29, 48]], ids=["whole", "chunked"])
def test_logits_equal_the_reference(reference: tuple[Path, torch.Tensor], page_size: int, chunks: list[int]) -> None:
    folder, expected = reference
    engine = Engine(EngineConfig(str(folder), page_size=page_size, kv_tokens=256))
    torch.testing.assert_close(all_logits(engine, TOKENS, chunks), expected, atol=2e-5, rtol=1e-4)


def test_bf16_is_close_to_the_reference(reference: tuple[Path, torch.Tensor]) -> None:
    folder, expected = reference
    engine = Engine(EngineConfig(str(folder), dtype="bfloat16", kv_tokens=256))
    found = all_logits(engine, TOKENS, [150]).float()
    assert (found - expected).abs().max() < 0.05 * expected.abs().max()


def test_smollm2_equals_the_reference(smol_engine: Engine) -> None:
    """Dequantized, unpermuted and tokenized by transformers' own reading of the same file."""
    path = smol_engine.source.tensors.path
    reference = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    text = "The ship's 3 anchors weigh 4,500 kg; naïve čas 東京 — don't they?\n\n  Yes."
    tokens = smol_engine.tokenizer.encode(text)
    assert tokens == AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)(text)["input_ids"]
    with torch.no_grad():
        expected = reference(torch.tensor([tokens])).logits[0]
    torch.testing.assert_close(all_logits(smol_engine, tokens, [20, len(tokens) - 20]), expected, atol=2e-3, rtol=1e-3)


def test_random_weights_follow_from_the_seed() -> None:
    one, same, other = (find_model("random:tiny-qwen3", seed).tensors.read("x", (4, 4)) for seed in (1, 1, 2))
    assert torch.equal(one, same) and not torch.equal(one, other)
