"""One decode instance and its prefill ranks, wired together; requests are handed to both as the router does."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import engine
import instrument
import nixl_stand_in
from gates import Actor, Gates
from transport import Network, TransferEngine
from wire import Wire

OTHER_MARK = 200


class Prefill:
    """One prefill rank: its real bootstrap queue, manager, pools and scheduler methods."""

    def __init__(self, world: World, number: int) -> None:
        sg, self.name = world.sg, f"p{number + 1}"
        self.pools = engine.Pools(sg, world.tokens * len(world.reqs), 1, decode=False)

        class PrefillScheduler(sg.prefill.SchedulerDisaggregationPrefillMixin):  # type: ignore[misc,name-defined]
            abort_request = sg.scheduler.Scheduler.abort_request
            if hasattr(sg.scheduler.Scheduler, "process_pending_chunked_abort"):
                process_pending_chunked_abort = sg.scheduler.Scheduler.process_pending_chunked_abort

        self.scheduler = PrefillScheduler()
        mode = sg.utils.DisaggregationMode.PREFILL
        vars(self.scheduler).update(engine.common_scheduler(sg, world.arguments, self.pools, number, mode))
        self.scheduler.model_config.get_total_num_kv_heads = lambda: len(world.names)
        world.parallel.attn_tp_size, world.parallel.attn_tp_rank = len(world.names), number
        world.building = self.name
        self.queue = sg.prefill.PrefillBootstrapQueue(
            token_to_kv_pool=self.pools.kv, draft_token_to_kv_pool=None,
            req_to_metadata_buffer_idx_allocator=self.pools.slots, metadata_buffers=self.pools.metadata, tp_rank=number,
            tp_size=len(world.names), gpu_id=0, bootstrap_port=world.arguments.disaggregation_bootstrap_port,
            gloo_group=world.group, max_total_num_tokens=self.pools.allocator.size, scheduler=self.scheduler, pp_rank=0,
            pp_size=1, transfer_backend=world.backend,
        )  # fmt: skip
        self.scheduler.disagg_prefill_bootstrap_queue = self.queue
        self.scheduler.disagg_prefill_inflight_queue = []
        self.scheduler.disagg_prefill_pending_chunk_rids = set()
        self.scheduler.attn_cp_cpu_group = self.scheduler.attn_tp_cpu_group = world.group
        self.manager = self.queue.kv_manager
        instrument.wrap_tables(self.manager, world.gates)
        if world.network.handles > 1 and not world.nixl:
            self.manager.enable_custom_mem_pool, self.manager.custom_mem_pool_type = True, "NVLINK_OTHER"
        self.requests: dict[int, Any] = {}


class World:
    """Everything that a run needs; ``gates`` are closed once the two sides have shaken hands."""

    def __init__(self, constants: dict[str, Any], folder: str, *, deferred: bool, nixl: bool) -> None:
        engine.prepare_environment(deferred=deferred)
        self.sg = sg = engine.import_engine()
        self.deferred, self.nixl = deferred, nixl
        self.backend = sg.utils.TransferBackend.NIXL if nixl else sg.utils.TransferBackend.MOONCAKE
        self.names: list[str] = list(constants["Ranks"])
        self.reqs: list[int] = [int(i) for i in constants["Reqs"]]
        self.chunks: list[int] = [int(c) for c in constants["Chunks"]]
        self.handles: list[int] = [int(h) for h in constants["Handles"]]
        self.room_reuse = bool(constants.get("RoomReuse"))
        self.tokens = engine.TOKENS_A_CHUNK * len(self.chunks)
        self.gates = Gates()
        self.wire = Wire(self.gates, self.names)
        calls = len(self.handles) if nixl or len(self.names) == 1 else 2
        self.network = Network(self.gates, len(self.handles), calls)
        self.group = engine.one_process_group(sg.torch, folder)
        self.arguments = engine.server_arguments(engine.free_port())
        self.parallel = engine.parallel_context()
        self.building = ""
        self._before = set(threading.enumerate())
        engine.install_context(sg, self.arguments, self.parallel)
        self._stand_in_transport()
        sg.prefill.poll_and_all_reduce_attn_cp_tp_group = self._poll_all_ranks
        self.bootstrap = sg.mooncake.MooncakeKVBootstrapServer(
            "127.0.0.1", self.arguments.disaggregation_bootstrap_port
        )
        engine.wait_for(self._answers, "The bootstrap server's first answer")
        self.prefill = {f"p{n + 1}": Prefill(self, n) for n in range(len(self.names))}
        self._build_decode()
        self.actor = Actor(self.gates, "scheduler")
        self.clock = sg.decode.time.monotonic
        self.checks = hasattr(sg.common.CommonKVReceiver, "_send_abort_notification")
        counts_late = hasattr(self.prefill["p1"].manager, "_staging_outstanding") and not hasattr(
            sg.common.CommonKVManager, "register_deferred_ack_target"
        )
        # Stops at which the model tells apart more steps than this revision has.
        self.ambiguous = set() if counts_late else {"look"}
        if not (deferred and hasattr(sg.common.CommonKVManager, "note_abort_ack")):
            self.ambiguous.add("take")
        self.settled = False
        # Requests whose metadata the control thread of a rank has read.
        self.met: dict[str, set[int]] = {name: set() for name in self.names}
        self.turned = dict.fromkeys(self.names, False)
        self.concluded: dict[str, set[int]] = {name: set() for name in self.names}
        self.transferred: list[Any] = []
        self.decode_requests: dict[int, Any] = {}
        self.receivers: dict[int, Any] = {}
        self.other: Any = None
        self.other_served = False
        self.arrive(self.reqs[0])
        engine.wait_for(
            lambda: all(rank.manager.decode_kv_args_table for rank in self.prefill.values()),
            "Decode's registration at prefill",
        )
        self.gates.close()
        self.gates.settle_down(
            ["manager", *(f"{kind} {name}" for name in self.names for kind in ("worker", "control"))]
        )

    def _stand_in_transport(self) -> None:
        sg, network, ports = self.sg, self.network, iter(range(1, 100))
        conn, manager = (sg.nixl, sg.nixl.NixlKVManager) if self.nixl else (sg.mooncake, sg.mooncake.MooncakeKVManager)
        instrument.wrap_classes(conn, manager, sg.common, self.gates, self.wire)
        if not self.nixl:
            conn.get_mooncake_transfer_engine = lambda: TransferEngine(network, self.building, next(ports))
            return
        nixl_stand_in.install(network, lambda: self.building)
        if network.handles > 1:
            instrument.mix_memory_kinds(manager, sg.utils.DisaggregationMode.DECODE)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.arguments.disaggregation_bootstrap_port)) == 0

    def _poll_all_ranks(self, pollers: list[Any], *groups: Any) -> list[int]:
        """The least status over all prefill ranks, as their all-reduce gives it."""
        least = []
        for poller in pollers:
            peers = [
                rank.requests[i].disagg_kv_sender
                for rank in self.prefill.values()
                for i in rank.requests
                if rank.requests[i].bootstrap_room == poller.bootstrap_room
                and getattr(rank.requests[i], "vstack_number", 0) == poller.vstack_number
            ]
            least.append(min(int(peer.poll()) for peer in peers))
        return least

    def _build_decode(self) -> None:
        sg = self.sg
        self.parallel.attn_tp_size, self.parallel.attn_tp_rank = 1, 0
        self.building = "d"
        self.pools = pools = engine.Pools(sg, self.tokens, len(self.names), decode=True)

        class DecodeScheduler(sg.decode.SchedulerDisaggregationDecodeMixin):  # type: ignore[misc,name-defined]
            abort_request = sg.scheduler.Scheduler.abort_request

        self.scheduler = DecodeScheduler()
        mode = sg.utils.DisaggregationMode.DECODE
        vars(self.scheduler).update(engine.common_scheduler(sg, self.arguments, pools, 0, mode))
        self.transfers = sg.decode.DecodeTransferQueue(
            gloo_group=self.group, req_to_metadata_buffer_idx_allocator=pools.slots, tp_rank=0,
            metadata_buffers=pools.metadata, scheduler=self.scheduler, tree_cache=pools.tree,
        )  # fmt: skip
        self.preallocs = sg.decode.DecodePreallocQueue(
            req_to_token_pool=pools.requests, token_to_kv_pool_allocator=pools.allocator, draft_token_to_kv_pool=None,
            req_to_metadata_buffer_idx_allocator=pools.slots, metadata_buffers=pools.metadata, scheduler=self.scheduler,
            transfer_queue=self.transfers, tree_cache=pools.tree, gloo_group=self.group, tp_rank=0, tp_size=1, dp_size=1,
            gpu_id=0, bootstrap_port=self.arguments.disaggregation_bootstrap_port, max_total_num_tokens=self.tokens,
            pp_rank=0, num_reserved_decode_tokens=0, transfer_backend=self.backend,
        )  # fmt: skip
        self.scheduler.disagg_decode_prealloc_queue = self.preallocs
        self.scheduler.disagg_decode_transfer_queue = self.transfers
        self.manager = self.preallocs.kv_manager
        pointers, lengths, _ = pools.kv.get_contiguous_buf_infos()
        self.network.regions = list(zip(pointers, lengths, strict=True))

    def room(self, i: int) -> int:
        return 101 if self.room_reuse else 100 + i

    def arrive(self, i: int) -> None:
        """The router hands request ``i`` to decode and to every prefill rank; both have memory for it at once."""
        sg = self.sg
        for rank in self.prefill.values():
            rank.requests[i] = self._prefill_request(rank, i)
        decode = self.decode_requests[i] = engine.request(sg, self.arguments, f"r{i}-", self.room(i), self.tokens)
        self.preallocs.add(decode)
        self.preallocs._resolve_pending_reqs()
        self.receivers[i] = self.preallocs.queue[-1].kv_receiver

    def _prefill_request(self, rank: Prefill, i: int) -> Any:
        sg, pools = self.sg, rank.pools
        req = engine.request(sg, self.arguments, f"r{i}-", self.room(i), self.tokens)
        rank.queue.add(req, 1)
        req.vstack_number = req.disagg_kv_sender.vstack_number = i
        pools.requests.alloc([req])
        slots = pools.allocator.alloc(self.tokens)
        pools.requests.write((req.req_pool_idx, slice(0, self.tokens)), slots.to(sg.torch.int32))
        for buffer in (pools.kv.k_buffer[0], pools.kv.v_buffer[0]):
            buffer[slots] = i
        req.kv_committed_len = self.tokens
        if hasattr(sg.batch, "ReqKvInfo"):
            req.kv = sg.batch.ReqKvInfo(kv_allocated_len=self.tokens, swa_evicted_seqlen=0)
        else:
            req.kv_allocated_len = self.tokens
        req.output_ids.append(1)
        return req

    def name_threads(self) -> tuple[str, ...]:
        """Give the threads that SGLang started, and never stops, names that say so."""
        for thread in threading.enumerate():
            if thread not in self._before and thread is not self.actor.thread and not thread.name.startswith("sglang "):
                thread.name = f"sglang {thread.name}"
        return ("sglang ",)

    # ---- turns of prefill's scheduler

    def offer(self, k: str, i: int) -> None:
        """Rank ``k`` has computed the next chunk of request ``i`` and sends it."""
        rank = self.prefill[k]
        request = rank.requests[i]
        if request.pending_bootstrap:
            rank.queue.finalize_bootstrap(request)
            rank.queue.queue.remove(request)
        chunk = request.disagg_kv_sender.curr_idx // engine.TOKENS_A_CHUNK + 1
        end, last = chunk * engine.TOKENS_A_CHUNK, chunk == len(self.chunks)
        if hasattr(request, "set_extend_range"):
            request.set_extend_range(0, end)
        else:
            request.fill_ids = request.origin_input_ids[:end]
        if last:
            rank.scheduler.chunked_req = None
            rank.scheduler.disagg_prefill_inflight_queue.append(request)
        else:
            rank.scheduler.chunked_req = request
        rank.scheduler.send_kv_chunk(request, last_chunk=last)
        for item in self.queued(k):
            if not hasattr(item, "vstack_request"):
                item.vstack_request, item.vstack_chunk = i, chunk

    def conclude(self, k: str) -> list[int]:
        """Rank ``k`` looks at its inflight queue; the requests that it is through with."""
        done = [request.vstack_number for request in self.prefill[k].scheduler.process_disagg_prefill_inflight_queue()]
        self.concluded[k].update(done)
        return done

    def queued(self, k: str) -> list[Any]:
        return [item for queue in self.prefill[k].manager.transfer_queues for item in queue.waiting()]

    # ---- names

    def request_of(self, room: int) -> int:
        """The newest request of a room."""
        return max(i for i in self.decode_requests if self.room(i) == room)

    def newer(self, i: int) -> bool:
        """Whether the room of request ``i`` has come again."""
        return self.room_reuse and any(j > i for j in self.decode_requests)

    def settled_before(self, i: int) -> bool:
        """Whether the router may hand out request ``i``: both sides are through with the one before.

        A room whose entry says success ends prefill's scheduler, which is no part of the model.
        """
        before = self.decode_requests.get(i - 1)
        if before is None or before in self.transferred or any(i - 1 not in done for done in self.concluded.values()):
            return False
        success = self.sg.KVPoll.Success
        if any(dict.get(rank.manager.request_status, self.room(i)) == success for rank in self.prefill.values()):
            return False
        held = [entry[0].req for entry in getattr(self.transfers, "_deferred_releases", ())]
        queued = [entry.req for queue in (self.preallocs.queue, self.transfers.queue) for entry in queue]
        return before not in held and before not in queued

    def new_request(self, name: str, room: int) -> Any:
        return engine.request(self.sg, self.arguments, name, room, self.tokens)

    # ---- the end

    def run_freely(self, seconds: float) -> None:
        """Open all gates and let both schedulers take turns until nothing moves any more."""
        self.network.free = True
        self.gates.open()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for k in self.names:
                self.conclude(k)
            if hasattr(self.transfers, "resolve_deferred_releases"):
                self.transfers.resolve_deferred_releases()
            self.transferred.extend(self.transfers.pop_transferred())
            time.sleep(0.05)
        self.settled = True

    def shut(self) -> None:
        self.network.free = True
        self.gates.open()
        self.actor.end()
        self.bootstrap.close()
