"""The transport that stands in for Mooncake's transfer engine: real bytes between real buffers, landed on command."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from gates import Gates, Parted


@dataclass
class Write:
    """One write call: ``blocks`` are (source address, target address, bytes)."""

    rank: str
    request: int
    chunk: int
    handle: int
    blocks: list[tuple[int, int, int]]
    open: bool = True
    gave_up: bool = False
    failed: bool = False
    result: int | None = None

    def name(self) -> list[object]:
        return [self.rank, self.request, self.chunk, self.handle]

    def land(self) -> None:
        """Copy the bytes to their target."""
        for source, target, length in self.blocks:
            ctypes.memmove(target, source, length)
        self.open = False


@dataclass
class Network:
    """All writes of all prefill ranks, and the regions of decode's KV buffers, in order, as (address, bytes).

    A chunk is one call, or ``calls`` where SGLang makes one for keys and one
    for values; with one handle in the model, both are parts of it.
    """

    gates: Gates
    handles: int
    calls: int
    regions: list[tuple[int, int]] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    free: bool = False

    def flight(self) -> list[list[object]]:
        names = [write.name() for write in self.writes if write.open]
        return [name for place, name in enumerate(names) if name not in names[:place]]

    def find(self, name: list[object]) -> list[Write]:
        """The calls in flight that make up the write ``name``.

        Raises:
            Parted: there is none.
        """
        found = [write for write in self.writes if write.open and write.name() == list(name)]
        if not found:
            raise Parted(f"no write {name} is in flight; in flight: {self.flight()}")
        return found

    def of(self, rank: str, item: Any) -> list[Write]:
        """Writes of a rank's chunk ``item`` whose calls have not returned."""
        names = (rank, item.vstack_request, item.vstack_chunk)
        return [w for w in self.writes if (w.rank, w.request, w.chunk) == names and w.result is None]

    def region(self, address: int) -> int | None:
        for number, (start, length) in enumerate(self.regions):
            if start <= address < start + length:
                return number
        return None


class TransferEngine:
    """What `get_mooncake_transfer_engine` returns: the calls that the managers make, one engine for each manager."""

    def __init__(self, network: Network, rank: str, port: int) -> None:
        self._network = network
        self._rank = rank
        self._session = f"127.0.0.1:{port}"

    def get_session_id(self) -> str:
        return self._session

    def batch_register(self, addresses: list[int], lengths: list[int]) -> int:
        return 0

    def batch_deregister(self, addresses: list[int]) -> int:
        return 0

    def batch_transfer_sync(self, session: str, sources: list[int], targets: list[int], lengths: list[int]) -> int:
        """Write; what goes to KV pages returns when the driver says so, with 0 or -1."""
        network, gates = self._network, self._network.gates
        blocks = list(zip(sources, targets, lengths, strict=True))
        region = network.region(targets[0])
        turn = gates.turns.get(f"worker {self._rank}")
        if region is None or turn is None or network.free:
            Write(self._rank, 0, 0, 0, blocks).land()
            return 0
        handle = region + 1 if network.handles > 1 else 1
        write = Write(self._rank, turn.item.vstack_request, turn.item.vstack_chunk, handle, blocks)
        with gates.condition:
            network.writes.append(write)
            gates.condition.notify_all()
            gates.condition.wait_for(lambda: write.result is not None or network.free)
        if write.open and network.free and not write.gave_up:
            write.land()
        return write.result or 0
