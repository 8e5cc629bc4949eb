"""Drives vLLM's real engine core by the actions of the model AbortedLoad, and reads its variables from the real objects."""

from __future__ import annotations

import os
import random

os.environ.setdefault("VLLM_LOGGING_LEVEL", "CRITICAL")

import engine
import goals
import workload
from gates import Parted
from nixl_stand_in import NETWORK
from view import View
from world import World

from hooks import Hooks

__all__ = ["Parted", "open_driver"]

GATE_SECONDS, SETTLE_STEPS = 30.0, 40
ACTIONS = [
    "ClientSubmits",
    "UserAborts",
    "PeerDies",
    "LoadFails",
    "TransferLands",
    "AnswerArrives",
    "AddRequest",
    "DuplicateIdAsserts",
    "AbortIgnored",
    "AbortNotLoading",
    "AbortLoadFrees",
    "AbortLoadHolds",
    "BeginSchedule",
    "AdmitLoaded",
    "RetryFailed",
    "StartLoad",
    "PrefillLocally",
    "SendStep",
    "WorkerPosts",
    "WorkerPolls",
    "UpdateRequests",
    "RecordLoaded",
    "FreeAfterLoad",
    "LateEndAsserts",
    "EndStep",
]


def open_driver(case) -> Driver:
    """Build the engine for the case's constants: as many free blocks and requests as the model has."""
    return Driver(case)


class Driver:
    """The actions by the model's names; each lets the real threads run until that step is taken.

    The parts: engine (what is real, and the worker), hooks (gates), world
    (clients and network), view (observations), goals, workload (free runs).
    """

    def __init__(self, case):
        constants, self.case = case.constants, case
        names = list(constants["Blocks"])
        self.traffic = bool(constants["OtherTraffic"])
        os.environ["VLLM_CACHE_ROOT"] = os.path.join(case.folder, "cache")
        # One block is vLLM's null block, and one belongs to the request that keeps the engine stepping.
        core, self.engine, self.worker, config = engine.start(case.folder, len(names) + 1 + self.traffic, GATE_SECONDS)
        self.core = core
        self.hooks = Hooks(core, self.engine)
        requests = list(constants["Requests"])
        self.world = World(requests, core, self.worker, self.hooks, config)
        self.view = View(requests, names, core, self.engine, self.worker, self.hooks, self.world)
        self.engine.start()
        self.settled = self.recording = False
        if self.traffic:
            self._other_traffic()
        self.recording = True
        self.actions = {name: getattr(self, name) for name in ACTIONS}

    def _other_traffic(self) -> None:
        """A request whose own load never ends: as long as it waits, the engine has something to step for."""
        self.world.submit(0, "other")
        self.hooks.deliver("add", 0)
        while not (self.view.phase() == "input" and self.core.scheduler.requests and self._idle_reads()):
            self._advance()

    def _idle_reads(self) -> bool:
        return bool(NETWORK.reads) and self.worker.gated.at == ("idle",)

    # ---- clients, network and peer ---------------------------------------------------------------

    def ClientSubmits(self, r, i=None):
        """A front end of its own sends the request, under the id that the model chose or its own."""
        self.world.submit(r, f"req-{i or r}")
        self._event("client.submitted", r=r, i=i or r)

    def UserAborts(self, r):
        self.world.abort(r)
        self._event("client.aborted", r=r)

    def AnswerArrives(self, r):
        if not self.world.take_answer(r):
            raise Parted(f"the engine has put no final output of request {r} into its output queue")
        self._event("client.answered", r=r)

    def PeerDies(self):
        self.world.peer_up = False
        self._event("peer.died")

    def LoadFails(self, r):
        self.world.fail(r, self.view.xfer)
        self._event("read.failed", r=r)

    def TransferLands(self, r):
        if not self.world.peer_up:
            raise Parted("the peer is gone: its reads never land")
        self.world.read_of(r).land()
        self._event("read.landed", r=r)

    # ---- input queue -----------------------------------------------------------------------------

    def AddRequest(self, r):
        self._at("input")
        self.hooks.deliver("add", r)
        self._until(lambda: r in self.hooks.added)

    DuplicateIdAsserts = AddRequest

    def _abort(self, r):
        if self.view.phase() == "input":
            self.hooks.deliver("abort", r)
            self._until(lambda: r in self.hooks.aborted)
            return
        self._at("output")
        if self.engine.at[0] == "aborts":
            self.hooks.deliver_aborts()
            self._go(self.engine)
        if self.engine.at[0] != "abort":
            raise Parted("the engine had already taken the aborts that were queued during the step")
        self.hooks.next_abort = r
        self._go(self.engine)

    AbortIgnored = AbortNotLoading = AbortLoadFrees = AbortLoadHolds = _abort

    def BeginSchedule(self):
        self._at("input")
        self._until(
            lambda: self.engine.at[0] == "schedule", asleep="the engine has nothing to do and sleeps on its input queue"
        )

    # ---- schedule() ------------------------------------------------------------------------------

    def _treat(self, r):
        """Let ``schedule()`` come to request ``r`` in its own order, and treat it."""
        self._at("schedule")
        while True:
            at = self.engine.at
            if at[0] in ("peek", "retry") and self.view.number(at[1]) == r:
                self._go(self.engine)
                return
            if at[0] == "planned":
                raise Parted(f"schedule() ended its loop over the waiting requests without taking request {r}")
            self._skip()

    def _skip(self) -> None:
        """One more round of the loop, in which nothing must happen to a request."""
        about, before = self.engine.at, self.view.statuses()
        self._go(self.engine)
        after = self.view.statuses()
        if before != after:
            raise Parted(f"schedule() took request {self.view.number(about[1])} first: {before} became {after}")

    def StartLoad(self, r, k=None):
        self.view.wanted = k
        self._treat(r)

    PrefillLocally = StartLoad
    AdmitLoaded = RetryFailed = _treat

    def SendStep(self):
        self._at("schedule")
        while self.engine.at[0] != "planned":
            self._skip()
        self._go(self.engine)

    # ---- worker ----------------------------------------------------------------------------------

    def WorkerPosts(self):
        self._at("sent")
        self.world.shake_hands_for_loads()
        self._go(self.worker.gated)

    def WorkerPolls(self):
        self._at("forward")
        self._go(self.worker.gated)
        self._go(self.engine)

    # ---- the step's output -----------------------------------------------------------------------

    def UpdateRequests(self):
        self._at("output")
        self._until(lambda: self.engine.at[0] == "report")

    def _report(self, i):
        self._at("kv")
        self.hooks.reports.chosen = f"req-{i}"
        if self.hooks.reports.chosen not in self.hooks.reports:
            raise Parted(f"the worker has not reported the end of a load of req-{i}")
        self._go(self.engine)

    RecordLoaded = FreeAfterLoad = LateEndAsserts = _report

    def EndStep(self):
        self._at("kv")
        self._go(self.engine)

    # ---- moving the threads ----------------------------------------------------------------------

    def _at(self, phase: str) -> None:
        if self.view.phase() != phase:
            raise Parted(f"the engine is in phase {self.view.phase()}, not {phase}")

    def _until(self, reached, asleep: str | None = None) -> None:
        """Let the engine go on until ``reached()``, or it dies."""
        while not reached() and self.engine.at[0] != "ended":
            if self.engine.at[0] == "sleep" and not self.core.input_queue.queue:
                raise Parted(asleep or "the engine sleeps on its empty input queue")
            self._go(self.engine)

    def _go(self, thread) -> None:
        """Let one thread run to its next gate, and log what the real code did on the way."""
        before = thread.at
        self.hooks.happened.clear()
        at = thread.go()
        if at[0] == "ended" and not goals.own_assertion(at[1]):
            raise RuntimeError(f"the thread {thread.thread.name} ended, and not by an assertion of vLLM") from at[1]
        if thread is self.engine and self.engine.at == ("result",) and before != ("result",):
            self.worker.gated.go()
        for event, fields in self.hooks.happened + self.view.happened(thread, before):
            self._event(event, **fields)

    def _event(self, event: str, **fields) -> None:
        if self.recording:
            self.case.record(event, thread="driver", state=self.observe(), **fields)

    def _advance(self) -> None:
        """Let whichever of the two threads can go on make its next move."""
        if self.engine.at == ("result",) and self.worker.output is None:
            if self.worker.gated.at == ("received",):
                self.world.shake_hands_for_loads()
            self._go(self.worker.gated)
        else:
            self._go(self.engine)

    # ---- the contract ----------------------------------------------------------------------------

    def observe(self) -> dict:
        """Every variable of the model, as the real objects hold it now."""
        return self.view.observe()

    def settle(self) -> None:
        """Run on until the engine sleeps or died, or for a bounded number of steps; reads land while the peer lives."""
        self.settled, self.recording = True, False
        for _ in range(SETTLE_STEPS):
            self.hooks.deliver_all()
            for read in NETWORK.reads:
                if self.world.peer_up and read.state == "PROC" and read.about != "asked-0":
                    read.land()
            steps = self.hooks.steps
            while self.hooks.steps == steps:
                if self.engine.at[0] == "ended" or (self.engine.at[0] == "sleep" and not self.core.input_queue.queue):
                    return
                self._advance()
            for r in self.view.requests:
                self.world.take_answer(r)

    def free_run(self) -> None:
        """Run under a seeded workload that knows nothing of the model."""
        workload.run(self, random.Random(self.case.seed))

    def seen(self, goal: str) -> str | None:
        """What in the real objects shows the goal violated now."""
        return goals.seen(goal, self)

    def close(self) -> None:
        """End the threads at their gates, and shut down connectors and process group."""
        self.world.release_handshakes()
        self.engine.close()
        self.worker.gated.close()
        engine.stop(list(self.world.prefills.values()))
