"""The arena's project with a second engine: goals that Apalache checks, through a stand-in with its command line over TLC."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.redteam.arena import GOALS, MODEL, YAML, Arena
from tests.verify.apalache_stand_in import install
from vstack.context import open_project
from vstack.validate.cells import Setting
from vstack.verify.apalache_job import make_job
from vstack.verify.attested import RecordedRun, Transcript, write_transcript

VERIFY = ("verify", "--goal", "Isolation", "--variant", "after", "--environment", "aborts", "-q", "--json")
BOUNDED = "{goals: {Isolation: {length: 8}}}"
INDUCTIVE = "{goals: {Isolation: {mode: inductive, invariant: IndInv}}}"
TRANSCRIPT = "{goals: {Isolation: {length: 8}}, transcript: apalache.json}"
_TYPES = """  page \\in Requests \\cup {"free"} /\\ transfer \\in Requests \\cup {"none"}
    /\\ phase \\in [Requests -> {"new", "loading", "ready", "aborted", "done"}]"""
_OPERATORS = (
    "\\* Enough to keep the page apart, whatever came before.\nIndInv ==\n"
    + _TYPES
    + """
    /\\ Isolation

\\* The requests that Apalache chooses by itself.
Gen(n) == IF n = 2 THEN {1, 2} ELSE {}
ConstInit == Requests = Gen(2)

"""
)
_ANNOTATED = """\\* @typeAlias: phase = Str;
VARIABLES
  \\* @type: Str;
  page,
  \\* @type: Str;
  transfer,
  \\* @type: Str -> $phase;
  phase

"""
Change = Callable[[Arena], object]
_SCRATCH = tempfile.TemporaryDirectory(prefix="vstack-stand-in-")


@functools.cache
def stand_in() -> Path:
    """The program, for VSTACK_APALACHE."""
    return install(Path(_SCRATCH.name))


def symbolic(section: str, *changes: Change, approve: bool = False, tool: bool = True) -> Change:
    """The section `apalache` with what it names, then ``changes``; approved first where ``approve`` says so.

    Without ``tool`` Apalache is missing.
    """

    def change(arena: Arena) -> None:
        if tool:
            arena.environ["VSTACK_APALACHE"] = str(stand_in())
        arena.edit(YAML, "floors:\n", f"apalache: {section}\n\nfloors:\n")
        arena.edit(MODEL, "\\* The code goes on", f"{_OPERATORS}\\* The code goes on")
        text = arena.read(GOALS)
        start, end = text.index("VARIABLES"), text.index("\\* A transfer that is")
        arena.write(GOALS, text[:start] + _ANNOTATED + text[end:])
        if approve:
            arena.approve()
        for one in changes:
            one(arena)

    return change


def wrapped(lines: str) -> Change:
    """Another program by the name of Apalache: a shell script around the stand-in (`$REAL`)."""

    def change(arena: Arena) -> None:
        path = arena.root / "apalache-mc"
        path.write_text(f"#!/bin/sh\nREAL={stand_in()}\n{lines}\n")
        path.chmod(0o755)
        arena.environ["VSTACK_APALACHE"] = str(path)

    return change


def forged(*, extra: tuple[str, ...] = ()) -> Change:
    """A transcript made by hand that fits what will be asked, but for ``extra`` options that it admits to."""

    def change(arena: Arena) -> None:
        context = open_project(arena.root)
        section = context.project.file.apalache
        assert section is not None
        job = make_job(context.project, context.spec, section, "Isolation", Setting("after", "aborts"), inductive=False)
        runs = []
        for question in job.questions:
            broken = question.wanted == "violated"
            argv = question.argv(job.module)
            runs.append(
                RecordedRun(
                    name=f"after/aborts/Isolation {question.name}",
                    argv=(*argv[:-1], *extra, argv[-1]),
                    inputs=job.inputs,
                    returncode=12 if broken else 0,
                    stdout="\n".join(_BROKEN if broken else _clean(question.options["--length"])),
                    files={"violation1.itf.json": '{"vars": ["page"], "states": [{"page": "free"}]}'} if broken else {},
                )
            )
        write_transcript(arena.root / "apalache.json", Transcript(tool="apalache-mc", version="0.50.1", runs=tuple(runs)))

    return change


_HEAD = "# APALACHE version: 0.50.1 | build: abc1234"
_BROKEN = (_HEAD, "State 0: Checking 1 state invariants", "State 0: state invariant 0 violated.", "The outcome is: Error", "EXITCODE: ERROR (12)")


def _clean(length: str) -> tuple[str, ...]:
    return (
        _HEAD,
        f"State {length}: Checking 1 state invariants",
        "The outcome is: NoError",
        f"Checker reports no error up to computation length {length}",
        "EXITCODE: OK",
    )
