"""Which tickets of its peers a worker has answered for, and how: each is answered once."""

from __future__ import annotations

from dataclasses import dataclass, field

from veriserve.messages import Peer, Report

Ticket = tuple[int, int]


@dataclass
class _Page:
    """The newest generation of a peer's page that was answered for; by room, the report (none while it moves)."""

    gen: int
    rooms: dict[int, Report | None] = field(default_factory=dict)


class AnswerBook:
    """For each page of each peer the answers to its newest generation; older ones are late, and dropped.

    So its size is bounded by the peers' pools. A page that several rooms read has one answer for each.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._pages: dict[Peer, dict[int, _Page]] = {}

    def is_fresh(self, peer: Peer, room: int, ticket: Ticket) -> bool:
        """Whether the ticket was never answered for in this room, and none of its page since."""
        page = self._pages.get(peer, {}).get(ticket[0])
        return page is None or ticket[1] > page.gen or (ticket[1] == page.gen and room not in page.rooms)

    def start(self, peer: Peer, room: int, ticket: Ticket) -> None:
        """The answer to a ticket is a transfer, whose end is to be reported."""
        self._page(peer, ticket).rooms[room] = None

    def answer(self, peer: Peer, ticket: Ticket, report: Report) -> None:
        """The answer is final. One to an older generation than the newest is not kept: nobody asks for it any more."""
        page = self._page(peer, ticket)
        if page.gen == ticket[1]:
            page.rooms[report.room] = report

    def answered(self, peer: Peer, room: int, ticket: Ticket) -> Report | None:
        """The final answer to a ticket, if there is one."""
        page = self._pages.get(peer, {}).get(ticket[0])
        return page.rooms.get(room) if page is not None and page.gen == ticket[1] else None

    def forget(self, peer: Peer, room: int) -> None:
        """Drop what was answered in a room."""
        for page in self._pages.get(peer, {}).values():
            page.rooms.pop(room, None)

    def lost(self, peer: Peer) -> None:
        """This incarnation of the peer asks for nothing any more."""
        self._pages.pop(peer, None)

    def _page(self, peer: Peer, ticket: Ticket) -> _Page:
        pages = self._pages.setdefault(peer, {})
        page = pages.get(ticket[0])
        if page is None or ticket[1] > page.gen:
            page = pages[ticket[0]] = _Page(ticket[1])
        return page
