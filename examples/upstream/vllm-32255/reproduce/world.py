"""What surrounds the engine: clients, the prefill instances that hold the KV data, and the network between them."""

from __future__ import annotations

import threading
import time

from engine import BLOCK, Prefill
from gates import Parted
from nixl_stand_in import NETWORK
from vllm.config import set_current_vllm_config
from vllm.sampling_params import SamplingParams
from vllm.v1.engine import EngineCoreRequest

OTHER_TOKEN, SECONDS = 63, 20.0


class World:
    """One request for each that was sent, by number; 0 is the one that keeps the engine stepping.

    ``objects`` are vLLM's Request objects, ``gone`` the requests whose client
    has aborted, ``answered`` those whose client has its answer.
    """

    def __init__(self, requests, core, worker, hooks, config):
        self.core, self.worker, self.hooks, self.config = core, worker, hooks, config
        self.prefills: dict[int, Prefill] = {}
        self.objects: dict[int, object] = {}
        self.ids = {r: f"req-{r}" for r in requests}
        self.gone, self.answered, self.peer_up = set(), set(), True
        self._outcomes: dict[str, str] = {}
        self._outcome_known = threading.Condition()
        NETWORK.shake = self._shake

    # ---- clients ---------------------------------------------------------------------------------

    def submit(self, number: int, name: str) -> None:
        """Send request ``number``: its prompt fills one block, and each of its tokens is its number."""
        token = number or OTHER_TOKEN
        with set_current_vllm_config(self.config):
            prefill = self.prefills[number] = Prefill(self.config, number, token)
        message = EngineCoreRequest(
            request_id=name,
            prompt_token_ids=[token] * BLOCK,
            mm_features=None,
            sampling_params=SamplingParams(max_tokens=1, extra_args={"kv_transfer_params": prefill.parameters}),
            pooling_params=None,
            eos_token_id=None,
            arrival_time=float(number),
            lora_request=None,
            cache_salt=None,
            data_parallel_rank=None,
            client_index=number,
        )
        request, _ = self.core.preprocess_add_request(message)
        self.objects[number], self.ids[number] = request, name
        self.hooks.numbers[id(request)] = number
        self.hooks.send("add", number, request)

    def abort(self, number: int) -> None:
        """The client of ``number`` gives up: it listens no longer."""
        self.gone.add(number)
        self.hooks.send("abort", number, self.ids[number])

    def has_answer(self, number: int) -> bool:
        """Whether the engine has queued the final output of ``number``."""
        return self._answer(number) is not None

    def take_answer(self, number: int) -> bool:
        """Hand the final output of ``number`` to its client, if the engine has queued it."""
        found = self._answer(number)
        if found is None:
            return False
        self.core.output_queue.queue.remove(found)
        self.answered.add(number)
        return True

    def _answer(self, number: int):
        for item in list(self.core.output_queue.queue):
            if item[0] == number and any(output.finish_reason is not None for output in item[1].outputs):
                return item
        return None

    def fate(self, number: int) -> str:
        """How the request of ``number`` stands for its client."""
        if number not in self.objects:
            return "unsent"
        if number in self.gone:
            return "aborted"
        if number in self.answered:
            return "answered"
        return "replied" if self._answer(number) else "live"

    def may_fail(self, number: int, xfer) -> bool:
        """Whether the load of ``number`` can fail now: the connector shakes hands with one peer after the other."""
        if xfer(number) == "flight":
            return True
        return next(iter(list(self.worker.connector._handshake_futures)), None) == self.prefills[number].name

    # ---- network ---------------------------------------------------------------------------------

    def _shake(self, name: str) -> None:
        """Called in the library when peer ``name`` is added: a read of no blocks waits here for its outcome."""
        if not threading.current_thread().name.startswith("vllm-nixl-handshake"):
            return
        with self._outcome_known:
            self._outcome_known.wait_for(lambda: name in self._outcomes)
            if self._outcomes[name] == "refused":
                raise RuntimeError(f"the agent {name} refused")

    def _decide(self, name: str, outcome: str) -> None:
        with self._outcome_known:
            self._outcomes[name] = outcome
            self._outcome_known.notify_all()

    def release_handshakes(self) -> None:
        """Let no thread of the connector wait for a peer any more."""
        for prefill in self.prefills.values():
            self._decide(prefill.worker.nixl_wrapper.name, "refused")

    def shake_hands_for_loads(self) -> None:
        """Peers that a load reads from had been shaken hands with before; a read of no blocks meets its peer first."""
        connector = self.worker.connector
        for meta in self.worker.step.kv_connector_metadata.reqs_to_recv.values():
            peer = meta.remote
            if meta.local_block_ids and peer.engine_id not in connector._remote_agents:
                connector._remote_agents[peer.engine_id] = connector._nixl_handshake(
                    peer.host, peer.port, meta.tp_size, peer.engine_id
                )

    def read_of(self, number: int):
        """The read in flight that was posted for ``number``."""
        for read in NETWORK.reads:
            if read.about == f"asked-{number}" and read.state == "PROC":
                return read
        raise Parted(f"no read of request {number} is in flight")

    def fail(self, number: int, xfer) -> None:
        """End the load of ``number`` in an error: its read, or the handshake of its read of no blocks."""
        if xfer(number) == "flight":
            self.read_of(number).state = "ERR"
            return
        self._decide(self.prefills[number].worker.nixl_wrapper.name, "refused")
        until = time.monotonic() + SECONDS
        while xfer(number) != "failed":
            if time.monotonic() > until:
                raise Parted(f"the failed handshake for request {number} is not noted as the end of its load")
            time.sleep(0.001)
