"""The comparison mode does what it says: it reuses pages under live transfers and believes late messages."""

from __future__ import annotations

import pytest

from veriserve.bypass import BypassLedger
from veriserve.evidence import Access, Event
from veriserve.ledger import PdLedger
from veriserve.ledger_types import Kind, State


@pytest.mark.parametrize("how", ["release", "timeout"])
def test_a_page_is_reused_under_its_transfer(how: str):
    ends: dict[type[PdLedger], tuple[int, bool]] = {}
    for kind in (PdLedger, BypassLedger):
        ledger = kind(2)
        old = ledger.alloc(1, 7)
        lease = ledger.open(old, Kind.TRANSFER, 7, Access.WRITE_TARGET)
        getattr(ledger, how)(old, 7)
        victim = ledger.alloc(1, 8)
        late = ledger.evidence(lease, old, Event.DONE)
        ledger.check_integrity()
        ends[kind] = (late, bool(victim.page[0] == old.page[0]))
        assert not ledger.full[victim.page[0]] or kind is BypassLedger
    assert ends == {PdLedger: (1, False), BypassLedger: (0, True)}


def test_a_late_message_completes_the_next_owners_page():
    ledger = BypassLedger(1)
    old = ledger.alloc(1, 7)
    lease = ledger.open(old, Kind.TRANSFER, 7, Access.WRITE_TARGET)
    ledger.release(old, 7)
    victim = ledger.alloc(1, 8)
    ledger.evidence(lease, old, Event.DONE)
    assert ledger.full[victim.page[0]] and ledger.state[victim.page[0]] == State.PRIVATE
    assert "PRIVATE 1" in ledger.check_integrity()


def test_any_answer_ends_a_transfer():
    ledger = BypassLedger(1)
    tickets = ledger.alloc(1, 7)
    lease = ledger.open(tickets, Kind.TRANSFER, 7, Access.READ_TARGET)
    assert ledger.evidence(lease, tickets, Event.GAVE_UP) == 1
    ledger.release(tickets, 7)
    assert ledger.counts()["FREE"] == 1 and not ledger.full.any()
