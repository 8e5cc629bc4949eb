"""A project of Z3 goals alone, in place of the arena's model: where a page's bytes lie in a registered buffer."""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.redteam.arena import YAML, Arena

SCRIPT, TEXT = "goals/offsets.py", "goals/slots.smt2"
_YAML = f"""version: 1
project: offsets
budget: {{seconds: 30, heap_mb: 512}}
goals:
  OffsetsFit: {{kind: z3, script: {SCRIPT}, english: A page's last byte lies inside the registered buffer.}}
  SlotsFit: {{kind: z3, script: {TEXT}, english: A slot's number stays below the number of slots.}}
policy: {{software_keys: true}}
"""
_SCRIPT = '''from z3 import *
from vstack.verify.z3_api import Obligation

page, pages, size, base, end = Ints("page pages size base end")
start, step, limit = BitVecs("start step limit", 16)


def goal():
    pool = {
        "page-in-pool": And(0 <= page, page < pages),
        "size-positive": size > 0,
        "buffer-holds-pool": base + pages * size <= end,
    }
    room = {"start-below": ULE(start, limit), "step-fits": ULE(step, limit - start)}
    obligations = [
        Obligation("last-byte", base + page * size + size <= end, pool),
        Obligation("no-wrap", ULE(start, start + step), room),
    ]
    return obligations
'''
_TEXT = """(declare-const slot (_ BitVec 8))
(declare-const slots (_ BitVec 8))
(assert (! (bvult slot slots) :named assume_in_range))
(assert (! (bvult slots #x80) :named assume_few))
(assert (! (bvult slot #x7f) :named goal))
"""
Change = Callable[[Arena], None]


_SCRATCH = tempfile.TemporaryDirectory(prefix="vstack-offsets-")


@functools.cache
def _approved() -> Path:
    """The project, approved once for all inputs of this process."""
    arena = Arena(Path(_SCRATCH.name))
    arena.write(YAML, _YAML)
    arena.write(SCRIPT, _SCRIPT)
    arena.write(TEXT, _TEXT)
    arena.approve()
    return arena.root


def offsets(*changes: Change, approve: bool = False) -> Change:
    """The project, approved; then ``changes``; with ``approve`` a careless person approves what came of them."""

    def change(arena: Arena) -> None:
        for folder in ("goals", "model", ".vstack"):
            shutil.rmtree(arena.root / folder, ignore_errors=True)
        shutil.copytree(_approved(), arena.root, dirs_exist_ok=True)
        for one in changes:
            one(arena)
        if approve:
            arena.approve()

    return change


def script(before: str, after: str) -> Change:
    """A text in the script replaced."""
    return lambda arena: arena.edit(SCRIPT, before, after)


def before_goal(lines: str, *others: Change) -> Change:
    """The project with ``lines`` in the script, before the function that states the goal; ``others`` come first."""
    return offsets(*others, script("\n\ndef goal():", f"\n{lines}\n\n\ndef goal():"))


def text(before: str, after: str, *, times: int = 1) -> Change:
    """A text in the SMT-LIB goal replaced."""
    return lambda arena: arena.edit(TEXT, before, after, times=times)


def budget(given: str) -> Change:
    """Another budget: no person approves it."""
    return lambda arena: arena.edit(YAML, "budget: {seconds: 30, heap_mb: 512}", f"budget: {given}")


def appears(line: str, before: str) -> Change:
    """A script that runs ``line``, ahead of the line ``before``, once a file lies there; it is put there after the approval."""

    def change(arena: Arena) -> None:
        indent = " " * (len(before) - len(before.lstrip()))
        arena.edit(SCRIPT, before, f"{indent}if os.path.exists(__file__ + '.log'):\n{indent}    {line}\n{before}")
        arena.edit(SCRIPT, "from z3", "import os\nfrom z3")
        arena.approve()
        arena.write(SCRIPT + ".log", "run 1\n")

    return offsets(change)


def remark(arena: Arena) -> None:
    """A comment, approved again: the script's bytes are pinned."""
    arena.edit(SCRIPT, "def goal():", "# The pool is one buffer.\ndef goal():")
    arena.approve()


def note(arena: Arena) -> None:
    """A file beside the goals that nobody names."""
    arena.write("goals/README.md", "What a page's offsets must keep to.\n")


HONEST, APPROVED = offsets(note), offsets(remark)
