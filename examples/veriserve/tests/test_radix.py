"""The prefix cache against a plain dictionary of prefixes, by random steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriserve.ledger_types import Tickets
from veriserve.radix import Node, RadixCache

SEQUENCE = st.lists(st.integers(0, 1), min_size=0, max_size=12)
STEP = st.one_of(
    st.tuples(st.just("insert"), SEQUENCE, st.booleans()),
    st.tuples(st.just("match"), SEQUENCE, st.booleans()),
    st.tuples(st.just("unlock"), st.integers(0, 100), st.none()),
    st.tuples(st.just("evict"), st.integers(0, 8), st.none()),
)


def array(tokens: list[int]) -> np.ndarray:
    return np.asarray(tokens, np.int64)


@pytest.mark.parametrize("size", [1, 2])
@given(steps=st.lists(STEP, max_size=40))
@settings(max_examples=60, deadline=None)
def test_it_is_a_dictionary_of_prefixes(size: int, steps: list[tuple]) -> None:
    cache, prefixes, locked = RadixCache(size), {}, []
    fresh = iter(range(10_000))

    def known(tokens: list[int]) -> list[int]:
        """The pages of the longest prefix that the dictionary has."""
        found = []
        for end in range(size, len(tokens) + 1, size):
            if tuple(tokens[:end]) not in prefixes:
                break
            found.append(prefixes[tuple(tokens[:end])])
        return found

    def keep(node: Node, tokens: tuple[int, ...]) -> None:
        cache.lock(node)
        locked.append((node, tokens))

    for name, value, lock in steps:
        if name == "match":
            node, tickets = cache.match(array(value))
            assert tickets.page.tolist() == known(value)
            if lock:
                keep(node, tuple(value[: len(tickets.page) * size]))
        elif name == "insert":
            whole = value[: len(value) - len(value) % size]
            before = known(whole)
            pages = before + [next(fresh) for _ in range(len(whole) // size - len(before))]
            node, tickets = cache.insert(array(whole), Tickets.of([(page, 1) for page in pages]))
            assert tickets.page.tolist() == before
            for i, page in enumerate(pages):
                prefixes[tuple(whole[: (i + 1) * size])] = page
            if lock:
                keep(node, tuple(whole))
        elif name == "unlock" and locked:
            cache.unlock(locked.pop(value % len(locked))[0])
        elif name == "evict":
            taken = cache.evict(value, lambda node: True).page.tolist()
            assert len(taken) == min(value, sum(not held(key, locked) for key in prefixes))
            for key in [key for key, page in prefixes.items() if page in taken]:
                assert not held(key, locked), "evicted beneath a lock"
                del prefixes[key]
            assert all(key[:-size] in prefixes for key in prefixes if len(key) > size), "evicted above what stays"
        cache.check_integrity()
        assert sorted(cache.tickets().page.tolist()) == sorted(prefixes.values())
        assert cache.evictable == sum(not held(key, locked) for key in prefixes)


def held(key: tuple[int, ...], locked: list[tuple[Node, tuple[int, ...]]]) -> bool:
    """Whether a lock covers this prefix. A lock keeps its node whole, so it is at least the prefix it was taken for."""
    return any(tokens[: len(key)] == key for _, tokens in locked)


def test_the_least_recently_used_goes_first_and_from_its_end() -> None:
    cache = RadixCache(2)
    cache.insert(array([1, 1, 2, 2]), Tickets.of([(1, 1), (2, 1)]))
    cache.insert(array([3, 3, 4, 4]), Tickets.of([(3, 1), (4, 1)]))
    cache.match(array([1, 1]))
    assert cache.evict(2, lambda node: True).pairs() == [(2, 1), (4, 1)]
    assert cache.match(array([3, 3, 4, 4]))[1].pairs() == [(3, 1)]
    assert cache.evict(1, lambda node: True).pairs() == [(1, 1)]


def test_what_is_not_quiet_stays() -> None:
    cache = RadixCache(1)
    cache.insert(array([1, 2]), Tickets.of([(1, 1), (2, 1)]))
    assert cache.evict(2, lambda node: 2 not in node.tickets.page).pairs() == []
