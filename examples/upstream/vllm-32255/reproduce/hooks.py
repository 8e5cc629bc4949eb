"""Where the engine's thread stops: gates around methods of the real objects, and the two queues it takes messages from."""

from __future__ import annotations

import queue

from vllm.v1.engine import EngineCoreRequestType
from vllm.v1.request import RequestStatus


class InputQueue(queue.Queue):
    """The engine's input queue, which stops the engine's thread where it looks for a message or sleeps."""

    def __init__(self, thread):
        super().__init__()
        self._thread = thread

    def empty(self) -> bool:
        if self._thread.ours():
            self._thread.gate("poll")
        return super().empty()

    def get(self, block=True, timeout=None):
        while block and self._thread.ours() and super().empty():
            self._thread.gate("sleep")
        return super().get(block, timeout)


class Reports(set):
    """The ids that a step reports as loaded; a set has no order, so the driver chooses which comes next."""

    def __init__(self, ids, thread):
        super().__init__(ids)
        self._thread, self.chosen, self.taken = thread, None, None

    def __iter__(self):
        while True:
            self._thread.gate("report")
            if not self:
                return
            self.taken = self.chosen if self.chosen in self else min(set.__iter__(self))
            yield self.taken
            self.discard(self.taken)


class Hooks:
    """The gates, and what passed them.

    Messages wait in ``sent`` (the sockets) until they are delivered to the
    engine's queues. ``added`` and ``aborted`` are the requests whose message the
    scheduler has taken. ``happened`` are the events since the last move.
    """

    def __init__(self, core, thread):
        self.core, self.thread, scheduler = core, thread, core.scheduler
        self.sent: list[tuple[str, int, object]] = []
        self.added: set[int] = set()
        self.aborted: set[int] = set()
        self.happened: list[tuple[str, dict]] = []
        self.next_abort: int | None = None
        self.numbers: dict[int, int] = {}
        self.reports = Reports((), thread)
        self.steps = 0
        self._aborts: list[tuple[int, str]] = []
        core.input_queue, core.output_queue = InputQueue(thread), queue.Queue()
        self._before(core, "_process_aborts_queue", "aborts")
        self._before(scheduler, "schedule", "schedule")
        self._before(scheduler.connector, "build_connector_meta", "planned")
        self._gate_waiting(scheduler)
        self._gate_adds(scheduler)
        self._gate_aborts(core)
        self._gate_reports(scheduler)

    def _before(self, owner, name: str, *at) -> None:
        real = getattr(owner, name)

        def gated(*args, **kwargs):
            self.thread.gate(*at)
            return real(*args, **kwargs)

        setattr(owner, name, gated)

    def _gate_waiting(self, scheduler) -> None:
        """Before ``schedule()`` treats a waiting request, and between the retry of a failed load and what comes of it."""
        peek, computed = scheduler.waiting.peek_request, scheduler.kv_cache_manager.get_computed_blocks
        retried: list = []
        ready = scheduler._update_waiting_for_remote_kv

        def peek_request():
            request = peek()
            self.thread.gate("peek", request)
            return request

        def update_waiting(request):
            failed = request.request_id in scheduler.failed_recving_kv_req_ids
            is_ready = ready(request)
            if is_ready and failed:
                retried.append(request)
            return is_ready

        def get_computed_blocks(request):
            if retried:
                self.thread.gate("retry", retried.pop())
            return computed(request)

        scheduler.waiting.peek_request = peek_request
        scheduler._update_waiting_for_remote_kv = update_waiting
        scheduler.kv_cache_manager.get_computed_blocks = get_computed_blocks

    def _gate_adds(self, scheduler) -> None:
        real = scheduler.add_request

        def add_request(request):
            number = self.numbers[id(request)]
            try:
                real(request)
            except AssertionError:
                self.happened.append(("add_request.asserted", {"r": number}))
                raise
            self.added.add(number)
            self.happened.append(("add_request", {"r": number}))

        scheduler.add_request = add_request

    def _gate_aborts(self, core) -> None:
        """Aborts that the engine takes together pass one by one, in the order the driver chooses."""
        real, scheduler = core.abort_requests, core.scheduler

        def abort_requests(names):
            waiting = list(names)
            while waiting:
                if self._in_output:
                    self.thread.gate("abort", tuple(waiting))
                chosen = next((n for r, n in self._aborts if r == self.next_abort and n in waiting), waiting[0])
                waiting.remove(chosen)
                request = scheduler.requests.get(chosen)
                status = request.status if request else None
                real([chosen])
                number = next((r for r, n in self._aborts if n == chosen and r not in self.aborted), None)
                # Of the two copies of an abort the first that meets its request counts, as the scheduler sees it.
                if number is None or number not in self.added:
                    continue
                self.aborted.add(number)
                self.happened.append((self._outcome(request, status, scheduler), {"r": number}))

        core.abort_requests = abort_requests
        process = core._process_aborts_queue
        self._in_output = False

        def process_aborts_queue():
            self._in_output = True
            process()
            self._in_output = False

        core._process_aborts_queue = process_aborts_queue
        update = scheduler.update_from_output

        def update_from_output(*args):
            self.thread.gate("update")
            outputs = update(*args)
            self.steps += 1
            return outputs

        scheduler.update_from_output = update_from_output

    @staticmethod
    def _outcome(request, status, scheduler) -> str:
        if request is None or RequestStatus.is_finished(status):
            return "finish_requests.ignored"
        if status != RequestStatus.WAITING_FOR_REMOTE_KVS:
            return "finish_requests.freed"
        held = scheduler.requests.get(request.request_id) is request
        return "finish_requests.loading.held" if held else "finish_requests.loading.freed"

    def _gate_reports(self, scheduler) -> None:
        """Before each reported end of a load is taken, and after the last."""
        real = scheduler._update_from_kv_xfer_finished

        def update_from_kv_xfer_finished(output):
            self.reports = Reports(output.finished_recving or (), self.thread)
            output.finished_recving = self.reports
            if not self.reports:
                self.thread.gate("report")
            real(output)

        scheduler._update_from_kv_xfer_finished = update_from_kv_xfer_finished

    # ---- messages --------------------------------------------------------------------------------

    def send(self, kind: str, number: int, payload) -> None:
        """A message leaves its client; it reaches the engine when it is delivered."""
        self.sent.append((kind, number, payload))

    def deliver(self, kind: str, number: int) -> None:
        """What the engine's input thread does with a message: an abort goes into two queues, after its request."""
        if kind == "abort":
            self.deliver("add", number)
        message = next((m for m in self.sent if m[:2] == (kind, number)), None)
        if message is None:
            return
        self.sent.remove(message)
        payload = message[2]
        if kind == "add":
            self.core.input_queue.put_nowait((EngineCoreRequestType.ADD, (payload, 0)))
        else:
            self._aborts.append((number, payload))
            self.core.aborts_queue.put_nowait([payload])
            self.core.input_queue.put_nowait((EngineCoreRequestType.ABORT, [payload]))

    def deliver_aborts(self) -> None:
        """Deliver every abort that was sent."""
        for kind, number, _ in list(self.sent):
            if kind == "abort":
                self.deliver(kind, number)

    def deliver_all(self) -> None:
        """Deliver every message that was sent, in order."""
        for kind, number, _ in list(self.sent):
            self.deliver(kind, number)
