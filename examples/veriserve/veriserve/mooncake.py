"""Mooncake's transfer engine: one registered pool of pages, its own ports, and single transfers by id.

The engine's two ports, for the handshake and for the data, know no
authentication: whoever reaches them reads and writes the registered pool. It
listens on all interfaces, whatever ``host`` says; that is only the address
that peers are told, loopback by default. So on a machine with a network a
firewall, or a network namespace of its own, must keep these ports
(`MC_MIN_RPC_PORT` to `MC_MAX_RPC_PORT`, and the data port) from everyone but
the other workers.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veriserve.errors import VeriserveError
from veriserve.evidence import Access, Event, false_evidence

_STATUS = {1: Event.DONE, -1: Event.FAILED, -2: Event.GAVE_UP}


@dataclass(frozen=True)
class Extents:
    """A pool of ``num_pages`` pages of ``page_bytes`` bytes, one after the other from address ``base`` on."""

    base: int
    page_bytes: int
    num_pages: int

    @property
    def size(self) -> int:
        """Bytes of the pool."""
        return self.page_bytes * self.num_pages

    def address(self, page: int) -> int:
        """Where ``page`` begins.

        Raises:
            ValueError: there is no such page.
        """
        if not 0 <= page < self.num_pages:
            raise ValueError(f"page {page} is outside of 0..{self.num_pages - 1}")
        return self.base + page * self.page_bytes


class Mooncake:
    """One engine with ``pool`` registered. Its address for peers is ``session``.

    Args:
        pool: the pages that peers may read and write, and that transfers of this engine move.
        host: this machine's address as peers are told it.
        protocol: `tcp` or `rdma`.

    Raises:
        VeriserveError: the package or a library of it is missing, the environment makes its answers unbelievable, or
            it does not start.
    """

    def __init__(self, pool: Extents, host: str = "127.0.0.1", protocol: str = "tcp") -> None:
        if why := false_evidence(os.environ):
            raise VeriserveError("The transport's answers can't be believed", where=why, todo="Unset it")
        engine_class = _load()
        self.pool = pool
        if protocol == "tcp":
            os.environ["MC_FORCE_TCP"] = "1"
        os.environ.setdefault("GLOG_minloglevel", "2")
        self._engine = engine_class()
        if code := self._engine.initialize(host, "P2PHANDSHAKE", protocol, ""):
            raise VeriserveError(
                f"Mooncake's transfer engine did not start (code {code})",
                where=f"{host}, {protocol}",
                todo="The host must be an address of this machine, and its ports must be free",
            )
        if code := self._engine.register_memory(pool.base, pool.size):
            raise VeriserveError(f"Mooncake did not register the KV pool (code {code})", where=f"{pool.size} bytes")
        self.session = f"{host}:{self._engine.get_rpc_port()}"

    def start(self, session: str, access: Access, local: int, remote: int, length: int) -> int | None:
        """Start one read or write of ``length`` bytes between two addresses; its id, or ``None`` if the engine says no.

        What says no may still have begun: it proves no more than a failure. The
        first contact with a frozen peer blocks for a minute, and everyone who
        uses this engine with it; so each peer has an engine of its own, used by
        one thread (`transfer.py`).
        """
        read = access is Access.READ_TARGET
        call = self._engine.batch_transfer_async_read if read else self._engine.batch_transfer_async_write
        number: int = call(session, [local], [remote], [length])
        return number or None

    def poll(self, number: int) -> Event | None:
        """The end of a transfer, or ``None``. An id must not be asked for again after its end: the engine frees it."""
        code = self._engine.transfer_check_status(number)
        return None if code == 0 else _STATUS.get(code, Event.GAVE_UP)

    def unregister(self) -> None:
        """Refuse later transfers of peers. One that is under way still completes."""
        self._engine.unregister_memory(self.pool.base)


def cut(length: int, most: int) -> Sequence[tuple[int, int]]:
    """(offset, length) of the slices, each of at most ``most`` bytes, that cover ``length`` bytes exactly once."""
    count = -(-length // most)
    edges = [length * i // count for i in range(count + 1)]
    return [(begin, end - begin) for begin, end in itertools.pairwise(edges)]


def _load() -> Any:
    try:
        from mooncake.engine import TransferEngine  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise VeriserveError(
            "Prefill and decode on separate workers need Mooncake's transfer engine",
            where=str(error),
            todo="Install veriserve[mooncake], or veriserve[mooncake-cuda] on a machine with CUDA",
        ) from None
    except ImportError as error:
        todo = "Install Debian's libibverbs1 (`apt-get install libibverbs1`)"
        if "libcud" in str(error):
            todo = "Install veriserve[mooncake], whose wheel needs no CUDA, in place of veriserve[mooncake-cuda]"
        raise VeriserveError("Mooncake's transfer engine lacks a library", where=str(error), todo=todo) from None
    return TransferEngine
