"""The prefix cache: a radix tree over whole pages, whose nodes hold tickets and which evicts what nobody reads, LRU."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

import numpy as np

from veriserve.ledger_types import Tickets, join


class Node:
    """A run of pages: their tokens, their tickets, and how many requests hold this run or one below it."""

    __slots__ = ("children", "locks", "parent", "tickets", "tokens", "used")

    def __init__(self, tokens: np.ndarray, tickets: Tickets, parent: Node | None, used: int) -> None:
        self.tokens = tokens
        self.tickets = tickets
        self.parent = parent
        self.used = used
        self.locks = 0
        self.children: dict[bytes, Node] = {}

    @property
    def size(self) -> int:
        """Pages in this run."""
        return len(self.tickets.page)


class RadixCache:
    """Which sequences of whole pages are SHARED, and where.

    The tree is an index: what a page's state is, and who reads it, the ledger knows. A locked node is not evicted,
    nor is any above it. ``pages`` counts the pages in the tree, ``evictable`` those that no lock covers.
    """

    def __init__(self, page_size: int) -> None:
        self.page_size = page_size
        self.root = Node(np.empty(0, np.int64), join([]), None, 0)
        self.pages = 0
        self.evictable = 0
        self._clock = 0

    def match(self, tokens: np.ndarray) -> tuple[Node, Tickets]:
        """The node that ends the longest cached prefix of ``tokens`` in whole pages, and that prefix's tickets."""
        self._clock += 1
        node, found, at = self.root, [], 0
        while (child := node.children.get(self._key(tokens[at:]))) is not None:
            length = self._common(child.tokens, tokens[at:])
            if length < len(child.tokens):
                child = self._split(child, length)
            child.used = self._clock
            found.append(child.tickets)
            node, at = child, at + length
        return node, join(found)

    def insert(self, tokens: np.ndarray, tickets: Tickets) -> tuple[Node, Tickets]:
        """Index ``tickets`` under ``tokens``, one page each; also returns the tickets of those that were there already.

        Those first pages keep the tickets they had: of two requests that computed the same content, the first is
        shared and the second's copy is a duplicate.
        """
        node, known = self.match(tokens)
        count = len(known.page)
        if count < len(tickets.page):
            rest = tokens[count * self.page_size :]
            child = Node(rest, tickets.take(slice(count, None)), node, self._clock)
            node.children[self._key(rest)] = child
            self.pages += child.size
            self.evictable += child.size
            node = child
        return node, known

    def lock(self, node: Node) -> None:
        """Keep ``node`` and all above it."""
        for each in self._upward(node):
            if each.locks == 0:
                self.evictable -= each.size
            each.locks += 1

    def unlock(self, node: Node) -> None:
        """Take one ``lock`` back."""
        for each in self._upward(node):
            assert each.locks > 0, "unlock without a lock"
            each.locks -= 1
            if each.locks == 0:
                self.evictable += each.size

    def evict(self, count: int, quiet: Callable[[Node], bool]) -> Tickets:
        """Take up to ``count`` pages out of the tree, from the ends of the least recently used runs.

        A run that is not ``quiet`` stays, for something other than a request still reads it.
        """
        leaves = [(node.used, id(node), node) for node in self._nodes() if self._loose(node) and quiet(node)]
        heapq.heapify(leaves)
        taken: list[Tickets] = []
        while count > 0 and leaves:
            _, _, leaf = heapq.heappop(leaves)
            part = min(count, leaf.size)
            keep = leaf.size - part
            taken.append(leaf.tickets.take(slice(keep, None)))
            count -= part
            self.pages -= part
            self.evictable -= part
            if keep:
                leaf.tokens, leaf.tickets = leaf.tokens[: keep * self.page_size], leaf.tickets.take(slice(keep))
                continue
            parent = leaf.parent
            assert parent is not None
            del parent.children[self._key(leaf.tokens)]
            if parent is not self.root and self._loose(parent) and quiet(parent):
                heapq.heappush(leaves, (parent.used, id(parent), parent))
        return join(taken)

    def tickets(self) -> Tickets:
        """Every ticket in the tree."""
        return join([node.tickets for node in self._nodes()])

    def check_integrity(self) -> str:
        """The counts as text; raises an AssertionError where they do not add up."""
        nodes = list(self._nodes())
        pages = sum(node.size for node in nodes)
        free = sum(node.size for node in nodes if not node.locks)
        held = self.pages - self.evictable
        assert (pages, free) == (self.pages, self.evictable), (
            f"prefix cache: {pages} pages in the tree, {self.pages} counted; {free} without a lock, "
            f"{self.evictable} counted evictable, {held} held"
        )
        for node in nodes:
            assert len(node.tokens) == node.size * self.page_size, "a node's tokens are not whole pages"
            below = sum(child.locks for child in node.children.values())
            assert node.locks >= below, f"a node has {node.locks} locks, the nodes below it {below}"
        return f"prefix cache: {held} held + {free} evictable = {pages}"

    def _loose(self, node: Node) -> bool:
        return not node.children and not node.locks

    def _key(self, tokens: np.ndarray) -> bytes:
        """The first page of ``tokens``; no child has the key of less than a page."""
        return tokens[: self.page_size].tobytes() if len(tokens) >= self.page_size else b""

    def _common(self, left: np.ndarray, right: np.ndarray) -> int:
        """The length of the common prefix in whole pages, in tokens."""
        shorter = min(len(left), len(right))
        different = np.flatnonzero(left[:shorter] != right[:shorter])
        length = int(different[0]) if len(different) else shorter
        return length - length % self.page_size

    def _split(self, node: Node, length: int) -> Node:
        """Cut ``node`` after ``length`` tokens; returns the new upper half, which inherits locks and place."""
        assert node.parent is not None
        pages = length // self.page_size
        upper = Node(node.tokens[:length], node.tickets.take(slice(pages)), node.parent, node.used)
        upper.locks = node.locks
        node.parent.children[self._key(upper.tokens)] = upper
        node.tokens, node.tickets, node.parent = node.tokens[length:], node.tickets.take(slice(pages, None)), upper
        upper.children[self._key(node.tokens)] = node
        return upper

    def _upward(self, node: Node) -> Iterator[Node]:
        while node.parent is not None:
            yield node
            node = node.parent

    def _nodes(self) -> Iterator[Node]:
        stack = list(self.root.children.values())
        while stack:
            node = stack.pop()
            stack.extend(node.children.values())
            yield node
