"""A weights folder or GGUF file that is not what it should be is refused with one paragraph that names it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from veriserve.config import EngineConfig
from veriserve.engine import Engine
from veriserve.errors import RequestError, VeriserveError
from veriserve.weights import SHAPES, Source, find_model

SHAPE = {
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "tie_word_embeddings": True,
    "eos_token_id": [2, 5],
}


class Recorder(dict):
    """Random tensors that remember what was asked for."""

    def read(self, name: str, shape: tuple[int, ...]) -> torch.Tensor:
        return self.setdefault(name, torch.randn(shape))


@pytest.fixture
def folder(tmp_path: Path, smollm2: Source) -> Path:
    """A whole model in two shards."""
    (tmp_path / "config.json").write_text(json.dumps(SHAPE))
    smollm2.tokenizer.save(tmp_path / "tokenizer.json")
    source = find_model_like(tmp_path)
    tensors = Recorder()
    Source("x", source.config, smollm2.tokenizer, tensors).load(torch.float32, torch.device("cpu"), 64)
    names = sorted(tensors)
    shards = {"a.safetensors": names[:5], "b.safetensors": names[5:]}
    for shard, inside in shards.items():
        save_file({name: tensors[name] for name in inside}, tmp_path / shard)
    index = {"weight_map": {name: shard for shard, inside in shards.items() for name in inside}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    return tmp_path


def find_model_like(folder: Path) -> Source:
    """The folder's shape, before it has weights."""
    save_file({"x": torch.zeros(1)}, folder / "a.safetensors")
    return find_model(str(folder))


def change(folder: Path, shard: str, edit: Callable[[dict[str, torch.Tensor]], None]) -> None:
    tensors = load_file(folder / shard)
    edit(tensors)
    save_file(tensors, folder / shard)


def configure(folder: Path, **fields: object) -> None:
    (folder / "config.json").write_text(json.dumps(SHAPE | fields))


def test_the_whole_folder_loads(folder: Path) -> None:
    engine = Engine(EngineConfig(str(folder), kv_tokens=64))
    assert engine.max_len == 64 and engine.tokenizer.eos == (2, 5)


EMBEDDING = "model.embed_tokens.weight"
FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "wrong dtype": (
        lambda at: change(at, "b.safetensors", lambda t: t.update({k: v.to(torch.int8) for k, v in t.items()})),
        "is of torch.int8",
    ),
    "wrong shape": (
        lambda at: change(at, "a.safetensors", lambda t: t.update({EMBEDDING: torch.zeros(299, 32)})),
        r"shape \[299, 32\], the configuration says \[300, 32\]",
    ),
    "missing tensor": (lambda at: change(at, "a.safetensors", lambda t: t.pop(EMBEDDING)), f"no tensor `{EMBEDDING}`"),
    "missing shard": (lambda at: (at / "b.safetensors").unlink(), "shard of the weights can't be read"),
    "torn shard": (lambda at: (at / "b.safetensors").write_bytes((at / "b.safetensors").read_bytes()[:900]), "shard"),
    "no weights": (
        lambda at: [each.unlink() for each in (*at.glob("*.safetensors"), at / "model.safetensors.index.json")],
        "no safetensors",
    ),
    "other architecture": (lambda at: configure(at, architectures=["MambaForCausalLM"]), "MambaForCausalLM"),
    "other rope": (lambda at: configure(at, rope_scaling={"rope_type": "yarn"}), "yarn"),
    "biases": (lambda at: configure(at, attention_bias=True), "attention_bias"),
    "other activation": (lambda at: configure(at, hidden_act="gelu"), "gelu"),
    "no shape": (lambda at: (at / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}'), "vocab_size"),
    "torn config": (lambda at: (at / "config.json").write_text("{"), "config.json"),
    "no tokenizer": (lambda at: (at / "tokenizer.json").unlink(), "tokenizer"),
    "torn tokenizer": (lambda at: (at / "tokenizer.json").write_text("{"), "tokenizer"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_folder_is_refused(folder: Path, fault: str) -> None:
    spoil, told = FAULTS[fault]
    spoil(folder)
    with pytest.raises(VeriserveError, match=told) as error:
        Engine(EngineConfig(str(folder), kv_tokens=64))
    assert "\n" not in str(error.value).strip()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "can't be read"),
        (b"GGML" + b"\0" * 60, "begin as GGUF"),
        (b"GGUF\x03\0\0\0" + b"\xff" * 60, "can't be read"),
    ],
)
def test_what_is_no_gguf_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "x.gguf").write_bytes(content)
    with pytest.raises(VeriserveError, match=told):
        find_model(str(tmp_path / "x.gguf"))


def test_a_gguf_that_is_cut_short_is_refused(tmp_path: Path, smollm2: Source) -> None:
    (tmp_path / "x.gguf").write_bytes(smollm2.tensors.path.read_bytes()[:20_000_000])
    source = find_model(str(tmp_path / "x.gguf"))
    with pytest.raises(VeriserveError, match="cut short"):
        source.load(torch.float32, torch.device("cpu"), 64)


@pytest.mark.parametrize("spec", ["random:huge", "no/such/place"])
def test_an_unknown_model_is_refused(spec: str) -> None:
    with pytest.raises(VeriserveError):
        find_model(spec)


def test_every_named_shape_has_heads_that_divide() -> None:
    assert all(shape.num_heads % shape.num_kv_heads == 0 for shape in SHAPES.values())


def test_the_chat_template_is_the_models_own_or_refused(folder: Path, smollm2: Source) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    assert smollm2.tokenizer.render(messages) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    with pytest.raises(RequestError, match="no chat template"):
        find_model(str(folder)).tokenizer.render(messages)
    template = "{{ bos_token }}{% if messages|length > 1 %}{{ raise_exception('one only') }}{% endif %}{{ messages[0].content }}"
    settings = {"chat_template": template, "bos_token": {"content": "<s>"}}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "generation_config.json").write_text('{"eos_token_id": 7}')
    tokenizer = find_model(str(folder)).tokenizer
    assert tokenizer.render(messages[1:]) == "<s>Hi" and tokenizer.eos == (7,)
    with pytest.raises(RequestError, match="one only"):
        tokenizer.render(messages)
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ ''.__class__.__mro__ }}"}))
    with pytest.raises(RequestError, match="refuses"):
        find_model(str(folder)).tokenizer.render(messages)
