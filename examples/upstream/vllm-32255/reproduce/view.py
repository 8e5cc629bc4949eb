"""The model's variables, read from vLLM's real objects (and from the clients and the network that stand in)."""

from __future__ import annotations

from nixl_stand_in import NETWORK
from vllm.v1.request import RequestStatus

NONE = "None"
PHASES = {
    "poll": "input",
    "sleep": "input",
    "schedule": "schedule",
    "peek": "schedule",
    "retry": "schedule",
    "planned": "schedule",
    "aborts": "output",
    "abort": "output",
    "update": "output",
    "report": "kv",
}
# The event of a gate that the engine's thread comes to, and of what `schedule()` did with a waiting request.
ARRIVED = {"schedule": "schedule", "result": "execute_model", "report": "update_from_output"}
TREATED = {
    ("loading", "running"): "schedule.admitted",
    ("loading", "waiting"): "schedule.retried",
    ("waiting", "loading"): "schedule.load",
    ("waiting", "running"): "schedule.local",
}
STATUSES = {
    RequestStatus.WAITING: "waiting",
    RequestStatus.WAITING_FOR_REMOTE_KVS: "loading",
    RequestStatus.RUNNING: "running",
}


class View:
    """Reads the state; block names of the model are given to the pool's blocks as they are first allocated."""

    def __init__(self, requests, names, core, thread, worker, hooks, world):
        self.requests, self.names, self.scheduler = requests, names, core.scheduler
        self.thread, self.worker, self.hooks, self.world = thread, worker, hooks, world
        self.wanted: str | None = None
        self._named: dict[int, str] = {}
        self._statuses, self._left = self.statuses(), set()

    def number(self, request) -> int:
        """The model's number of a Request object."""
        return self.hooks.numbers[id(request)]

    def phase(self) -> str:
        """Where the engine's step stands, by the gates of its two threads."""
        at = self.thread.at
        if at[0] == "ended":
            return "dead"
        if at[0] == "result":
            worker = self.worker.gated.at[0]
            return {"received": "sent", "forward": "forward", "idle": "output"}[worker]
        return PHASES[at[0]]

    def statuses(self) -> dict[int, str]:
        return {r: self.status(r) for r in self.requests}

    def status(self, number: int) -> str:
        if number not in self.hooks.added:
            return "none"
        status = self.world.objects[number].status
        return "finished" if RequestStatus.is_finished(status) else STATUSES[status]

    def block(self, place: int) -> str:
        """The model's name of a block of the pool."""
        if place not in self._named:
            unused = [name for name in self.names if name not in self._named.values()]
            self._named[place] = self.wanted if self.wanted in unused else unused[0]
            self.wanted = None
        return self._named[place]

    def places(self, number: int) -> list[int]:
        """The pool's blocks that are allocated under the id of ``number``."""
        manager = self.scheduler.kv_cache_manager.coordinator.single_type_managers[0]
        return [block.block_id for block in manager.req_to_blocks.get(self.world.ids[number], [])]

    def owners(self) -> dict[str, object]:
        """For which request each block is allocated: by the manager's table, the pool's count, and the scheduler's table."""
        owner = dict.fromkeys(self.names, NONE)
        manager = self.scheduler.kv_cache_manager.coordinator.single_type_managers[0]
        for name, blocks in manager.req_to_blocks.items():
            holder = self.scheduler.requests.get(name)
            for block in blocks:
                if holder is None:
                    owner[self.block(block.block_id)] = "nobody in the table"
                elif self.number(holder):
                    owner[self.block(block.block_id)] = self.number(holder)
        for place, name in self._named.items():
            count = self.scheduler.kv_cache_manager.block_pool.blocks[place].ref_cnt
            if (count > 0) != (owner[name] != NONE):
                owner[name] = f"{owner[name]} with a count of {count}"
        return owner

    def contents(self) -> dict[str, object]:
        """Whose KV data lies in each block, by the bytes of the worker's buffer."""
        content = dict.fromkeys(self.names, NONE)
        for place, name in self._named.items():
            values = self.worker.values(place)
            if values != [0.0]:
                content[name] = int(values[0]) if len(values) == 1 else values
        return content

    def dest(self, number: int) -> int | None:
        """Where the load of ``number`` writes: as posted, or as planned by the connector."""
        for read in NETWORK.reads:
            if read.about == f"asked-{number}":
                return self.worker.block_at(read.pieces[0][0])
        planned = self._planned(number)
        return planned[0] if planned else None

    def _planned(self, number: int) -> list[int] | None:
        """The blocks of a load that the worker has not been told of yet."""
        for request, blocks in self.scheduler.connector.connector_scheduler._reqs_need_recv.values():
            if self.number(request) == number:
                return blocks
        if self.thread.at == ("result",) and self.worker.gated.at == ("received",):
            for meta in self.worker.step.kv_connector_metadata.reqs_to_recv.values():
                if meta.remote.request_id == f"asked-{number}":
                    return meta.local_block_ids
        return None

    def xfer(self, number: int) -> str:
        """Where the load of ``number`` stands: by the connector's two sides, the step on its way, and the reads posted."""
        request = self.world.objects.get(number)
        if request is None or request.kv_transfer_params["do_remote_prefill"]:
            return "none"
        planned = self._planned(number)
        if planned is not None:
            return "planned" if planned else "empty"
        connector, name = self.worker.connector, self.world.ids[number]
        for handle in connector._recving_transfers.get(name, []):
            if NETWORK.reads[handle].about == f"asked-{number}":
                return {"PROC": "flight", "DONE": "landed", "ERR": "failed"}[NETWORK.reads[handle].state]
        meta = connector._recving_metadata.get(name)
        if meta is not None and meta.remote.request_id == f"asked-{number}":
            return "failed" if name in connector._failed_recv_reqs else "asking"
        if request.num_cached_tokens == 0:
            return "local"
        # Once scheduled, fewer loaded tokens than the prompt has: some were given up after the load had ended.
        given_up = request.num_cached_tokens > 0 and request.num_external_computed_tokens < request.num_prompt_tokens
        return "redone" if given_up else "reaped"

    def reported(self) -> set[str]:
        """The ids whose load's end is in the step's output and not yet taken."""
        if self.phase() == "output":
            return set(self.worker.transfers.finished_recving)
        return set(set.__iter__(self.hooks.reports)) if self.phase() in ("kv", "dead") else set()

    def observe(self) -> dict:
        """Every variable of the model."""
        scheduler, world, transfers = self.scheduler, self.world, self.worker.transfers
        known = {f"req-{r}": r for r in self.requests}
        table = {r: scheduler.requests.get(name) for name, r in known.items()}
        dests = {r: self.dest(r) for r in self.requests}
        bad = transfers.invalid_block_ids if transfers else ()
        return {
            "phase": self.phase(),
            "fate": {str(r): world.fate(r) for r in self.requests},
            "idOf": {str(r): known[world.ids[r]] for r in self.requests},
            "entry": {str(i): NONE if held is None else self.number(held) for i, held in table.items()},
            "status": {str(r): self.status(r) for r in self.requests},
            "owner": self.owners(),
            "content": self.contents(),
            "xfer": {str(r): self.xfer(r) for r in self.requests},
            "dest": {str(r): NONE if place is None else self.block(place) for r, place in dests.items()},
            "recvDone": sorted(known[name] for name in scheduler.finished_recving_kv_req_ids),
            "failed": sorted(known[name] for name in scheduler.failed_recving_kv_req_ids),
            "report": sorted(known[name] for name in self.reported()),
            "badBlocks": sorted(self.block(place) for place in bad),
            "aborts": sorted(r for r in world.gone if r not in self.hooks.aborted),
            "flush": bool(scheduler.finished_req_ids),
            "peerUp": world.peer_up,
        }

    def happened(self, thread, before: tuple) -> list[tuple[str, dict]]:
        """The events of a thread's move from the gate ``before`` to where it stands now, by what the real objects show."""
        after, events = thread.at, []
        statuses, left = self.statuses(), self.reported()
        if thread is self.worker.gated:
            events += [("worker.posted", {})] if after[0] == "forward" else []
            events += [("worker.polled", {})] if before[0] == "forward" else []
        elif before[0] in ("peek", "retry") and self.number(before[1]):
            r = self.number(before[1])
            name = TREATED.get((self._statuses[r], statuses[r]))
            if name:
                blocks = {"k": self.block(self.places(r)[0])} if name in ("schedule.load", "schedule.local") else {}
                events.append((name, {"r": r, **blocks}))
        elif before[0] == "report":
            taken = sorted(self._left - left)
            if after[0] == "ended":
                events.append(("kv_xfer.asserted", {"i": _number(self.hooks.reports.taken)}))
            elif not taken:
                events.append(("step.ended", {}))
            for name in taken:
                recorded = name in self.scheduler.finished_recving_kv_req_ids
                events.append((f"kv_xfer.{'recorded' if recorded else 'freed'}", {"i": _number(name)}))
        elif after[0] != before[0]:
            name = ARRIVED.get(after[0])
            events += [(name, {})] if name else []
        self._statuses, self._left = statuses, left
        return events


def _number(name: str) -> int:
    return int(name.removeprefix("req-"))
