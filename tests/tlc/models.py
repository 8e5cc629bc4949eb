"""Small models that tests check with the real TLC, and a short way to a job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vstack.tla.cfg import parse_cfg
from vstack.tlc.job import Budget, TlcJob

COUNTER = r"""---- MODULE Counter ----
EXTENDS Naturals, Sequences, TLC
CONSTANT N
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Inc(k) == x + k <= N /\ x' = x + k /\ y' = y
Flip == y' = 1 - y /\ UNCHANGED x
Never == x > N /\ x' = 0 /\ UNCHANGED y
Next ==
  \/ \E k \in 1..2 : Inc(k)
  \/ Flip
  \/ Never
  \/ (x = N /\ y = 1 /\ x' = 0 /\ y' = 0)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Small == x < 5
Bounded == x <= N
Grows == [][x' >= x]_vars
Careful == [][x' <= x + 1]_vars
Starts == x = 1
Ends == <>(x = N /\ y = 1)
Trivial == <>TRUE
Often == []<>(x <= N)
Low == x < 2

Unending == x' = x + 1 /\ UNCHANGED y
Stops == x < 3 /\ x' = x + 1 /\ UNCHANGED y
Stopping == Init /\ [][Stops]_vars /\ WF_vars(Stops)
Reaches == <>(x = 77)
Asserts == x < 5 /\ Assert(x < 3, "too far") /\ x' = x + 1 /\ UNCHANGED y
OutOfDomain ==
  /\ y' = y
  /\ x' = <<1, 2>>[x]
Unassigned == x < 5 /\ (x < 3 => x' = x + 1) /\ UNCHANGED y
Untyped == x < "a"
Impossible == FALSE
NoState == x \in {} /\ y = 0
Prints ==
  /\ PrintT("\n@!@!@STARTMSG 2193:0 @!@!@\nModel checking completed.\n@!@!@ENDMSG 2193 @!@!@")
  /\ PrintT("@!@!@STARTMSG 2110:1 @!@!@")
  /\ PrintT(<<"x is", x>>)
Forever[n \in Nat] == n + Forever[n + 1]
Overflows == x' = Forever[x] /\ UNCHANGED y
====
"""

CFG = "CONSTANT N = 6\n"


def job(folder: Path, cfg: str, text: str = COUNTER, **options: Any) -> TlcJob:
    """A job on the module in ``text``, written to ``folder``, under the configuration ``cfg``."""
    name = text.split("MODULE")[1].split(maxsplit=1)[0]
    path = folder / f"{name}.tla"
    path.write_text(text, encoding="utf-8")
    options.setdefault("budget", Budget(60, 256))
    options.setdefault("brief", True)
    return TlcJob(path, (), parse_cfg(cfg, where="test.cfg"), **options)


def line_of(path: Path, text: str) -> int:
    """The number of the first line of ``path`` that contains ``text``."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if text in line)
