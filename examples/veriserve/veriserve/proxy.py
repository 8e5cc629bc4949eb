"""A proxy between workers that loses, doubles, delays and reorders control messages, by a seed: for fault tests.

``python -m veriserve.proxy LISTEN CONNECT --drop 0.2 --double 0.1 --delay 0.05 --seed 7``
prints the address that it listens at; decode workers connect there instead of
to the prefill worker at CONNECT.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import random
import time
from dataclasses import dataclass
from typing import Any

import zmq


@dataclass(frozen=True)
class Faults:
    """Chances per message of being lost or doubled, and the longest delay in seconds.

    Each copy is delayed on its own, so messages overtake each other.
    """

    drop: float = 0.0
    double: float = 0.0
    delay_s: float = 0.0


class Schedule:
    """What happens to each message of one direction. The same seed gives the same fates, message by message."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self.faults, self._random = faults, random.Random(seed)
        self.lost = self.doubled = 0

    def fates(self) -> list[float]:
        """The delays after which copies of the next message go out: none if it is lost."""
        draw, faults = self._random.random, self.faults
        lost, doubled, delays = draw() < faults.drop, draw() < faults.double, [draw(), draw()]
        self.lost += lost
        self.doubled += doubled and not lost
        return [] if lost else [each * faults.delay_s for each in delays[: 1 + doubled]]


class Proxy:
    """Listens for decode workers at ``listen`` and passes their messages on to ``connect``, and the answers back."""

    def __init__(self, listen: str, connect: str, faults: Faults, seed: int) -> None:
        self.to, self.back = Schedule(faults, seed), Schedule(faults, seed + 1)
        self._context = zmq.Context()
        self._front = self._context.socket(zmq.ROUTER)
        self._front.bind(listen)
        self.address = self._front.getsockopt_string(zmq.LAST_ENDPOINT)
        self._connect = connect
        self._dealers: dict[bytes, zmq.Socket[bytes]] = {}
        self._poller = zmq.Poller()
        self._poller.register(self._front, zmq.POLLIN)
        self._due: list[tuple[float, int, Any, list[bytes]]] = []
        self._count = itertools.count()

    def run(self) -> None:
        """Pass messages on, for ever."""
        while True:
            self.step(time.monotonic())

    def step(self, now: float) -> None:
        """One round: what has come in gets its fate, what is due goes out."""
        wait = 20 if not self._due else max(0, min(20, int(1000 * (self._due[0][0] - now)) + 1))
        for socket, _ in self._poller.poll(wait):
            parts = socket.recv_multipart()
            if socket is self._front:
                self._plan(now, self.to, self._dealer(parts[0]), parts[1:])
            else:
                way = next(way for way, dealer in self._dealers.items() if dealer is socket)
                self._plan(now, self.back, self._front, [way, *parts])
        while self._due and self._due[0][0] <= time.monotonic():
            _, _, socket, parts = heapq.heappop(self._due)
            try:
                socket.send_multipart(parts, zmq.NOBLOCK)
            except zmq.ZMQError:
                pass  # one more that is lost

    def _plan(self, now: float, schedule: Schedule, socket: Any, parts: list[bytes]) -> None:
        for delay in schedule.fates():
            heapq.heappush(self._due, (now + delay, next(self._count), socket, parts))

    def _dealer(self, way: bytes) -> zmq.Socket[bytes]:
        if way not in self._dealers:
            socket: zmq.Socket[bytes] = self._context.socket(zmq.DEALER)
            socket.connect(self._connect)
            self._poller.register(socket, zmq.POLLIN)
            self._dealers[way] = socket
        return self._dealers[way]


def main() -> None:
    """Start a proxy from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("listen", help="address for decode workers, as tcp://127.0.0.1:*")
    parser.add_argument("connect", help="address of the prefill worker")
    parser.add_argument("--drop", type=float, default=0.0, help="chance of losing a message")
    parser.add_argument("--double", type=float, default=0.0, help="chance of sending it twice")
    parser.add_argument("--delay", type=float, default=0.0, help="longest delay in seconds")
    parser.add_argument("--seed", type=int, default=0, help="of all these chances")
    options = parser.parse_args()
    proxy = Proxy(options.listen, options.connect, Faults(options.drop, options.double, options.delay), options.seed)
    print(proxy.address, flush=True)
    proxy.run()


if __name__ == "__main__":
    main()
