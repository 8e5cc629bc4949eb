"""One worker's dealings with its peers: wire, link and transfers, advanced together by ``step``, which never blocks."""

from __future__ import annotations

from collections.abc import Callable

from veriserve.link import Outcome, Send
from veriserve.link_decode import DecodeLink
from veriserve.link_move import Submit
from veriserve.link_prefill import PrefillLink
from veriserve.messages import Peer
from veriserve.mooncake import Extents, Mooncake
from veriserve.peers import Joined, Lost
from veriserve.transfer import SLICE_BYTES, Move, PeerTransfers
from veriserve.wire import Wire


class Exchange:
    """The link of one worker, its wire, and transfers to each peer on an engine and a thread of their own.

    Args:
        make: the link, given how to send a message and how to start a move.
        pool: this worker's pages.
        host: its address, as peers are told it.
    """

    def __init__(
        self,
        make: Callable[[Send, Submit], DecodeLink | PrefillLink],
        wire: Wire,
        pool: Extents,
        host: str = "127.0.0.1",
        protocol: str = "tcp",
        slice_bytes: int = SLICE_BYTES,
    ) -> None:
        self.wire, self.pool = wire, pool
        self.link = make(wire.send, self._submit)
        self._engine = lambda: Mooncake(pool, host, protocol)
        self._slice_bytes = slice_bytes
        self.transfers: dict[Peer, PeerTransfers] = {}
        self._ending: list[PeerTransfers] = []

    @property
    def peers(self) -> list[Peer]:
        """The peers that have joined."""
        return list(self.transfers)

    def step(self, now: float, wait_s: float = 0.0) -> list[Outcome]:
        """Take in what has come, or comes within ``wait_s``; send, start and end what is due."""
        for news in self.wire.receive(now, wait_s):
            if isinstance(news, Joined):
                hello = news.hello
                remote = Extents(hello.base, hello.page_bytes, hello.num_pages)
                self.transfers[news.peer] = PeerTransfers(
                    self._engine, hello.session, remote, slice_bytes=self._slice_bytes
                )
            elif isinstance(news, Lost):
                self.link.lost(news.peer, now)
                if (transfers := self.transfers.pop(news.peer, None)) is not None:
                    transfers.close()
                    self._ending.append(transfers)
            else:
                self.link.receive(news.peer, news.message, now)
        for transfers in [*self.transfers.values(), *self._ending]:
            for end in transfers.ended():
                self.link.ended(end, now)
        return self.link.step(now)

    def close(self) -> None:
        """Say goodbye. What is under way goes on until the process ends."""
        for transfers in self.transfers.values():
            transfers.close()
        self.wire.close()

    def _submit(self, peer: Peer, move: Move) -> None:
        self.transfers[peer].submit(move)
