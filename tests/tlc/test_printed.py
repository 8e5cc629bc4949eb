"""What a module prints with PrintT, narrow or broken over lines, read back."""

from tests.tlc.models import job
from vstack.tlc.printed import printed_tuples
from vstack.tlc.run import run_tlc

WIDE = r"""---- MODULE Wide ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = [i \in 1..30 |-> <<i, "a long enough text", {i}>>]
Next ==
  /\ x' = x
  /\ PrintT(<<"ours", 1>>)
  /\ PrintT(<<"theirs", x>>)
  /\ PrintT("<<\"ours\", 9>>")
  /\ PrintT(<<"ours", x, [k \in {"a", "b"} |-> x]>>)
  /\ PrintT(<<"ours", 2>>)
====
"""


def test_wide_values_and_the_models_own_prints(tmp_path, tools):
    result = run_tlc(job(tmp_path, "INIT Init\nNEXT Next\n", WIDE), tools)
    assert any(line.startswith("<< ") for line in result.printed), "TLC breaks wide values"
    first, wide, last = printed_tuples(result.printed, "ours")
    assert (first, last) == (("ours", 1), ("ours", 2))
    assert wide[1][29] == (30, "a long enough text", frozenset({30}))
    assert wide[2]["b"] == wide[1]


def test_a_value_that_was_cut_is_left_out():
    lines = ['<< "ours",', "   <<1, 2", '<<"ours", 3>>', "noise"]
    assert printed_tuples(lines, "ours") == [("ours", 3)]
