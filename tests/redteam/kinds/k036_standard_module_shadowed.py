"""Kind 36: a module of a standard module's name."""

from __future__ import annotations

from tests.redteam.arena import MODEL, Arena, Input
from tests.redteam.changes import comment, edits

KIND, WHAT = 36, "a module of a standard module's name"

def _shadow(name: str, text: str):  # type: ignore[no-untyped-def]
    def change(arena: Arena) -> None:
        arena.write(f"model/{name}.tla", text)
        arena.edit(MODEL, "EXTENDS Goals", f"EXTENDS Goals, {name}")

    return change


INPUTS = (
    Input("Naturals", _shadow("Naturals", "---- MODULE Naturals ----\na + b == 0\n====\n"), r"shadows the standard module Naturals", comment(MODEL)),
    Input("FiniteSets", _shadow("FiniteSets", "---- MODULE FiniteSets ----\nCardinality(S) == 0\n====\n"), r"shadows the standard module FiniteSets", edits((MODEL, "EXTENDS Goals", "EXTENDS Goals, FiniteSets"))),
    Input("TLC", _shadow("TLC", "---- MODULE TLC ----\nPrintT(x) == FALSE\n====\n"), r"shadows the standard module TLC", comment(MODEL)),
)
