"""The ledger's books added up, and one event's view of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from veriserve.ledger_types import NOBODY, Kind, LedgerError, State, Tickets

if TYPE_CHECKING:
    from veriserve.ledger import PdLedger
    from veriserve.ledger_pages import LedgerPages


def add_up(ledger: PdLedger) -> str:
    """The sums that must agree, as text.

    Raises:
        LedgerError: with the sums that don't.
    """
    state, leases = ledger.state, ledger.leases
    counts = ledger.counts()
    free, retired = ledger.free, int(((state == State.FREE) & (ledger.gen >= ledger.last_gen)).sum())
    held = {kind: int(leases[kind].sum()) for kind in Kind}
    named = {kind: 0 for kind in Kind}
    for lease in ledger.open_leases.values():
        named[lease.kind] += int(lease.open.sum())
    owned = int((ledger.owner != NOBODY).sum())
    sums = [
        (
            " + ".join(f"{name} {count}" for name, count in counts.items()),
            sum(counts.values()),
            "pages",
            ledger.num_pages,
        ),
        (f"free list {free} + retired {retired}", free + retired, "FREE", counts["FREE"]),
        (f"owned {owned}", owned, "PRIVATE + DUP", counts["PRIVATE"] + counts["DUP"]),
        *((f"{kind.name} leases by page {held[kind]}", held[kind], "by lease", named[kind]) for kind in Kind),
    ]
    total = leases.sum(axis=0)
    busy = np.isin(state, (State.DRAINING, State.QUARANTINED))
    done = np.isin(state, (State.SHARED, State.DUP))
    never = [
        ("FREE pages with a lease", (state == State.FREE) & (total > 0)),
        ("pages that drain or are in quarantine without a lease", busy & (total == 0)),
        ("cache references outside of SHARED", (state != State.SHARED) & (leases[Kind.CACHE] > 0)),
        ("SHARED or DUP pages that are not complete", done & ~ledger.full),
        ("complete FREE pages", (state == State.FREE) & ledger.full),
        ("negative lease counts", (leases < 0).any(axis=0)),
    ]
    lines = [f"{left} = {value} ({name} {other})" for left, value, name, other in sums]
    wrong = [line for line, (_, value, _, other) in zip(lines, sums, strict=True) if value != other]
    wrong += [f"{int(mask.sum())} {what}, first page {int(np.argmax(mask))}" for what, mask in never if mask.any()]
    if wrong:
        raise LedgerError("check_integrity", "; ".join(wrong))
    return "\n".join(lines)


def after(ledger: LedgerPages, tickets: Tickets, owner: int | None) -> dict[str, Any]:
    """An event's fields: tickets, owner, and what the ledger says of these pages after the transition."""
    pages = tickets.page
    fields: dict[str, Any] = {} if owner is None else {"owner": owner}
    return fields | {
        "pages": pages.tolist(),
        "gens": tickets.gen.tolist(),
        "after": {
            "state": [State(value).name for value in ledger.state[pages].tolist()],
            "owner": ledger.owner[pages].tolist(),
            "full": ledger.full[pages].tolist(),
            **{kind.name.lower(): ledger.leases[kind, pages].tolist() for kind in Kind},
        },
    }
