"""A stand-in for the module `nixl`: the agent's calls that SGLang makes, with real bytes landed on command."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from transport import Network, Write

_STATES = {0: "DONE", -1: "ERR", 1: "PROC"}


def install(network: Network, building: Any) -> None:
    """Make `import nixl._api` give the stand-in; ``building()`` names the rank whose agent is made next."""
    api = ModuleType("nixl._api")
    api.nixl_agent = lambda name, config: Agent(network, building(), name)  # type: ignore[attr-defined]
    api.nixl_agent_config = lambda **options: options  # type: ignore[attr-defined]
    api.nixl_thread_sync_t = SimpleNamespace(NIXL_THREAD_SYNC_STRICT="strict")  # type: ignore[attr-defined]
    package = ModuleType("nixl")
    package.__path__ = []
    sys.modules |= {"nixl": package, "nixl._api": api}


class Agent:
    """One agent: handles are lists of writes; a descriptor list is its rows of (address, bytes, device)."""

    def __init__(self, network: Network, rank: str, name: str) -> None:
        self._network, self._rank, self.name = network, rank, name

    def create_backend(self, backend: str, parameters: dict[str, str]) -> None:
        self._backend = backend

    def get_plugin_list(self) -> list[str]:
        return [self._backend]

    def register_memory(self, regions: Any, kind: str) -> Any:
        return list(regions)

    def get_agent_metadata(self) -> bytes:
        return self.name.encode()

    def add_remote_agent(self, metadata: bytes) -> str:
        return metadata.decode()

    def get_xfer_descs(self, rows: Any, kind: str) -> list[tuple[int, int]]:
        return [(int(row[0]), int(row[1])) for row in rows]

    def prep_xfer_dlist(self, peer: str, rows: Any, kind: str) -> list[tuple[int, int]]:
        return self.get_xfer_descs(rows, kind)

    def make_prepped_xfer(
        self, op: str, source: Any, source_rows: Any, target: Any, target_rows: Any, note: bytes
    ) -> Write:
        return self._write([source[int(n)] for n in source_rows], [target[int(n)] for n in target_rows])

    def initialize_xfer(self, op: str, source: Any, target: Any, peer: str, note: bytes) -> Write:
        return self._write(source, target)

    def transfer(self, write: Write) -> str:
        """Post a write; what does not go to KV pages lands at once."""
        network = self._network
        if write.request == 0 or network.free:
            write.land()
            write.result = 0
            return "DONE"
        with network.gates.condition:
            network.writes.append(write)
            network.gates.condition.notify_all()
        return "PROC"

    def check_xfer_state(self, write: Write) -> str:
        """The state of a posted write, once the driver has said what it is."""
        network = self._network
        with network.gates.condition:
            network.gates.condition.wait_for(lambda: write.result is not None or network.free)
        if write.result is None:
            write.land()
            write.result = 0
        return _STATES[write.result]

    def get_new_notifs(self) -> dict[str, list[bytes]]:
        return {}

    def _write(self, source: list[tuple[int, int]], target: list[tuple[int, int]]) -> Write:
        blocks = [(from_, to, length) for (from_, length), (to, _) in zip(source, target, strict=True)]
        region = self._network.region(blocks[0][1])
        turn = self._network.gates.turns.get(f"worker {self._rank}")
        if region is None or turn is None:
            return Write(self._rank, 0, 0, 0, blocks)
        handle = region + 1 if self._network.handles > 1 else 1
        return Write(self._rank, turn.item.vstack_request, turn.item.vstack_chunk, handle, blocks)
