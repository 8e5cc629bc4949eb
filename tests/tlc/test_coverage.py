"""Action counts under the names that the split of the next-state relation gives."""

from tests.tlc.models import job
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tlc.coverage import Coverage
from vstack.tlc.job import Requirements
from vstack.tlc.outcome import ActionCount
from vstack.tlc.run import run_tlc
from vstack.verdicts import Verdict

SPLIT = r"""---- MODULE Split ----
EXTENDS Naturals
CONSTANT P
VARIABLES x, y
Init == x = 0 /\ y = 0
A == x < 3 /\ \/ x' = x + 1 /\ y' = y
              \/ x' = x /\ y' = 1 - y
B == \/ x' = 0 /\ y' = 1
     \/ \E k \in {1, 2} : x' = k /\ y' = 0
C(p) == x = p /\ UNCHANGED <<x, y>>
Sys == A \/ B \/ (\E p \in P : C(p))
Next == Sys \/ (x = 1 /\ x' = 2 /\ y' = y) \/ (x = 2 /\ x' = 2 /\ y' = y)
  \/ (x = 9 /\ UNCHANGED <<x, y>>)
====
"""
CFG = "INIT Init\nNEXT Next\nCONSTANT P = {1, 2}\n"


def test_every_action_of_the_split_is_counted_under_its_name(tmp_path, tools):
    work = job(tmp_path, CFG, SPLIT)
    names = {action.name for action in split_next(load(work.module, search=(), java=tools.java, jar=tools.jar), "Next")}
    assert {"B@8", "B@9", "Next@12:17", "Next@12:48", "Next@13"} <= names
    result = run_tlc(work, tools, requirements=Requirements(1, tuple(sorted(names - {"Next@13"}))))
    assert result.verdict is Verdict.HOLDS, result.reason
    assert names <= set(result.fired)
    assert result.fired["Next@13"] == ActionCount(0, 0)
    assert result.fired["B"].generated == result.fired["B@8"].generated + result.fired["B@9"].generated
    never = run_tlc(work, tools, requirements=Requirements(1, tuple(sorted(names))))
    assert never.verdict is Verdict.UNDECIDED
    assert "never fired: Next@13" in never.reason


def test_a_disjunct_that_is_reached_twice_is_one_action():
    coverage = Coverage()
    for counts in ("1:4", "0:2"):
        coverage.add(f"<B line 8, col 1 to line 8, col 1 of module Q (8 9 8 24)>: {counts}")
    coverage.add("<C line 9, col 1 to line 9, col 4 of module Q>: 1,234:5,678")
    assert coverage.fired() == {
        "B": ActionCount(1, 6),
        "B@8:9": ActionCount(1, 6),
        "C": ActionCount(1234, 5678),
    }
