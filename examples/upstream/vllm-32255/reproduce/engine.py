"""vLLM's own engine core on a CPU: what is real, and the worker that stands in for the model runner.

Real: EngineCore.__init__ and EngineCoreProc's busy loop, Scheduler,
KVCacheManager, BlockPool, Request, both sides of NixlConnector, the model
runner's connector mixin, the prefill side's handshake listener. Stand-ins: the
NIXL library (nixl_stand_in), the executor with one worker in a thread whose
forward pass writes each token's number as its KV data, and the sockets between
front end and engine (their two queues are real).
"""

from __future__ import annotations

import os
import socket

import nixl_stand_in
from gates import Gated

nixl_stand_in.install()

import torch
import vllm.platforms
from vllm.platforms.cpu import CpuPlatform

# Nothing compiled is there to detect the platform by.
vllm.platforms._current_platform = CpuPlatform()

from transformers import OPTConfig
from vllm.config import (
    CacheConfig,
    DeviceConfig,
    KVTransferConfig,
    ModelConfig,
    SchedulerConfig,
    VllmConfig,
    set_current_vllm_config,
)
from vllm.distributed import (
    cleanup_dist_env_and_memory,
    ensure_model_parallel_initialized,
    init_distributed_environment,
)
from vllm.distributed.kv_transfer import (
    ensure_kv_transfer_initialized,
    ensure_kv_transfer_shutdown,
    get_kv_transfer_group,
)
from vllm.distributed.kv_transfer.kv_connector.v1.nixl_connector import (
    NixlConnectorScheduler,
    NixlConnectorWorker,
)
from vllm.forward_context import set_forward_context
from vllm.model_executor.models import ModelRegistry
from vllm.model_executor.models.opt import OPTForCausalLM
from vllm.v1.engine.core import EngineCore, EngineCoreProc
from vllm.v1.executor.abstract import Executor
from vllm.v1.kv_cache_interface import FullAttentionSpec
from vllm.v1.outputs import ModelRunnerOutput
from vllm.v1.worker.kv_connector_model_runner_mixin import KVConnectorModelRunnerMixin

BLOCK, HEAD, LAYER = 16, 32, "model.layers.0.attn"
# The last slot of a block is computed anew when a loaded request is scheduled; the others are only loaded.
LOADED = BLOCK - 1


def configuration(folder: str, blocks: int) -> VllmConfig:
    """A decode engine with one tiny layer and ``blocks`` KV blocks (the null block included)."""
    model = OPTConfig(
        vocab_size=64,
        hidden_size=HEAD,
        word_embed_proj_dim=HEAD,
        ffn_dim=HEAD,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=2 * BLOCK,
        architectures=["OPTForCausalLM"],
        dtype="float32",
    )
    model.save_pretrained(os.path.join(folder, "model"))
    # Known by its class: else vLLM imports it once more, in a process of its own.
    ModelRegistry.register_model("OPTForCausalLM", OPTForCausalLM)
    length = 2 * BLOCK
    return VllmConfig(
        model_config=ModelConfig(
            model=os.path.join(folder, "model"), skip_tokenizer_init=True, dtype="float32", max_model_len=length, seed=0
        ),
        scheduler_config=SchedulerConfig(
            max_num_seqs=16,
            max_num_batched_tokens=16 * BLOCK,
            max_model_len=length,
            is_encoder_decoder=False,
            async_scheduling=False,
        ),
        cache_config=CacheConfig(block_size=BLOCK, enable_prefix_caching=True, num_gpu_blocks_override=blocks),
        kv_transfer_config=KVTransferConfig(kv_connector="NixlConnector", kv_role="kv_both", kv_buffer_device="cpu"),
        device_config=DeviceConfig("cpu"),
    )


def buffer(worker: NixlConnectorWorker, blocks: int) -> torch.Tensor:
    """A KV buffer of the shape the attention backend asks for: (K and V, blocks, heads, slots, head size)."""
    return torch.zeros(worker.kv_topo.attn_backend.get_kv_cache_shape(blocks, BLOCK, 1, HEAD))


class Worker:
    """The decode engine's worker: the real connector around a forward pass that stands in for the model.

    ``output`` is the output of the last step, None while it runs; ``transfers``
    its part about loads; ``reads`` is what the last forward pass read of each request's loaded KV
    data: request id -> (block id, values).
    """

    def __init__(self, config: VllmConfig, seconds: float):
        self.config = config
        self.step = self.output = self.transfers = None
        self.reads: dict[str, tuple[int, list[float]]] = {}
        self._rows: dict[str, tuple[list[int], list[int]]] = {}
        ensure_kv_transfer_initialized(config)
        self.connector = get_kv_transfer_group().connector_worker
        self.kv = buffer(self.connector, config.cache_config.num_gpu_blocks_override)
        get_kv_transfer_group().register_kv_caches({LAYER: self.kv})
        self.gated = Gated("worker", self._run, seconds)
        self.gated.start()

    def _run(self) -> None:
        while True:
            self.gated.gate("idle")
            self.output = None
            self.gated.gate("received")
            self.output = self._execute(self.step)

    def _execute(self, step) -> ModelRunnerOutput:
        context = set_forward_context(None, self.config)
        with context, KVConnectorModelRunnerMixin._get_kv_connector_output(step) as transfers:
            ids = self._forward(step)
            self.gated.gate("forward")
        self.transfers = transfers
        return ModelRunnerOutput(
            req_ids=ids,
            req_id_to_index={name: place for place, name in enumerate(ids)},
            sampled_token_ids=[[self._rows[name][0][-1]] for name in ids],
            kv_connector_output=transfers,
        )

    def _forward(self, step) -> list[str]:
        """Write the KV data of the scheduled tokens, and read what the request has in its block."""
        self.reads = {}
        starts = {}
        for new in step.scheduled_new_reqs:
            self._rows[new.req_id] = (list(new.prompt_token_ids), list(new.block_ids[0]))
            starts[new.req_id] = new.num_computed_tokens
        cached = step.scheduled_cached_reqs
        starts.update(zip(cached.req_ids, cached.num_computed_tokens, strict=True))
        for name, count in step.num_scheduled_tokens.items():
            tokens, blocks = self._rows[name]
            for place in range(starts[name], min(starts[name] + count, len(tokens))):
                self.kv[:, blocks[place // BLOCK], :, place % BLOCK] = float(tokens[place])
            self.reads[name] = (blocks[0], self.values(blocks[0]))
        return list(step.num_scheduled_tokens)

    def values(self, block: int) -> list[float]:
        """The distinct numbers that the loaded slots of a block hold."""
        return sorted(set(self.kv[:, block, :, :LOADED].flatten().tolist()))

    def block_at(self, address: int) -> int:
        """The block that an address of the K or V buffer lies in."""
        for half in self.kv:
            place = (address - half.data_ptr()) // (half[0].numel() * half.element_size())
            if 0 <= place < half.shape[0]:
                return place
        raise ValueError(f"no block at {address:#x}")


class Pending:
    """What ``execute_model`` returns: the engine's thread waits here for the worker's output."""

    def __init__(self, engine: Gated, worker: Worker):
        self._engine, self._worker = engine, worker

    def result(self):
        self._engine.gate("result")
        return self._worker.output


class OneWorker(Executor):
    """The executor of the decode engine: one worker, whose thread runs beside the engine's."""

    worker: Worker
    engine: Gated

    def _init_executor(self) -> None:
        self.worker = OneWorker.worker

    def collective_rpc(self, method, timeout=None, args=(), kwargs=None, non_block=False):
        spec = FullAttentionSpec(block_size=BLOCK, num_kv_heads=1, head_size=HEAD, dtype=torch.float32)
        answers = {
            "get_kv_cache_spec": [{LAYER: spec}],
            "determine_available_memory": [1 << 20],
            # The decode engine serves no handshakes here: nobody reads from it.
            "get_kv_connector_handshake_metadata": [],
        }
        return answers.get(method, [None])

    def execute_model(self, scheduler_output, non_block=False):
        self.worker.step = scheduler_output
        return Pending(self.engine, self.worker)

    def check_health(self) -> None:
        pass


class Prefill:
    """A prefill instance that holds the KV data of one request: real worker side, real handshake listener."""

    def __init__(self, config: VllmConfig, number: int, token: int):
        self.name, self.asked = f"prefill-{number}", f"asked-{number}"
        self.worker = NixlConnectorWorker(config, self.name)
        self.kv = buffer(self.worker, 2)
        self.kv.fill_(float(token))
        self.worker.register_kv_caches({LAYER: self.kv})
        self._scheduler = NixlConnectorScheduler(config, self.name)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._scheduler.side_channel_port = self.port
        self._scheduler.set_xfer_handshake_metadata({0: self.worker.xfer_handshake_metadata})

    @property
    def parameters(self) -> dict:
        """What the prefill instance's answer tells the decode engine."""
        return {
            "do_remote_prefill": True,
            "do_remote_decode": False,
            "remote_engine_id": self.name,
            "remote_request_id": self.asked,
            "remote_block_ids": [1],
            "remote_host": "localhost",
            "remote_port": self.port,
            "tp_size": 1,
        }

    def stop(self) -> None:
        """Ask the listener to end; ``close`` waits for it."""
        self._scheduler._stop_event.set()

    def close(self) -> None:
        self._scheduler.shutdown()
        self.worker.shutdown()


def start(folder: str, blocks: int, seconds: float) -> tuple[EngineCoreProc, Gated, Worker, VllmConfig]:
    """Build the engine, its busy loop in a thread that has not started yet, and its worker."""
    config = configuration(folder, blocks)
    with set_current_vllm_config(config):
        init_distributed_environment(1, 0, f"file://{folder}/store", 0, "gloo")
        ensure_model_parallel_initialized(1, 1)
        worker = Worker(config, seconds)
        OneWorker.worker = worker
        core = object.__new__(EngineCoreProc)
        EngineCore.__init__(core, config, OneWorker, log_stats=False)
    core.engine_index, core.engines_running = 0, False
    OneWorker.engine = Gated("engine", core.run_busy_loop, seconds)
    return core, OneWorker.engine, worker, config


def stop(prefills: list[Prefill]) -> None:
    """Shut down the connectors and the process group."""
    for prefill in prefills:
        prefill.stop()
    for prefill in prefills:
        prefill.close()
    ensure_kv_transfer_shutdown()
    cleanup_dist_env_and_memory()
