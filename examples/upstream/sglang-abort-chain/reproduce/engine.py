"""SGLang's disaggregation control plane in one process on a CPU: one decode instance, one or more prefill ranks."""

from __future__ import annotations

import os
import socket
import time
from array import array
from types import SimpleNamespace as Bag
from typing import Any

TOKENS_A_CHUNK = 2
_HEAD_BYTES = 8


def prepare_environment(*, deferred: bool) -> None:
    """Settings that SGLang reads at import; must come first."""
    os.environ |= {
        "SGLANG_HOST_IP": "127.0.0.1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "SGLANG_DISAGGREGATION_QUEUE_SIZE": "1",
        "SGLANG_DISAGGREGATION_THREAD_POOL_SIZE": "4",
        "SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE": "1" if deferred else "0",
        "HF_HUB_OFFLINE": "1",
    }


def import_engine() -> Bag:
    """SGLang's modules; torchvision's two operators are only declared, since its compiled part is for another torch."""
    import torch

    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import sglang.srt.disaggregation.common.conn as common
    import sglang.srt.disaggregation.mooncake.conn as mooncake
    import sglang.srt.disaggregation.nixl.conn as nixl
    import sglang.srt.managers.schedule_batch as batch
    import sglang.srt.mem_cache.common as cache
    import sglang.srt.mem_cache.memory_pool as pool
    from sglang.srt.disaggregation import decode, prefill, utils
    from sglang.srt.disaggregation.base import KVPoll
    from sglang.srt.managers import scheduler
    from sglang.srt.managers.io_struct import AbortReq
    from sglang.srt.mem_cache.allocator import TokenToKVPoolAllocator
    from sglang.srt.mem_cache.cache_init_params import CacheInitParams
    from sglang.srt.mem_cache.chunk_cache import ChunkCache
    from sglang.srt.sampling.sampling_params import SamplingParams
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

    return Bag(
        torch=torch, library=library, common=common, decode=decode, mooncake=mooncake, nixl=nixl, prefill=prefill, utils=utils,
        batch=batch, scheduler=scheduler, cache=cache, pool=pool, KVPoll=KVPoll, AbortReq=AbortReq,
        Allocator=TokenToKVPoolAllocator, CacheInitParams=CacheInitParams, ChunkCache=ChunkCache,
        SamplingParams=SamplingParams, SpeculativeAlgorithm=SpeculativeAlgorithm,
    )  # fmt: skip


def one_process_group(torch: Any, folder: str) -> Any:
    """A gloo group of this process alone, for the polls that ranks agree on."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/gloo", world_size=1, rank=0)
    return torch.distributed.group.WORLD


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def server_arguments(port: int) -> Bag:
    """The few of SGLang's server arguments that this part of it reads."""
    return Bag(
        host="127.0.0.1", port=port, disaggregation_bootstrap_port=port, dist_init_addr=None, enable_dp_attention=False,
        dp_size=1, pp_size=1, tp_size=1, enable_trace=False, kv_cache_dtype="auto", load_balance_method="follow_bootstrap_room",
        disaggregation_ib_device=None, disaggregation_decode_enable_radix_cache=False, disaggregation_transfer_backend="mooncake",
        page_size=1, speculative_algorithm=None, strip_thinking_cache=False, disable_radix_cache=True,
        disaggregation_decode_retraction_backup=None, nnodes=1, disaggregation_mode="decode", chunked_prefill_size=8192,
        enable_hisparse=False, enable_unified_memory=False,
    )  # fmt: skip


def install_context(sg: Bag, arguments: Bag, parallel: Bag) -> None:
    """Stand in for the parallel groups and the published server arguments, in every module that reads them."""
    modules = (sg.common, sg.decode, sg.mooncake, sg.nixl, sg.prefill, sg.utils, sg.scheduler, sg.cache, sg.batch)
    getters = {
        "get_parallel": lambda: parallel,
        "get_attention_tp_size": lambda: parallel.attn_tp_size,
        "get_attention_tp_rank": lambda: parallel.attn_tp_rank,
        "get_attention_cp_size": lambda: 1,
        "get_attention_cp_rank": lambda: 0,
        "get_attention_dp_size": lambda: 1,
        "get_attention_dp_rank": lambda: 0,
        "get_pp_group": lambda: None,
        "get_spec": lambda: arguments,
        "get_serving": lambda: arguments,
        "get_memory": lambda: arguments,
        "get_disagg": lambda: arguments,
        "get_schedule": lambda: arguments,
        "get_global_server_args": lambda: arguments,
        "get_server_args": lambda: arguments,
    }
    for module in modules:
        for name, getter in getters.items():
            if hasattr(module, name):
                setattr(module, name, getter)


def parallel_context() -> Bag:
    return Bag(
        attn_tp_size=1, attn_tp_rank=0, attn_cp_size=1, attn_cp_rank=0, attn_dcp_size=1, attn_dcp_rank=0, dp_size=1,
        enable_dp_attention=False, nnodes=1, enable_dsa_cache_layer_split=False, pp_size=1, pp_rank=0,
        load_balance_method="follow_bootstrap_room", enable_prefill_context_parallel=False, tp_size=1, tp_rank=0,
    )  # fmt: skip


class Pools:
    """The real request table, KV pool and allocator of one instance, with room for exactly ``tokens`` tokens."""

    def __init__(self, sg: Bag, tokens: int, heads: int, *, decode: bool) -> None:
        torch = sg.torch
        self.kv = sg.pool.MHATokenToKVPool(
            size=tokens, page_size=1, dtype=torch.uint8, head_num=heads, head_dim=_HEAD_BYTES, layer_num=1,
            device="cpu", enable_memory_saver=False, enable_alt_stream=False,
        )  # fmt: skip
        self.allocator = sg.Allocator(tokens, torch.uint8, "cpu", self.kv, need_sort=False)
        table: dict[str, Any] = {"size": 4, "max_context_len": 64, "device": "cpu", "enable_memory_saver": False}
        self.requests = (
            sg.decode.DecodeReqToTokenPool(**table, pre_alloc_size=4) if decode else sg.pool.ReqToTokenPool(**table)
        )
        self.tree = sg.ChunkCache(
            sg.CacheInitParams(
                disable=True, req_to_token_pool=self.requests, token_to_kv_pool_allocator=self.allocator, page_size=1
            )
        )
        self.metadata = sg.utils.MetadataBuffers(8, 16, torch.float32)
        self.slots = sg.utils.ReqToMetadataIdxAllocator(8)

    def free(self) -> set[int]:
        """Token slots that the allocator would hand out."""
        return {int(slot) for pages in (self.allocator.free_pages, self.allocator.release_pages) for slot in pages}

    def of(self, request: Any, tokens: int) -> set[int]:
        """Token slots of a request, by the request table; none once the request has given up its row."""
        if request is None or request.req_pool_idx is None:
            return set()
        return {int(slot) for slot in self.requests.req_to_token[request.req_pool_idx, :tokens]}


def common_scheduler(sg: Bag, arguments: Bag, pools: Pools, rank: int, mode: Any) -> dict[str, Any]:
    """What `Scheduler.abort_request` and the queues read of a scheduler."""
    model = Bag(num_hidden_layers=1, get_total_num_kv_heads=lambda: pools.kv.head_num)
    size = pools.allocator.size
    runner = Bag(max_token_pool_size=size, effective_max_total_num_tokens=size, kv_cache_dtype_str="auto")
    return {
        "server_args": arguments, "disaggregation_mode": mode, "model_config": model,
        "ps": Bag(pp_size=1, dp_rank=0, gpu_id=0, tp_rank=rank, tp_size=1, pp_rank=0),
        "tp_worker": Bag(is_hybrid_swa=False, model_runner=runner), "tp_rank": rank,
        "running_batch": Bag(reqs=[]), "last_batch": None, "cur_batch": None, "waiting_queue": [], "chunked_req": None,
        "_pending_chunked_abort_req": None, "dllm_config": None, "enable_hisparse": False, "enable_decode_hicache": False,
        "enable_hicache_storage": False, "enable_priority_scheduling": False, "enable_staging": False, "enable_overlap": False,
        "output_streamer": Bag(stream_output=lambda *args, **options: None), "metrics_reporter": Bag(enable_metrics=False),
        "ipc_channels": Bag(send_to_tokenizer=Bag(send_output=lambda *args: None)),
        "grammar_manager": Bag(abort_requests=lambda request: None), "spec_algorithm": sg.SpeculativeAlgorithm.NONE,
        "req_to_token_pool": pools.requests, "token_to_kv_pool_allocator": pools.allocator, "tree_cache": pools.tree,
        "req_to_metadata_buffer_idx_allocator": pools.slots, "disagg_metadata_buffers": pools.metadata,
    }  # fmt: skip


def request(sg: Bag, arguments: Bag, name: str, room: int, tokens: int) -> Any:
    """A real request of ``tokens`` prompt tokens that asks for nothing more."""
    return sg.batch.Req(
        name, "", array("q", range(tokens)), sg.SamplingParams(max_new_tokens=0), bootstrap_host="127.0.0.1",
        bootstrap_port=arguments.disaggregation_bootstrap_port, bootstrap_room=room, vocab_size=100,
    )  # fmt: skip


def wait_for(ready: Any, what: str, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise RuntimeError(f"{what} did not happen within {seconds:g} s")
        time.sleep(0.01)
