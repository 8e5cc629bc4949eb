"""Kind 33: a module whose proofs nobody checks, since only the one that was asked for is run."""

from __future__ import annotations

from tests.redteam.arena import YAML, Arena, Input
from tests.redteam.changes import Change
from tests.redteam.proofs import AUDIT, PROOFS, SAME, proofs, run_of, transcript

KIND, WHAT = 33, "a module whose proofs nobody checks, since only the one asked for is run"

_USE = (PROOFS, "    BY <2>2, ResetKeeps\n", "    BY <2>2, {}\n")


def _module(folder: str, body: str, link: str, fact: str) -> Change:
    def change(arena: Arena) -> None:
        arena.write(f"{folder}/Helper.tla", f"---- MODULE Helper ----\nEXTENDS Counter, TLAPS\n{body}\n====\n")
        arena.edit(PROOFS, "CounterLemmas, TLAPS\n", link)
        arena.edit(*(part.format(fact) for part in _USE))
        if folder == "more":
            arena.edit(YAML, "modules: [goals, proofs]", "modules: [goals, proofs, more]")
            arena.approve()

    return proofs(change)


_FALSE = "LEMMA Anything == ASSUME Reset PROVE Bounded'\n  OMITTED"
_TRUE = "LEMMA Anything == ASSUME Reset PROVE Bounded'\n  BY LimitIsNatural DEF Reset, Bounded"
_SAYS = r"tlaps-unproved.*In module Helper"
_EXTENDS = "CounterLemmas, TLAPS, Helper\n"
_INSTANCE = "CounterLemmas, TLAPS\nH == INSTANCE Helper\n"
_INNER = "---- MODULE Inner ----\nLEMMA Hidden == TRUE\n  OBVIOUS\n====\n"
INPUTS = (
    Input("by EXTENDS", _module("proofs", _FALSE, _EXTENDS, "Anything"), _SAYS, _module("proofs", _TRUE, _EXTENDS, "Anything"), AUDIT),
    Input("by INSTANCE", _module("proofs", _FALSE, _INSTANCE, "H!Anything"), _SAYS, _module("proofs", _TRUE, _INSTANCE, "H!Anything"), AUDIT),
    Input("from another folder", _module("more", _FALSE, _EXTENDS, "Anything"), _SAYS, _module("more", _TRUE, _EXTENDS, "Anything"), AUDIT),
    Input("a module inside another", _module("proofs", f"{_TRUE}\n{_INNER}", _EXTENDS, "Anything"), _SAYS, _module("proofs", _TRUE, _EXTENDS, "Anything"), AUDIT),
    Input("its recorded run left out", transcript(lambda data: data["runs"].remove(run_of(data, "CounterLemmas"))), r"tlaps-transcript.*0 runs of CounterLemmas", SAME, AUDIT),
)
