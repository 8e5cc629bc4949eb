"""Kind 52: a script that only says it proved it, or changes z3."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.offsets import APPROVED, HONEST, Change, offsets, script

KIND, WHAT = 52, "a script that only says it proved it, or changes z3"

def _first(lines: str) -> Change:
    return offsets(script("\n\ndef goal():", f"\n{lines}\n\n\ndef goal():"))


INPUTS = (
    Input("a word and an exit", _first("import os\nprint('PROVED', flush=True)\nos._exit(0)"), r"printing or exiting proves nothing", APPROVED),
    Input("a solver that is never wrong", _first("Solver.check = lambda self, *more: unsat"), r"z3-tampered|replaced z3", HONEST),
    Input("another formula is written down", _first("_add = Solver.add\nSolver.add = lambda self, *formulas: _add(self, *(page < page + 1 for each in formulas))"), r"z3-tampered|replaced z3", APPROVED),
    Input("functions of the library itself", _first("import z3.z3core as core\ncore.Z3_mk_not = lambda context, term: term"), r"z3-tampered|replaced z3", HONEST),
    Input("an operator of the class", _first("ArithRef.__le__ = lambda self, other: self == self"), r"z3-tampered|replaced z3", APPROVED),
    Input("the exporter", _first("import sys\nsys.modules['vstack.verify.z3_child']._export = lambda given: []"), r"z3-tampered|replaced vstack", HONEST),
)
