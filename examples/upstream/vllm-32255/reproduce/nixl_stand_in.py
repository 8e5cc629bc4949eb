"""A stand-in for the NIXL library: agents of one process that copy bytes between registered buffers.

A posted read stays in progress until the driver lands it, fails it, or never
does. Landing copies the bytes from the peer's address to the local address,
whatever the local block is used for by then: as a network card does.
"""

from __future__ import annotations

import ctypes
import sys
import types
from dataclasses import dataclass


@dataclass
class Read:
    """A posted read: the request at the peer that it is for, (local, remote, bytes) of each piece, its state."""

    about: str
    pieces: list[tuple[int, int, int]]
    state: str = "PROC"

    def write(self) -> None:
        """Write the peer's bytes to the local addresses it was posted for."""
        for local, remote, size in self.pieces:
            ctypes.memmove(local, remote, size)

    def land(self) -> None:
        """The read is done: its bytes are written."""
        self.write()
        self.state = "DONE"


@dataclass
class Telemetry:
    """What the library says of a transfer that is done."""

    xferDuration: int = 1
    postDuration: int = 1
    totalBytes: int = 1
    descCount: int = 1


class Network:
    """All reads ever posted, and what a handshake does: ``shake`` is called with the peer's agent name."""

    def __init__(self):
        self.reads: list[Read] = []
        self.shake = lambda name: None


NETWORK = Network()


class Agent:
    """What the connector calls of ``nixl_agent``."""

    def __init__(self, name: str, config=None):
        self.name, self._lists = name, {}

    def get_agent_metadata(self) -> bytes:
        return self.name.encode()

    def add_remote_agent(self, metadata: bytes) -> str:
        NETWORK.shake(metadata.decode())
        return metadata.decode()

    def get_reg_descs(self, caches, memory_type: str):
        return list(caches)

    def register_memory(self, descs, backends) -> None:
        pass

    def deregister_memory(self, descs) -> None:
        pass

    def get_xfer_descs(self, blocks, memory_type: str):
        return list(blocks)

    def prep_xfer_dlist(self, agent_name: str, descs) -> int:
        self._lists[len(self._lists) + 1] = descs
        return len(self._lists)

    def make_prepped_xfer(self, kind: str, local_list, local_ids, remote_list, remote_ids, notif_msg: bytes) -> int:
        assert kind == "READ"
        pairs = zip(local_ids, remote_ids, strict=True)
        local, remote = self._lists[local_list], self._lists[remote_list]
        pieces = [(local[here][0], remote[there][0], local[here][1]) for here, there in pairs]
        NETWORK.reads.append(Read(notif_msg.decode().rsplit(":", 1)[0], pieces))
        return len(NETWORK.reads) - 1

    def transfer(self, handle: int) -> str:
        return NETWORK.reads[handle].state

    def check_xfer_state(self, handle: int) -> str:
        return NETWORK.reads[handle].state

    def get_xfer_telemetry(self, handle: int) -> Telemetry:
        return Telemetry()

    def get_new_notifs(self) -> dict:
        return {}

    def send_notif(self, agent_name: str, notif_msg: bytes) -> None:
        pass

    def release_xfer_handle(self, handle: int) -> None:
        pass

    def release_dlist_handle(self, handle: int) -> None:
        pass

    def remove_remote_agent(self, agent: str) -> None:
        pass


def install() -> None:
    """Make ``import nixl`` find this stand-in; call it before vLLM's connector is imported."""
    package, api, bindings = (types.ModuleType(name) for name in ("nixl", "nixl._api", "nixl._bindings"))
    api.nixl_agent = Agent
    api.nixl_agent_config = lambda **settings: settings
    bindings.nixlXferTelemetry = Telemetry
    package._api, package._bindings = api, bindings
    sys.modules.update({"nixl": package, "nixl._api": api, "nixl._bindings": bindings})
