"""A small project for mutation tests: a buffer that must not be freed while something writes into it."""

from __future__ import annotations

from pathlib import Path

GOALS = """---- MODULE BufferGoals ----
EXTENDS Naturals, Sequences
VARIABLES phase, writing, total, box

(* Nothing writes into a buffer that is not held. *)
Isolation == writing => phase = "held"

Counted == total >= Len(box)

OnlyMore == [][total' >= total]_total

Answered == (phase = "asked") ~> (phase # "asked")
====
"""

MODEL = """---- MODULE Buffer ----
EXTENDS BufferGoals
CONSTANTS
    G1,      \\* free waits for the write
    Lossy,   \\* a write may be lost
    Most

vars == <<phase, writing, total, box>>

Init == phase = "idle" /\\ writing = FALSE /\\ total = 0 /\\ box = <<>>

Ask ==
    /\\ phase = "idle"
    /\\ total < Most
    /\\ phase' = "asked"
    /\\ UNCHANGED <<writing, total, box>>

Quiet == ~writing

Grant ==
    /\\ phase = "asked"
    /\\ Quiet
    /\\ phase' = "held"
    /\\ writing' = TRUE
    /\\ UNCHANGED <<total, box>>

Land ==
    /\\ writing
    /\\ writing' = FALSE
    /\\ total' = total + 1
    /\\ box' = Append(box, total)
    /\\ UNCHANGED phase

Read(n) ==
    /\\ box # <<>>   \\* something to read
    /\\ n = Head(box)
    /\\ box' = Tail(box)
    /\\ UNCHANGED <<phase, writing, total>>

Free ==
    /\\ phase = "held"
    /\\ G1 => ~writing
    /\\ phase' = "idle"
    /\\ UNCHANGED <<writing, total, box>>

Lose ==
    /\\ Lossy
    /\\ writing
    /\\ writing' = FALSE
    /\\ UNCHANGED <<phase, total, box>>

Next ==
    \\/ Ask
    \\/ Grant
    \\/ Land
    \\/ \\E n \\in 0..Most : Read(n)
    \\/ Free
    \\/ Lose

Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)
====
"""

PROJECT = """version: 1
project: buffer
modules: [goals, model]
model:
  module: model/Buffer.tla
  constants: {Most: "2"}
goals:
  isolation: {kind: invariant, formula: Isolation, english: no write into a free buffer}
  counted: {kind: invariant, formula: Counted, english: what lies in the box was counted}
  only-more: {kind: action, formula: OnlyMore, english: the count never goes down}
  answered: {kind: temporal, formula: Answered, english: who asks is answered}
environments:
  calm: {english: nothing is lost, constants: {Lossy: "FALSE"}}
  lossy: {english: writes may be lost, constants: {Lossy: "TRUE"}}
environment_actions: [Lose]
guards:
  wait: {constant: G1, english: free waits for the write}
variants:
  fixed: {english: the fix, guards: [wait]}
  buggy: {english: before}
budget: {seconds: 60, heap_mb: 256, brief: true}
mutation:
  variant: fixed
  environments: [calm, lossy]
"""


def write_project(folder: Path, *, project: str = PROJECT, model: str = MODEL, goals: str = GOALS) -> Path:
    """The project's files in ``folder``."""
    for name, text in (("goals/BufferGoals.tla", goals), ("model/Buffer.tla", model), ("vstack.yaml", project)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
