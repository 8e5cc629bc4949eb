"""Kind 50: numbers of another sort."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.changes import UNAPPROVED
from tests.redteam.offsets import APPROVED, HONEST, appears, offsets, script, text

KIND, WHAT = 50, "numbers of another sort"

INPUTS = (
    Input("wider words", offsets(script("BitVecs(\"start step limit\", 16)", "BitVecs(\"start step limit\", 64)")), UNAPPROVED, HONEST),
    Input("integers for words", offsets(script("BitVecs(\"start step limit\", 16)", "Ints(\"start step limit\")"), lambda arena: arena.edit("goals/offsets.py", "ULE(", "(lambda a, b: a <= b)(", times=3)), UNAPPROVED, APPROVED),
    Input("reals for integers", offsets(script("= Ints(", "= Reals(")), UNAPPROVED, HONEST),
    Input("by a name for the sort", offsets(text("(declare-const slot (_ BitVec 8))", "(define-sort Slot () (_ BitVec 8))\n(define-fun wide ((s Slot)) (_ BitVec 16) (concat #x00 s))\n(declare-const slot Slot)"), text("(bvult slot #x7f)", "(bvult (wide slot) #x007f)")), UNAPPROVED, offsets(text("(_ BitVec 8)", "Slot", times=2), lambda arena: arena.write("goals/slots.smt2", "(define-sort Slot () (_ BitVec 8))\n" + arena.read("goals/slots.smt2")), approve=True)),
    Input("that change once the goal is approved", appears('page, pages, size, base, end = Reals("page pages size base end")', "def goal():"), UNAPPROVED, HONEST),
)
