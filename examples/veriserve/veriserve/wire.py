"""Control messages between workers over ZeroMQ: sent without ever waiting, received in batches, lost if they must be."""

from __future__ import annotations

import weakref
from collections.abc import Callable

import zmq

from veriserve.errors import VeriserveError
from veriserve.messages import ANY, Bye, Envelope, Message, MessageError, Peer, pack, unpack
from veriserve.peers import Heard, Joined, Lost, News, Peers
from veriserve.trace import Trace

_HELD = 1000  # messages that wait for a peer; more are dropped, as a peer that is frozen is no reason to wait
_BATCH = 256
_GREET_S = 0.5


class Wire:
    """This worker's end of all control messages.

    A prefill worker listens, decode workers connect. Who sent a message is what
    its envelope says; the socket it came from is only where answers go.

    Args:
        peers: judges what comes in.
    """

    def __init__(self, peers: Peers, trace: Trace | None = None) -> None:
        self.peers, self.trace = peers, trace or Trace.off()
        self.dropped = 0
        self._context = zmq.Context()
        self._sockets: list[zmq.Socket[bytes]] = []
        # A context that still has sockets would block the end of a process that fails before it comes to `close`.
        self._end = weakref.finalize(self, _end, self._context, self._sockets)
        self._dealers: dict[str, zmq.Socket[bytes]] = {}
        self._ways: dict[str, Callable[[bytes], object]] = {}
        self._poller = zmq.Poller()
        self._greeted: dict[str, float] = {}

    def listen(self, address: str) -> str:
        """Take connections at ``address`` (`tcp://127.0.0.1:*` takes any port); the address it has become.

        Raises:
            VeriserveError: it can't be bound.
        """
        socket = self._socket(zmq.ROUTER)
        try:
            socket.bind(address)
        except zmq.ZMQError as error:
            raise VeriserveError(
                f"Control messages can't be received: {error}", where=address, todo="Choose another address or port"
            ) from None
        return socket.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0")

    def connect(self, name: str, address: str) -> None:
        """Reach the worker ``name`` at ``address``, no longer where it was before; it is greeted until it has joined."""
        if (before := self._dealers.pop(name, None)) is not None:
            self._poller.unregister(before)
            self._sockets.remove(before)
            before.close(linger=0)
        socket = self._dealers[name] = self._socket(zmq.DEALER)
        socket.connect(address)
        self._ways[name] = lambda data: socket.send(data, zmq.NOBLOCK)
        self._send(name, Envelope(self.peers.me, ANY, self.trace.clock + 1, self.peers.hello))

    def send(self, peer: Peer, message: Message) -> None:
        """Send ``message`` to this incarnation of a worker, or drop it where it can't go out at once."""
        self._send(peer.name, Envelope(self.peers.me, peer.incarnation, self.trace.clock + 1, message))

    def receive(self, now: float, wait_s: float = 0.0) -> list[News]:
        """All that has come in by now, or within ``wait_s``; greets workers that have not joined."""
        for name in self._dealers:
            if self.peers.incarnation(name) is None and now >= self._greeted.get(name, now):
                self._greeted[name] = now + _GREET_S
                self._send(name, self.peers.greeting(name, self.trace.clock + 1))
        news: list[News] = []
        for socket, _ in self._poller.poll(int(1000 * wait_s)):
            for _ in range(_BATCH):
                try:
                    *way, data = socket.recv_multipart(zmq.NOBLOCK)
                except zmq.Again:
                    break
                news += self._take(socket, way, data)
        return news

    def close(self) -> None:
        """Say goodbye and end."""
        for name in list(self._ways):
            if (incarnation := self.peers.incarnation(name)) is not None:
                self.send(Peer(name, incarnation), Bye())
        self._end()

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        socket: zmq.Socket[bytes] = self._context.socket(kind)
        socket.setsockopt(zmq.SNDHWM, _HELD)
        socket.setsockopt(zmq.RCVHWM, _HELD)
        socket.setsockopt(zmq.LINGER, 200)
        self._sockets.append(socket)
        self._poller.register(socket, zmq.POLLIN)
        return socket

    def _take(self, socket: zmq.Socket[bytes], way: list[bytes], data: bytes) -> list[News]:
        try:
            envelope = unpack(data)
        except MessageError:
            self.dropped += 1
            return []
        self.trace.received(envelope)
        news, replies = self.peers.receive(envelope)
        name = envelope.source.name
        if way and any(isinstance(each, Joined | Heard) for each in news) or (way and name not in self._ways):
            self._ways[name] = lambda data: socket.send_multipart([*way, data], zmq.NOBLOCK)
        for reply in replies:
            self._send(name, Envelope(reply.source, reply.to, self.trace.clock + 1, reply.message))
        if any(isinstance(each, Lost) for each in news):
            self._greeted.pop(name, None)
        return news

    def _send(self, name: str, envelope: Envelope) -> None:
        self.trace.sent(envelope)
        way = self._ways.get(name)
        try:
            if way is None:
                raise zmq.Again
            way(pack(envelope))
        except zmq.ZMQError:
            self.dropped += 1


def _end(context: zmq.Context[zmq.Socket[bytes]], sockets: list[zmq.Socket[bytes]]) -> None:
    for socket in sockets:
        socket.close()
    context.term()
