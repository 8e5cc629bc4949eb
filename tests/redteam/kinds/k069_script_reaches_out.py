"""Kind 69: a goal's script that edits lock, cache or solver."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.offsets import APPROVED, HONEST, Change, before_goal

KIND, WHAT = 69, "a goal's script that edits lock, cache or solver"

_ROOT = "import os, sys\nROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))\n"


def _first(lines: str, *others: Change) -> Change:
    return before_goal(f"{_ROOT}{lines}", *others)


INPUTS = (
    Input("the lock, and it hides it", _first("try:\n    open(ROOT + '/vstack.lock', 'a').write('# approved')\nexcept OSError:\n    pass"), r"z3-reach", HONEST),
    Input("evidence put in its place", _first("os.replace(ROOT + '/vstack.yaml', ROOT + '/.vstack/last.json')"), r"z3-reach", APPROVED),
    Input("the solver's library", _first("import z3\nos.open(os.path.join(os.path.dirname(z3.__file__), 'lib', 'libz3.so'), os.O_RDWR)"), r"z3-reach", HONEST),
    Input("the memory of the process that asks", _first("try:\n    open(f'/proc/{os.getppid()}/mem', 'r+b')\nexcept Exception:\n    pass"), r"z3-reach", HONEST),
    Input("through a program", _first("import subprocess\nsubprocess.run(['sh', '-c', 'echo > vstack.lock'])"), r"z3-reach", APPROVED),
    Input("through the C library", _first("import ctypes\nctypes.CDLL(None).unlink((ROOT + '/vstack.lock').encode())"), r"z3-reach", HONEST),
    Input("a module of the project that no pin covers", _first("sys.path.insert(0, ROOT + '/goals')\nfrom sizes import LEAST", lambda arena: arena.write("goals/sizes.py", "LEAST = 0\n")), r"z3-reach", HONEST),
)
