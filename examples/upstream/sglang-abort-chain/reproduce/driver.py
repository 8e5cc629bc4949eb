"""Drives SGLang's disaggregation control plane step by step: the model's actions as releases of real threads.

Real: prefill's and decode's Mooncake managers with their threads and ZeroMQ sockets, the bootstrap server, senders,
receivers, queues, request tables, KV pools and allocators, and the scheduler methods that work on them. Stood in for:
the transfer engine (bytes are copied when the driver says so), the rest of the scheduler object, parallel groups,
the model's forward pass.
"""

from __future__ import annotations

import random
from types import SimpleNamespace as Bag
from typing import Any

import observe as look
import verdicts
import workload
from gates import Parted
from world import OTHER_MARK, World


class Driver:
    """The actions, observations and verdicts of one run."""

    def __init__(self, case: Any) -> None:
        self.case = case
        self.world = World(
            case.constants,
            case.folder,
            deferred=bool(case.settings.get("flag")),
            nixl=case.settings.get("transport") == "nixl",
        )
        self.engine_threads = self.world.name_threads()
        self.gone: set[int] = set()
        self.passed = False
        self._last_event: int | None = None
        names = [
            "UserAborts",
            "Arrives",
            "OtherCommits",
            "DeadlinePasses",
            "HandleFails",
            "CallGivesUp",
            "Lands",
            "DAlloc",
            "DAllocOther",
            "DAbortEarly",
            "DAbort",
            "DAbortRest",
            "DPopAborted",
            "DPopFailed",
            "DCommit",
            "DResolve",
            "DReleaseLate",
            "DHear",
            "POffer",
            "PAbort",
            "PDrop",
            "PConclude",
            "WTake",
            "WCheck",
            "WSkip",
            "WCount",
            "WStart",
            "WDone",
            "WFail",
            "WFinish",
            "WAnswer",
            "CMeta",
            "CAbort",
            "CFirst",
            "CSecond",
            "CTry",
            "CInactive",
        ]
        self.actions = {name: getattr(self, name) for name in names}

    # ---- the world around the engines

    def UserAborts(self, i: int, **_: Any) -> None:
        self.gone.add(i)
        self._event("client.leaves", "client", i=i)

    def Arrives(self, i: int, **_: Any) -> None:
        self.world.arrive(i)
        self._event("request.arrives", "client", i=i)

    def OtherCommits(self, **_: Any) -> None:
        world = self.world
        for buffer in (world.pools.kv.k_buffer[0], world.pools.kv.v_buffer[0]):
            buffer[sorted(world.pools.of(world.other, world.tokens))] = OTHER_MARK
        world.other_served = True
        self._event("other.served", "client")

    def DeadlinePasses(self, i: int, **_: Any) -> None:
        """Time goes by for decode's clock, by as much as the hold is configured to last."""
        decode, plain = self.world.sg.decode, self.world.clock
        ahead = self.world.transfers.deferred_kv_release_timeout + 1
        decode.time = Bag(**{**vars(decode.time), "monotonic": lambda: plain() + ahead})
        self.passed = True
        self._event("clock.hold_expires", "clock", i=i)

    def HandleFails(self, w: list[Any], **_: Any) -> None:
        for write in self.world.network.find(w):
            write.failed, write.open = True, False
        self._event("transport.error", "transfer", w=w)

    def CallGivesUp(self, w: list[Any], **_: Any) -> None:
        for write in self.world.network.find(w):
            write.gave_up = True
        self._event("transport.gives_up", "transfer", w=w)

    def Lands(self, w: list[Any], **_: Any) -> None:
        for write in self.world.network.find(w):
            write.land()
        self._event("transport.lands", "transfer", w=w)

    # ---- decode's scheduler

    def DAlloc(self, i: int, **_: Any) -> None:
        def turn() -> None:
            ready, _failed = self.world.preallocs.pop_preallocated()
            self.world.transfers.extend(ready)

        self._scheduler(turn)
        self._decoded(i, "wait")
        self._event("pop_preallocated", "scheduler", i=i, b=look.BLOCK)

    def DAllocOther(self, **_: Any) -> None:
        world = self.world

        def turn() -> None:
            world.other = world.new_request("other", 999)
            world.preallocs._pre_alloc(world.other)

        self._scheduler(turn)
        self._event("pre_alloc.other", "scheduler", b=look.BLOCK)

    def DAbortEarly(self, i: int, **_: Any) -> None:
        def turn() -> None:
            self._abort(self.world.scheduler, i)
            self.world.preallocs.pop_preallocated()

        self._scheduler(turn)
        self._decoded(i, "released")
        self._event("abort_request.prealloc", "scheduler", i=i)

    def DAbort(self, i: int, **_: Any) -> None:
        self._scheduler(lambda: self._abort(self.world.scheduler, i))
        self._decoded(i, "aborting", "aborted")
        self._event("abort_request.transfer", "scheduler", i=i)

    def DAbortRest(self, i: int, **_: Any) -> None:
        self.world.actor.resume("arm")
        self._decoded(i, "aborted")
        self._event("register_deferred_abort_room", "scheduler", i=i)

    def DPopAborted(self, i: int, **_: Any) -> None:
        self._from(i, "aborted")
        self.pop(i)
        self._decoded(i, "held", "released")

    def DPopFailed(self, i: int, **_: Any) -> None:
        self._from(i, "wait")
        self.pop(i)
        self._decoded(i, "held", "released")

    def DCommit(self, i: int, **_: Any) -> None:
        self._from(i, "wait")
        self.pop(i)
        self._decoded(i, "commit")

    def DResolve(self, i: int, **_: Any) -> None:
        self.resolve(i)
        self._decoded(i, "released")

    def DReleaseLate(self, i: int, **_: Any) -> None:
        self.resolve(i)
        self._decoded(i, "released")

    def pop(self, i: int) -> None:
        """A turn of decode's scheduler over its transfer queue; an event only if request ``i`` leaves it."""
        world, before = self.world, look.decode_state(self.world, i)
        self._scheduler(lambda: world.transferred.extend(world.transfers.pop_transferred()))
        after = look.decode_state(world, i)
        if after != before:
            name = "success" if after == "commit" else f"{'aborted' if before == 'aborted' else 'failed'}.{after}"
            self._event(f"pop_transferred.{name}", "scheduler", i=i)

    def can_pop(self, i: int) -> bool:
        """Whether decode's receiver of request ``i`` has come to an end."""
        poll = self.world.sg.KVPoll
        return self.world.receivers[i].conclude_state is not None or self.world.manager.check_status(
            self.world.room(i)
        ) in (poll.Failed, poll.Success)

    def resolve(self, i: int) -> None:
        """A turn of decode's scheduler over what it holds; an event only if request ``i`` is released."""
        self._from(i, "held")
        world = self.world
        drained = world.manager.is_abort_release_safe(world.room(i), len(world.names))
        self._scheduler(world.transfers.resolve_deferred_releases)
        if look.decode_state(world, i) == "released":
            self._event(f"resolve_deferred_releases.{'drained' if drained else 'timed_out'}", "scheduler", i=i)

    # ---- decode's manager thread

    def DHear(self, k: str, **_: Any) -> None:
        if not self.world.wire.up[k]:
            raise Parted(f"no message of {k} is on its way to decode")
        kind = self.world.wire.up[k][0][0]
        self.world.wire.want = k
        self.world.gates.release("manager", "recv")
        self._event(f"decode_thread.{kind}", "manager", k=k)

    # ---- prefill's scheduler

    def POffer(self, j: list[Any], **_: Any) -> None:
        k, i = j
        self.world.offer(k, i)
        self._event("send_kv_chunk", "prefill-scheduler", j=j)

    def PAbort(self, j: list[Any], **_: Any) -> None:
        k, i = j
        rank = self.world.prefill[k]
        if rank.requests[i] not in rank.scheduler.disagg_prefill_inflight_queue:
            raise Parted(f"request {i} is not in the inflight queue of {k}, where an abort would fail it")
        self._abort(rank.scheduler, i)
        self._event("abort_request.prefill", "prefill-scheduler", j=j)

    def PDrop(self, j: list[Any], **_: Any) -> None:
        k, i = j
        scheduler = self.world.prefill[k].scheduler
        self._abort(scheduler, i)
        if not hasattr(scheduler, "process_pending_chunked_abort") or scheduler.chunked_req is None:
            raise Parted(f"prefill rank {k} drops no request that it computes in chunks")
        scheduler.process_pending_chunked_abort()
        if scheduler.chunked_req is not None:
            raise Parted(f"prefill rank {k} keeps request {i}")
        self.world.concluded[k].add(i)
        self._event("process_pending_chunked_abort", "prefill-scheduler", j=j)

    def PConclude(self, j: list[Any], **_: Any) -> None:
        k, i = j
        if not self.conclude(k, i):
            raise Parted(f"prefill rank {k} does not conclude request {i}")

    def conclude(self, k: str, i: int) -> bool:
        """A turn of prefill's scheduler over its inflight queue; an event only if it is through with request ``i``."""
        done = i in self.world.conclude(k)
        if done:
            self._event("process_disagg_prefill_inflight_queue", "prefill-scheduler", j=[k, i])
        return done

    # ---- prefill's transfer worker

    def WTake(self, k: str, **_: Any) -> None:
        if not self.world.queued(k):
            raise Parted(f"no chunk waits for the worker of {k}")
        self.world.turned[k] = True
        self._worker(k, "take")
        self._event("transfer_worker.take", f"worker {k}", k=k)

    def WCheck(self, k: str, **_: Any) -> None:
        if self._at(k) == "look" and not self.world.checks:
            return
        found = self._found(k, self.world.gates.turns[f"worker {k}"].item.vstack_request)
        self._worker(k, "check")
        self._event(
            f"transfer_worker.check.{'go' if self._at(k) in ('look', 'count') else 'skip'}", f"worker {k}", k=k, m=found
        )

    def WSkip(self, k: str, **_: Any) -> None:
        self._step(k, "skip", "transfer_worker.drop_count", over="take")

    def WCount(self, k: str, **_: Any) -> None:
        self._step(k, "count", "transfer_worker.count", over="look")

    def WStart(self, k: str, **_: Any) -> None:
        world = self.world
        item, before = world.gates.turns[f"worker {k}"].item, len(world.network.writes)
        found = self._found(k, item.vstack_request) if item is not None else 0
        world.gates.free_one(f"worker {k}", "look")
        label = world.gates.arrival(
            f"worker {k}", early=lambda: len(world.network.writes) == before + world.network.calls
        )
        self._event(f"transfer_worker.{'nowhere' if label else 'write'}", f"worker {k}", k=k, m=found)

    def WDone(self, k: str, **_: Any) -> None:
        calls = self.calls(k)
        if any(write.open or write.failed for write in calls):
            raise Parted(f"not all writes of {k} have landed")
        self._return(k, calls)
        self._event("transfer_worker.written", f"worker {k}", k=k)

    def WFail(self, k: str, **_: Any) -> None:
        calls = [write for write in self.calls(k) if write.failed or write.gave_up or not write.open]
        if not any(write.failed or write.gave_up for write in calls):
            raise Parted(f"no write of {k} has failed")
        self._return(k, calls)
        self._event("transfer_worker.failed", f"worker {k}", k=k)

    def WFinish(self, k: str, **_: Any) -> None:
        self._step(k, "finish", "transfer_worker.count_back", over="take")

    def WAnswer(self, k: str, **_: Any) -> None:
        self._step(k, "answer", "maybe_ack_drained_abort.worker", over="take")

    # ---- prefill's control thread

    def CMeta(self, k: str, **_: Any) -> None:
        self._listen(k, "meta", "recv")
        self.world.met[k].add(self.world.request_of(self.world.wire.heard[-1][2]))
        self._event("bootstrap_thread.metadata", f"control {k}", k=k)

    def CAbort(self, k: str, **_: Any) -> None:
        world = self.world
        found = self._found(k, world.request_of(world.wire.down[k][0][1])) if world.wire.down[k] else 0
        self._listen(k, "abort", "first", "inactive")
        self._event(f"bootstrap_thread.abort.{world.gates.label(f'control {k}')}", f"control {k}", k=k, m=found)

    def CFirst(self, k: str, **_: Any) -> None:
        self._control(k, "first", "bootstrap_thread.mark_failed")

    def CSecond(self, k: str, **_: Any) -> None:
        self._control(k, "second", "bootstrap_thread.register_or_ack")

    def CTry(self, k: str, **_: Any) -> None:
        self._control(k, "try", "maybe_ack_drained_abort.control")

    def CInactive(self, k: str, **_: Any) -> None:
        self._control(k, "inactive", "bootstrap_thread.inactive")

    # ---- the harness's questions

    def observe(self) -> dict[str, Any]:
        return look.observe(self.world)

    def seen(self, goal: str) -> str | None:
        return verdicts.seen(self.world, goal)

    def settle(self) -> None:
        self.world.run_freely(seconds=3.0)

    def close(self) -> None:
        self.world.shut()
        self.engine_threads = self.world.name_threads()

    def free_run(self) -> None:
        workload.run(self, random.Random(self.case.seed))

    # ---- helpers

    def _event(self, name: str, thread: str, **fields: Any) -> None:
        causes = () if self._last_event is None else (self._last_event,)
        self._last_event = self.case.record(name, thread=thread, causes=causes, **fields, state=self.observe())

    def _scheduler(self, turn: Any) -> None:
        self.world.actor.call(turn)

    def _from(self, i: int, state: str) -> None:
        if (found := look.decode_state(self.world, i)) != state:
            raise Parted(f"decode has request {i} as `{found}`, not as {state}")

    def _decoded(self, i: int, *states: str) -> None:
        state = look.decode_state(self.world, i)
        if state not in states:
            raise Parted(f"decode has request {i} as `{state}`, not as {' or '.join(states)}")

    def _abort(self, scheduler: Any, i: int) -> None:
        scheduler.abort_request(self.world.sg.AbortReq(rid=f"r{i}-"))

    def _found(self, k: str, i: int) -> int:
        """The request that the table of rank ``k`` means by the room of request ``i``."""
        room = self.world.room(i)
        return (
            self.world.request_of(room) if dict.__contains__(self.world.prefill[k].manager.request_status, room) else i
        )

    def _at(self, k: str) -> str | None:
        return self.world.gates.label(f"worker {k}")

    def _worker(self, k: str, *at: str) -> None:
        self.world.gates.release(f"worker {k}", *at)

    def _step(self, k: str, at: str, name: str, over: str) -> None:
        """A step that some revisions lack: there the worker stands at ``over`` already, and nothing is to be done."""
        if self._at(k) == over and over in self.world.ambiguous:
            return
        self._worker(k, at)
        self._event(name, f"worker {k}", k=k)

    def calls(self, k: str) -> list[Any]:
        item = self.world.gates.turns[f"worker {k}"].item
        calls = [] if item is None else self.world.network.of(k, item)
        if not calls:
            raise Parted(f"the worker of {k} is in no write")
        return calls

    def calls_open(self, k: str) -> list[Any]:
        """Siblings that NIXL's worker sees as still running when it looks once more."""
        return [w for w in self.world.network.of(k, self.world.gates.turns[f"worker {k}"].item) if w.open]

    def _return(self, k: str, calls: list[Any]) -> None:
        with self.world.gates.condition:
            for write in calls:
                write.result = -1 if write.failed or write.gave_up else 0
            if self.world.nixl:
                for write in self.calls_open(k):
                    write.result = 1
            self.world.gates.condition.notify_all()
        self.world.gates.arrival(f"worker {k}")

    def _listen(self, k: str, kind: str, *then: str) -> None:
        under_way = self.world.wire.down[k]
        if not under_way or under_way[0][0] != kind:
            raise Parted(f"the next message to {k} is {under_way[0][0] if under_way else 'none'}, not {kind}")
        label = self.world.gates.release(f"control {k}", "recv")
        if label not in then:
            raise Parted(f"the control thread of {k} goes on to `{label}`, not to {' or '.join(then)}")

    def _control(self, k: str, at: str, name: str) -> None:
        self.world.gates.release(f"control {k}", at)
        self._event(name, f"control {k}", k=k)


def open_driver(case: Any) -> Driver:
    """The driver that the harness asks for."""
    return Driver(case)
