"""Kind 52: a script that only says it proved it, or changes z3."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.offsets import APPROVED, HONEST, before_goal

KIND, WHAT = 52, "a script that only says it proved it, or changes z3"

INPUTS = (
    Input("a word and an exit", before_goal("import os\nprint('PROVED', flush=True)\nos._exit(0)"), r"printing or exiting proves nothing", APPROVED),
    Input("a solver that is never wrong", before_goal("Solver.check = lambda self, *more: unsat"), r"z3-tampered|replaced z3", HONEST),
    Input("another formula is written down", before_goal("_add = Solver.add\nSolver.add = lambda self, *formulas: _add(self, *(page < page + 1 for each in formulas))"), r"z3-tampered|replaced z3", APPROVED),
    Input("functions of the library itself", before_goal("import z3.z3core as core\ncore.Z3_mk_not = lambda context, term: term"), r"z3-tampered|replaced z3", HONEST),
    Input("an operator of the class", before_goal("ArithRef.__le__ = lambda self, other: self == self"), r"z3-tampered|replaced z3", APPROVED),
    Input("the exporter", before_goal("import sys\nsys.modules['vstack.verify.z3_child']._export = lambda given: []"), r"z3-tampered|replaced vstack", HONEST),
)
