"""The two sides of the link over a channel that loses, doubles, delays and reorders: the control plane alone."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from link_world import DEADLINE_S, PAGES, D, P, World

from veriserve.evidence import Event
from veriserve.ledger_types import State
from veriserve.messages import Abort, Failed, Prefill, Ready, Report, unpack

MODES = ["pull", "push"]


class LossyLink(RuleBasedStateMachine):
    """Whatever the schedule: no transfer lands in a page that was given to another request, what has landed is right,
    no room ends twice, and once the faults are over every room has ended and every page is free, or in quarantine
    for a transfer that nobody can vouch for."""

    @initialize(mode=st.sampled_from(MODES))
    def begin(self, mode):
        self.world = World(mode)

    @rule(pages=st.integers(1, 3))
    def start(self, pages):
        self.world.start(pages)

    @precondition(lambda self: self.world.prefill.jobs)
    @rule()
    def compute(self):
        self.world.compute(self.world.prefill.jobs.popleft())

    @rule(side=st.sampled_from("pd"), data=st.data(), fate=st.sampled_from(["once", "once", "twice", "lost"]))
    def message(self, side, data, fate):
        queue = self.world.net.to_p if side == "p" else self.world.net.to_d
        if not queue:
            return
        which = data.draw(st.integers(0, len(queue) - 1))
        message = queue[which] if fate == "twice" else queue.pop(which)
        if fate != "lost":
            self.world.deliver(side, message)

    @rule(data=st.data(), event=st.sampled_from([Event.DONE, Event.DONE, Event.FAILED, Event.GAVE_UP]))
    def transfer(self, data, event):
        able = [each for each in self.world.transfers if not each.told]
        if able:
            self.world.end(data.draw(st.sampled_from(able)), event)

    @rule(data=st.data())
    def lands_late(self, data):
        able = [each for each in self.world.transfers if each.told]
        if able:
            transfer = data.draw(st.sampled_from(able))
            self.world.land(transfer)
            self.world.transfers.remove(transfer)

    @rule(room=st.integers(1, 8))
    def abort(self, room):
        self.world.decode.abort(room, self.world.now)

    @rule(seconds=st.sampled_from([0.0, 0.3, 1.0, 4.0, DEADLINE_S]))
    def time(self, seconds):
        self.world.step(seconds)

    @precondition(lambda self: self.world.ended_d)
    @rule()
    def finish(self):
        self.world.finish(self.world.ended_d[0])

    @invariant()
    def books(self):
        if hasattr(self, "world"):
            self.world.check()

    def teardown(self):
        if not hasattr(self, "world"):
            return
        world = self.world
        world.settle()
        assert set(world.outcomes["d"]) == set(world.rooms), "a room never ended"
        for ledger in world.ledgers.values():
            counts = ledger.counts()
            assert counts["FREE"] + counts["QUARANTINED"] == PAGES, counts
        stuck = sum(ledger.counts()["QUARANTINED"] for ledger in world.ledgers.values())
        assert stuck == 0 or any(ledger.unproven_tickets for ledger in world.ledgers.values())


TestLossyLink = LossyLink.TestCase
TestLossyLink.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@pytest.mark.parametrize("mode", MODES)
def test_a_room_without_faults(mode):
    world = World(mode)
    world.start(3)
    world.settle()
    assert world.outcomes["d"][1].what == "landed" and world.outcomes["p"][1].what == "through"
    assert [ledger.free for ledger in world.ledgers.values()] == [PAGES, PAGES]


@pytest.mark.parametrize("mode", MODES)
def test_source_pages_are_held_until_decode_has_reported(mode):
    world = World(mode)
    world.until_transfers(2)
    for transfer in list(world.transfers):
        assert world.ledgers["p"].counts()["PRIVATE"] == 2
        world.end(transfer, Event.DONE)
    if mode == "pull":  # all has landed, and P does not know it yet
        world.step(1.0)
        assert world.outcomes["d"][1].what == "landed" and world.ledgers["p"].counts()["PRIVATE"] == 2
        for data in [each for each in world.net.to_p if isinstance(unpack(each).message, Report)]:
            world.deliver("p", data)
    world.step(0.0)
    assert world.outcomes["p"][1].what == "through" and world.ledgers["p"].free == PAGES


def test_push_quarantines_a_destination_after_anything_but_proof():
    world = World("push")
    world.until_transfers(2)
    first, second = world.transfers
    world.end(first, Event.FAILED)
    world.deliver("d", world.net.to_d.pop(0))
    world.step(0.0)
    assert world.outcomes["d"][1].what == "failed" and world.ledgers["d"].counts()["QUARANTINED"] == 2
    world.end(second, Event.DONE)
    world.settle()
    # The second has proof by now; of the first nothing will ever be known, and it may still land.
    counts = world.ledgers["d"].counts()
    assert (counts["QUARANTINED"], counts["FREE"]) == (1, PAGES - 1)
    world.land(first)


def test_pull_after_a_wall_clock_answer_keeps_both_pages():
    world = World("pull")
    world.until_transfers(1)
    world.end(world.transfers[0], Event.GAVE_UP)
    world.settle()
    assert world.ledgers["d"].counts()["QUARANTINED"] == 1 and world.ledgers["p"].counts()["QUARANTINED"] == 1
    assert world.outcomes["d"][1].what == "failed" and world.outcomes["p"][1].what == "timeout"


@pytest.mark.parametrize("mode", MODES)
def test_a_deadline_without_evidence_quarantines_and_later_evidence_frees(mode):
    world = World(mode)
    world.until_transfers(2)
    world.step(DEADLINE_S + 3)
    assert world.outcomes["d"][1].what == "timeout" and world.ledgers["d"].counts()["QUARANTINED"] == 2
    world.settle()
    assert [ledger.free for ledger in world.ledgers.values()] == [PAGES, PAGES]


@pytest.mark.parametrize("mode", MODES)
def test_an_abort_before_anything_was_heard_frees_at_once_or_drains(mode):
    world = World(mode)
    world.start(2)
    prefill = world.net.to_p.pop(0)
    world.decode.abort(1, world.now)
    world.step(0.0)
    # In pull mode nobody knows of the pages; in push mode the offer may still arrive, so they drain.
    assert world.ledgers["d"].counts()["DRAINING" if mode == "push" else "FREE"] == (2 if mode == "push" else PAGES)
    world.deliver("p", world.net.to_p.pop(0))  # the Abort overtakes the request
    world.deliver("p", prefill)
    assert not world.prefill.jobs and not world.transfers
    world.settle()
    assert world.ledgers["d"].free == PAGES and world.outcomes["d"][1].what == "aborted"


def test_a_request_that_comes_again_after_its_failed_write_is_never_called_refused():
    world = World("push")
    world.start(1)
    ask = world.net.to_p[0]
    world.deliver("p", world.net.to_p.pop(0))
    world.compute(world.prefill.jobs.popleft())
    world.end(world.transfers[0], Event.FAILED)
    world.step(0.0)
    world.net.to_d.clear()
    world.deliver("p", ask)
    assert [unpack(each).message.what for each in world.net.to_d] == ["failed"] and not world.prefill.jobs


@pytest.mark.parametrize("mode", MODES)
def test_a_prompt_that_cannot_be_computed_ends_the_room(mode):
    world = World(mode)
    world.start(2)
    world.deliver("p", world.net.to_p.pop(0))
    world.prefill.failed(world.prefill.jobs.popleft(), "no pages", world.now)
    world.settle()
    assert world.outcomes["d"][1].what == "failed" and world.ledgers["d"].free == PAGES


def test_a_peer_that_ended_leaves_its_source_pages_in_quarantine_and_late_words_are_dropped():
    world = World("pull")
    world.until_transfers(1)
    world.prefill.lost(D, world.now)
    world.step(0.0)
    ledger = world.ledgers["p"]
    assert ledger.counts()["QUARANTINED"] == 1 and world.outcomes["p"][1].what == "failed"
    tickets = ledger.open_leases[1].tickets.pairs()
    world.prefill.receive(D, Report(9, tickets, "done", []), world.now)
    assert ledger.late_tickets == 1 and ledger.counts()["QUARANTINED"] == 1
    world.prefill.receive(D, Report(1, tickets, "done", []), world.now)  # it was under way when its sender died
    assert ledger.free == PAGES
    world.prefill.receive(D, Report(1, tickets, "done", []), world.now)
    assert ledger.late_tickets == 2


def test_words_that_name_no_page_or_fit_no_mode_are_counted():
    world = World("pull")
    world.start(1)
    world.prefill.receive(D, Report(1, [(PAGES, 1)], "done", []), 0.0)
    assert world.prefill.exposer.dropped == 1
    world.decode.receive(P, Prefill(1, [1], 1.0, 0, []), 0.0)
    world.prefill.receive(D, Failed(1, "?"), 0.0)
    assert (world.decode.dropped, world.prefill.dropped) == (1, 1)
    world.decode.receive(P, Ready(7, 0, [(0, 1)], []), 0.0)
    assert unpack(world.net.to_p[-1]).message == Report(7, [(0, 1)], "refused", [])
    world.decode.receive(P, Abort(8, [(0, 1)]), 0.0)
    assert unpack(world.net.to_p[-1]).message.what == "refused"
    assert State(world.ledgers["d"].state[0]) is State.PRIVATE


def test_a_late_copy_of_a_request_whose_pages_were_given_out_again_starts_nothing():
    world = World("push")
    world.start(PAGES)
    late = world.net.to_p[0]
    world.settle()
    world.start(PAGES)
    world.settle()
    assert [outcome.what for outcome in world.outcomes["d"].values()] == ["landed", "landed"]
    world.deliver("p", late)
    assert not world.prefill.jobs and not world.net.to_d and world.prefill.mover.book.dropped == PAGES
