"""The ZeroMQ sockets between prefill and decode: every message is real; each is logged when sent and read on command."""

from __future__ import annotations

from collections import deque
from typing import Any

import zmq
from gates import Gates

_SUCCESS, _FAILED = b"4", b"0"
_NIXL_GUARD = b"NixlMsgGuard"


class Wire:
    """Messages under way, by prefill rank: ``down`` from decode, ``up`` to decode, as (kind, room, event)."""

    def __init__(self, gates: Gates, ranks: list[str]) -> None:
        self._gates = gates
        self.down: dict[str, list[tuple[str, int]]] = {rank: [] for rank in ranks}
        self.up: dict[str, list[tuple[str, int]]] = {rank: [] for rank in ranks}
        self.heard: list[tuple[str, str, int]] = []
        self.want: str = ranks[0]
        self._ports: dict[str, str] = {}
        self._roles: dict[int, str] = {}
        self._stash: dict[str, deque[list[bytes]]] = {rank: deque() for rank in ranks}
        self._send = zmq.Socket.send_multipart
        self._recv = zmq.Socket.recv_multipart
        wire = self

        def send_multipart(socket: Any, frames: Any, *args: Any, **options: Any) -> Any:
            wire._sent(socket, list(frames))
            return wire._send(socket, frames, *args, **options)

        def recv_multipart(socket: Any, *args: Any, **options: Any) -> Any:
            role = wire._roles.get(id(socket))
            if role is None:
                return wire._recv(socket, *args, **options)
            return wire._read(socket, role)

        zmq.Socket.send_multipart = send_multipart
        zmq.Socket.recv_multipart = recv_multipart

    def own(self, socket: Any, port: int, role: str) -> None:
        """``socket``, bound to ``port``, is read by the thread of ``role`` only."""
        self._roles[id(socket)] = role
        if role.startswith("control"):
            self._ports[str(port)] = role.split()[1]

    def restore(self) -> None:
        zmq.Socket.send_multipart, zmq.Socket.recv_multipart = self._send, self._recv

    def _sent(self, socket: Any, frames: list[bytes]) -> None:
        message = parse(frames)
        if message is None:
            return
        if message[0] in ("meta", "abort"):
            port = socket.getsockopt(zmq.LAST_ENDPOINT).decode().rstrip("\0").rsplit(":", 1)[1]
            self.down[self._ports[port]].append(message)
        else:
            self.up[(self._gates.role() or "").split()[1]].append(message)

    def _read(self, socket: Any, role: str) -> list[bytes]:
        gates = self._gates
        if gates.role() != role:
            gates.adopt(role)
        while True:
            while not gates.closed:
                if socket.poll(10):
                    return self._take(socket, role, None)
            turn = gates.turns[role]
            turn.stage, turn.room, turn.marked, turn.stopped = "recv", None, False, False
            gates.stop("recv")
            if gates.closed:
                frames = self._take(socket, role, self.want if role == "manager" else None)
                message = parse(frames)
                if message is not None:
                    turn.stage, turn.room = message
                    return frames
                return frames

    def _take(self, socket: Any, role: str, rank: str | None) -> list[bytes]:
        """The next real message; for decode that of ``rank``, since links of two ranks are independent."""
        while True:
            if rank is not None and self._stash[rank]:
                return self._log(role, self._stash[rank].popleft())
            if rank is None and role == "manager":
                for waiting in self._stash.values():
                    if waiting:
                        return self._log(role, waiting.popleft())
            frames = self._recv(socket)
            if role != "manager" or rank is None:
                return self._log(role, frames)
            sender = self._sender(frames)
            if sender is None or sender == rank:
                return self._log(role, frames)
            self._stash[sender].append(frames)

    def _sender(self, frames: list[bytes]) -> str | None:
        if parse(frames) is None or len(frames) < 3:
            return None
        return f"p{int(frames[2]) + 1}"

    def _log(self, role: str, frames: list[bytes]) -> list[bytes]:
        message = parse(frames)
        if message is not None:
            rank = role.split()[1] if role.startswith("control") else self._sender(frames) or next(iter(self.up))
            queue = self.down[rank] if role.startswith("control") else self.up[rank]
            if message in queue:
                queue.remove(message)
            self.heard.append((rank, *message))
        return frames


def parse(frames: list[bytes]) -> tuple[str, int] | None:
    """(kind, room) of a message that the model knows, in the model's words; None for registration and the like."""
    if bytes(frames[0]) == _NIXL_GUARD:
        frames = frames[1:]
    head = bytes(frames[0])
    if head == b"ABORT":
        return "abort", int(frames[1])
    if head == b"ABORT_ACK":
        return "ack", int(frames[1])
    if not head.isdigit():
        return None
    if len(frames) == 3:
        return {_SUCCESS: "success", _FAILED: "failed"}[bytes(frames[1])], int(head)
    return "meta", int(head)
