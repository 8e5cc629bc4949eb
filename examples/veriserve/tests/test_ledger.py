"""Each transition of the ledger: what it does, and each precondition's error."""

from __future__ import annotations

import numpy as np
import pytest

from veriserve.evidence import TRANSPORTS, Access, Event, false_evidence, proves_filled, proves_quiet
from veriserve.ledger import PdLedger
from veriserve.ledger_pages import GENERATIONS
from veriserve.ledger_types import Kind, LedgerError, OutOfPages, State, Tickets, join

STALE = Tickets.of([(0, 99)])


def states(ledger: PdLedger, tickets: Tickets) -> list[State]:
    return [State(value) for value in ledger.state[tickets.page]]


def filled(ledger: PdLedger, count: int, owner: int) -> Tickets:
    tickets = ledger.alloc(count, owner)
    ledger.complete(tickets, owner)
    return tickets


def refused(call, action: str, why: str, state: State | None = None, ticket: tuple[int, int] | None = None) -> None:
    with pytest.raises(LedgerError) as caught:
        call()
    error = caught.value
    assert error.action == action and why in error.why
    assert state is None or error.state is state
    assert ticket is None or error.ticket == ticket


def test_a_page_is_a_ticket_of_a_new_generation_each_time():
    ledger = PdLedger(2)
    first = ledger.alloc(2, 7)
    assert states(ledger, first) == [State.PRIVATE] * 2 and first.gen.tolist() == [1, 1]
    ledger.release(first, 7)
    assert states(ledger, first) == [State.FREE] * 2
    second = ledger.alloc(2, 8)
    assert sorted(second.page) == sorted(first.page) and second.gen.tolist() == [2, 2]
    refused(lambda: ledger.release(first, 7), "release", "stale", State.PRIVATE, (0, 1))


def test_alloc_is_all_or_nothing():
    ledger = PdLedger(3)
    ledger.alloc(2, 1)
    with pytest.raises(OutOfPages) as caught:
        ledger.alloc(2, 2)
    assert (caught.value.asked, caught.value.free) == (2, 1)
    assert ledger.free == 1
    refused(lambda: ledger.alloc(0, 1), "alloc", "positive")
    refused(lambda: ledger.alloc(1, -1), "alloc", "positive")


@pytest.mark.parametrize("kind", [Kind.KERNEL, Kind.HOST])
def test_release_under_a_lease_drains_until_it_closes(kind):
    ledger = PdLedger(2)
    tickets = filled(ledger, 1, 7)
    lease = ledger.open(tickets, kind, 7)
    ledger.release(tickets, 7)
    assert states(ledger, tickets) == [State.DRAINING]
    ledger.close(lease)
    assert states(ledger, tickets) == [State.FREE]
    refused(lambda: ledger.close(lease), "close", "closed already")


def test_only_evidence_closes_a_transfer():
    ledger = PdLedger(2)
    tickets = ledger.alloc(2, 7)
    lease = ledger.open(tickets, Kind.TRANSFER, 7, Access.WRITE_TARGET)
    refused(lambda: ledger.close(lease), "close", "only stop evidence")
    for event in (Event.FAILED, Event.GAVE_UP, Event.BATCH_DONE, Event.BATCH_FAILED, Event.UNREGISTERED):
        assert ledger.evidence(lease, tickets, event) == 0
    assert ledger.unproven_tickets == 10 and not ledger.full.any()
    assert ledger.evidence(lease, tickets.take(slice(0, 1)), Event.DONE) == 1
    assert ledger.full[tickets.page].tolist() == [True, False]
    assert ledger.evidence(lease, tickets, Event.REFUSED) == 1 and ledger.late_tickets == 1
    assert ledger.full[tickets.page].tolist() == [True, False]
    assert ledger.evidence(lease, tickets, Event.DONE) == 0 and ledger.late_tickets == 3


def test_a_timeout_without_evidence_is_quarantine_and_evidence_ends_it():
    ledger = PdLedger(2)
    tickets = ledger.alloc(2, 7)
    lease = ledger.open(tickets.take(slice(0, 1)), Kind.TRANSFER, 7, Access.READ_TARGET)
    ledger.timeout(tickets, 7)
    assert states(ledger, tickets) == [State.QUARANTINED, State.FREE]
    refused(lambda: ledger.timeout(tickets.take(slice(0, 1)), 7), "timeout", "not allowed", State.QUARANTINED)
    refused(lambda: ledger.release(tickets.take(slice(0, 1)), 7), "release", "not allowed", State.QUARANTINED)
    assert ledger.evidence(lease, tickets, Event.GAVE_UP) == 0
    assert states(ledger, tickets)[0] is State.QUARANTINED
    assert ledger.evidence(lease, tickets.take(slice(0, 1)), Event.FAILED) == 1
    assert states(ledger, tickets) == [State.FREE, State.FREE] and not ledger.full.any()


def test_draining_expires_into_quarantine_only_under_a_transfer():
    ledger = PdLedger(2)
    tickets = filled(ledger, 2, 7)
    kernel = ledger.open(tickets, Kind.KERNEL, 7)
    ledger.open(tickets.take(slice(0, 1)), Kind.TRANSFER, 7, Access.READ_SOURCE)
    ledger.release(tickets, 7)
    refused(lambda: ledger.expire(tickets), "expire", "under no transfer", State.DRAINING)
    ledger.expire(tickets.take(slice(0, 1)))
    refused(lambda: ledger.expire(tickets.take(slice(0, 1))), "expire", "not allowed", State.QUARANTINED)
    assert states(ledger, tickets) == [State.QUARANTINED, State.DRAINING]
    ledger.close(kernel)
    assert states(ledger, tickets) == [State.QUARANTINED, State.FREE]


def test_quarantine_outlasts_evidence_while_a_kernel_runs():
    ledger = PdLedger(1)
    tickets = filled(ledger, 1, 7)
    transfer = ledger.open(tickets, Kind.TRANSFER, 7, Access.WRITE_SOURCE)
    kernel = ledger.open(tickets, Kind.KERNEL, 7)
    ledger.timeout(tickets, 7)
    ledger.evidence(transfer, tickets, Event.DONE)
    assert states(ledger, tickets) == [State.QUARANTINED]
    ledger.close(kernel)
    assert states(ledger, tickets) == [State.FREE]


def test_each_transfer_has_a_lease_of_its_own():
    ledger = PdLedger(1)
    tickets = filled(ledger, 1, 7)
    first = ledger.open(tickets, Kind.TRANSFER, 7, Access.WRITE_SOURCE)
    second = ledger.open(tickets, Kind.TRANSFER, 7, Access.WRITE_SOURCE)
    ledger.release(tickets, 7)
    ledger.evidence(first, tickets, Event.FAILED)
    ledger.evidence(first, tickets, Event.FAILED)
    assert states(ledger, tickets) == [State.DRAINING]
    ledger.evidence(second, tickets, Event.DONE)
    assert states(ledger, tickets) == [State.FREE]


def publish(ledger: PdLedger, tickets: Tickets, owner: int, known: int = 0, parent: Tickets | None = None):
    return ledger.publish(tickets, np.arange(len(tickets.page)) >= known, owner, parent)


def test_the_second_of_two_equal_prefixes_is_a_duplicate():
    ledger = PdLedger(6)
    one, two = filled(ledger, 2, 1), filled(ledger, 3, 2)
    mask, lease = publish(ledger, one, 1)
    assert mask.tolist() == [True, True] and lease is not None and lease.kind is Kind.CACHE
    mask, lease = publish(ledger, two, 2, known=2, parent=one)
    assert mask.tolist() == [False, False, True] and lease is not None and lease.tickets.page.tolist() == [two.page[2]]
    assert states(ledger, two) == [State.DUP, State.DUP, State.SHARED]
    refused(lambda: publish(ledger, two.take(slice(0, 1)), 2), "publish", "not allowed", State.DUP)
    ledger.open(two.take(slice(0, 2)), Kind.KERNEL, 2)
    ledger.release(two.take(slice(0, 2)), 2)
    assert states(ledger, two)[:2] == [State.DRAINING] * 2
    refused(lambda: ledger.evict(one), "evict", "open lease", State.SHARED)
    assert ledger.counts()["SHARED"] == 3 and "SHARED 3" in ledger.check_integrity()


def test_a_prefix_is_evicted_from_its_end():
    ledger = PdLedger(4)
    tickets, other = filled(ledger, 3, 1), filled(ledger, 1, 1)
    for lease in (publish(ledger, tickets, 1).lease, publish(ledger, other, 1).lease):
        assert lease is not None
        ledger.close(lease)
    refused(lambda: ledger.evict(tickets.take(slice(0, 2))), "evict", "longer prefix", State.SHARED)
    ledger.evict(tickets.take(slice(2, 3)))
    ledger.evict(tickets.take(slice(0, 2)))
    assert ledger.free == 3 and states(ledger, other) == [State.SHARED]


def test_an_owner_lets_go_of_its_pages_and_its_references_at_once():
    ledger = PdLedger(3)
    shared = filled(ledger, 1, 1)
    first = publish(ledger, shared, 1).lease
    assert first is not None
    second = ledger.open(shared, Kind.CACHE, 2)
    own = ledger.alloc(1, 2)
    refused(lambda: ledger.release(own, 2, [first]), "release", "no open reference of 2")
    refused(lambda: ledger.release(own, 1, [first]), "release", "not owned by 1")
    refused(lambda: ledger.release(own.take(slice(0, 0)), 2), "release", "0 pages")
    assert ledger.leases[Kind.CACHE, shared.page].tolist() == [2]
    ledger.release(own, 2, [second])
    ledger.timeout(own.take(slice(0, 0)), 1, [first])
    ledger.evict(shared)
    refused(lambda: ledger.timeout(own.take(slice(0, 0)), 1, [first]), "timeout", "no open reference of 1")
    assert ledger.free == 3


def test_a_prefix_goes_on_below_its_parent():
    ledger = PdLedger(3)
    parent, child = filled(ledger, 1, 1), filled(ledger, 1, 2)
    refused(lambda: publish(ledger, child, 2, parent=parent), "publish after", "not allowed", State.PRIVATE)
    lease = publish(ledger, parent, 1).lease
    assert lease is not None
    ledger.close(lease)
    publish(ledger, child, 2, parent=parent)
    refused(lambda: ledger.evict(parent), "evict", "longer prefix")


def test_what_publish_refuses():
    ledger = PdLedger(4)
    empty, mine = ledger.alloc(1, 1), filled(ledger, 2, 1)
    refused(lambda: publish(ledger, empty, 1), "publish", "not complete", State.PRIVATE)
    refused(lambda: publish(ledger, mine, 2), "publish", "not owned by 2")
    refused(lambda: ledger.publish(mine, np.array([True]), 1), "publish", "must be the last")
    refused(lambda: ledger.publish(mine, np.array([True, False]), 1), "publish", "must be the last")
    refused(lambda: publish(ledger, mine, 1, known=1), "publish", "must be named")
    assert ledger.counts()["SHARED"] == 0


def test_what_complete_refuses():
    ledger = PdLedger(3)
    tickets = ledger.alloc(1, 1)
    refused(lambda: ledger.complete(tickets, 2), "complete", "not owned by 2", State.PRIVATE)
    lease = ledger.open(tickets, Kind.TRANSFER, 1, Access.READ_TARGET)
    refused(lambda: ledger.complete(tickets, 1), "complete", "under transfer")
    ledger.evidence(lease, tickets, Event.DONE)
    refused(lambda: ledger.complete(tickets, 1), "complete", "complete already")
    publish(ledger, tickets, 1)
    refused(lambda: ledger.complete(tickets, 1), "complete", "not allowed", State.SHARED)


def test_what_open_refuses():
    ledger = PdLedger(8)
    empty, mine, other = ledger.alloc(1, 1), filled(ledger, 1, 1), filled(ledger, 1, 2)
    shared = filled(ledger, 1, 2)
    publish(ledger, shared, 2)
    refused(lambda: ledger.open(STALE, Kind.KERNEL, 1), "open", "stale", ticket=(0, 99))
    refused(lambda: ledger.open(Tickets.of([(9, 1)]), Kind.KERNEL, 1), "open", "outside of 0..7")
    refused(lambda: ledger.open(Tickets.of([]), Kind.KERNEL, 1), "open", "0 pages")
    refused(lambda: ledger.open(join([mine, mine]), Kind.KERNEL, 1), "open", "comes twice")
    refused(lambda: ledger.open(other, Kind.KERNEL, 1), "open", "not owned by 1", State.PRIVATE)
    refused(lambda: ledger.open(empty, Kind.KERNEL, 1), "open", "not complete")
    refused(lambda: ledger.open(mine, Kind.CACHE, 1), "open", "not in the cache", State.PRIVATE)
    refused(lambda: ledger.open(mine, Kind.TRANSFER, 1), "open", "says how")
    refused(lambda: ledger.open(mine, Kind.KERNEL, 1, Access.READ_SOURCE), "open", "says how")
    refused(lambda: ledger.open(empty, Kind.TRANSFER, 1, Access.READ_SOURCE), "open", "not complete")
    refused(lambda: ledger.open(mine, Kind.TRANSFER, 1, Access.WRITE_TARGET), "open", "complete already")
    refused(lambda: ledger.open(shared, Kind.TRANSFER, 1, Access.READ_TARGET), "open", "not the owner's", State.SHARED)
    ledger.open(empty, Kind.TRANSFER, 1, Access.READ_TARGET)
    refused(lambda: ledger.open(empty, Kind.TRANSFER, 1, Access.READ_TARGET), "open", "has an open lease")
    refused(lambda: ledger.open(join([empty, shared]), Kind.KERNEL, 1, reads=0), "open", "to write", State.SHARED)
    ledger.open(join([shared, mine, empty]), Kind.KERNEL, 1, reads=2)


def test_a_kernel_lease_grows_with_the_table():
    ledger = PdLedger(4)
    first = filled(ledger, 1, 1)
    lease = ledger.open(first, Kind.KERNEL, 1)
    tail = ledger.alloc(1, 1)
    refused(lambda: ledger.extend(lease, tail, reads=1), "extend", "not complete")
    ledger.extend(lease, tail)
    refused(lambda: ledger.extend(lease, tail), "extend", "in the lease already")
    ledger.check_table(join([first, tail]))
    ledger.release(join([first, tail]), 1)
    assert ledger.free == 2
    ledger.close(lease)
    assert ledger.free == 4
    refused(lambda: ledger.extend(lease, tail), "extend", "closed")


def test_a_batch_is_checked_at_a_step():
    ledger = PdLedger(6)
    one, two = filled(ledger, 2, 1), filled(ledger, 2, 2)
    leases = [ledger.open(one, Kind.KERNEL, 1), ledger.open(two, Kind.KERNEL, 2)]
    ledger.check_table(join([one, two, one]))
    ledger.close(leases[1])
    refused(lambda: ledger.check_table(join([one, two])), "step over", "leased to no kernel", State.PRIVATE)
    ledger.release(one, 1)
    refused(lambda: ledger.check_table(one), "step over", "not allowed", State.DRAINING)
    ledger.close(leases[0])
    ledger.alloc(4, 3)
    refused(lambda: ledger.check_table(one), "step over", "stale", ticket=(int(one.page[0]), 1))


def test_a_restarted_worker_has_tickets_of_its_own():
    before, after = PdLedger(1, incarnation=3), PdLedger(1, incarnation=4)
    old, new = before.alloc(1, 7), after.alloc(1, 7)
    assert old.gen[0] == 3 * GENERATIONS + 1 and new.gen[0] == 4 * GENERATIONS + 1
    lease = after.open(new, Kind.TRANSFER, 7, Access.WRITE_TARGET)
    assert after.evidence(lease, old, Event.DONE) == 0 and after.late_tickets == 1 and not after.full.any()


def test_a_page_with_no_generations_left_is_retired():
    ledger = PdLedger(1, generations=2)
    ledger.release(ledger.alloc(1, 1), 1)
    with pytest.raises(OutOfPages):
        ledger.alloc(1, 1)
    assert "free list 0 + retired 1 = 1 (FREE 1)" in ledger.check_integrity()


def test_integrity_names_the_sum_that_is_off():
    ledger = PdLedger(4)
    tickets = filled(ledger, 2, 1)
    assert ledger.check_integrity().splitlines()[0] == (
        "FREE 2 + PRIVATE 2 + SHARED 0 + DRAINING 0 + QUARANTINED 0 + DUP 0 = 4 (pages 4)"
    )
    for field, value, says in [
        ("state", State.FREE, "free list 2 + retired 0 = 2 (FREE 3)"),
        ("state", State.DRAINING, "1 pages that drain or are in quarantine without a lease"),
        ("owner", -1, "owned 1 = 1 (PRIVATE + DUP 2)"),
    ]:
        array, page = getattr(ledger, field), tickets.page[0]
        kept, array[page] = array[page], value
        refused(ledger.check_integrity, "check_integrity", says)
        array[page] = kept
    ledger.leases[Kind.KERNEL, 0] += 1
    refused(ledger.check_integrity, "check_integrity", "KERNEL leases by page 1 = 1 (by lease 0)")


def test_the_table_of_evidence():
    quiet = {(access, event) for access in Access for event in Event if proves_quiet("tcp", access, event)}
    assert quiet == {
        (Access.READ_TARGET, Event.DONE),
        (Access.READ_TARGET, Event.FAILED),
        (Access.READ_SOURCE, Event.DONE),
        (Access.READ_SOURCE, Event.FAILED),
        (Access.READ_SOURCE, Event.REFUSED),
        (Access.WRITE_SOURCE, Event.DONE),
        (Access.WRITE_SOURCE, Event.FAILED),
        (Access.WRITE_TARGET, Event.DONE),
        (Access.WRITE_TARGET, Event.REFUSED),
    }
    for access in Access:
        assert TRANSPORTS["rdma"][access] <= TRANSPORTS["tcp"][access]
        assert Event.FAILED not in TRANSPORTS["rdma"][access]
        assert proves_filled(access, Event.DONE) == access.written
        assert not proves_filled(access, Event.FAILED)
    with pytest.raises(KeyError):
        proves_quiet("carrier pigeon", Access.READ_TARGET, Event.DONE)


def test_settings_under_which_the_transport_lies():
    assert false_evidence({}) is None and false_evidence({"MC_TCP_PROTO": "0"}) is None
    assert "MC_TCP_PROTO" in (false_evidence({"MC_TCP_PROTO": "1"}) or "")
