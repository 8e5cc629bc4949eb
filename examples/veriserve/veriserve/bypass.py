"""What engines do today, behind the ledger's interface: for comparison only, never for serving.

Pages are freed when their request ends or times out, whatever may still touch
them; any answer of the transport ends a transfer; and what arrives is believed,
whoever has the page by now. `model/Ledger.tla` has this as the variant `bypass`.
"""

from __future__ import annotations

import numpy as np

from veriserve.evidence import Event, proves_filled
from veriserve.ledger import PdLedger
from veriserve.ledger_pages import what
from veriserve.ledger_types import Lease, LedgerError, Pages, State, Tickets


class BypassLedger(PdLedger):
    """`PdLedger` without its rules on early reuse; the books still add up."""

    def evidence(self, lease: Lease, tickets: Tickets, event: Event) -> int:
        """Whatever was heard ends the transfer; DONE makes the page complete, whatever generation it is in."""
        if lease.access is None:
            raise LedgerError("evidence", f"lease {lease.number} is no transfer's")
        if proves_filled(lease.access, event):
            self.full[tickets.page[self.state[tickets.page] == State.PRIVATE]] = True
        which = self._open_in(lease, tickets)
        self._close(lease, which)
        self._note(f"evidence.{what(lease)}", tickets, lease.owner, told=event.name)
        return int(which.sum())

    def _let_go(self, pages: Pages, under_transfer: State) -> None:
        """To FREE at once; the leases that are open on the pages are forgotten."""
        for lease in list(self.open_leases.values()):
            forgotten = lease.open & np.isin(lease.tickets.page, pages)
            if forgotten.any():
                self._close(lease, forgotten)
        self._free_up(pages)
