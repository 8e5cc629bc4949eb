"""What a reader is told of values and of their changes."""

from __future__ import annotations

import pytest

from vstack.report.values import differences, show
from vstack.tla.values import Record, parse_value


@pytest.mark.parametrize(
    ("tla", "text"),
    [
        ("TRUE", "true"),
        ("-3", "-3"),
        ('"waiting"', '"waiting"'),
        ("r1", "r1"),
        ("{b, a}", "{a, b}"),
        ("<<1, {}>>", "⟨1, {}⟩"),
        ("[seq |-> 1, id |-> r1]", "[id: r1, seq: 1]"),
        ("(r1 :> 1 @@ r2 :> 2)", "[r1: 1, r2: 2]"),
        ("SUBSET {1, 2}", "SUBSET {1, 2}"),
    ],
)
def test_show(tla: str, text: str) -> None:
    assert show(parse_value(tla)) == text


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        ("1", "1", []),
        ("1", "TRUE", ["x: 1 → true"]),
        ("{1, 2}", "{2, 3}", ["x loses 1", "x gains 3"]),
        ("(r1 :> 1 @@ r2 :> 2)", "(r1 :> 1 @@ r2 :> 3)", ["x[r2]: 2 → 3"]),
        ("[a |-> {1}, b |-> 2]", "[a |-> {1, 4}, b |-> 2]", ["x.a gains 4"]),
        ("(r1 :> [s |-> 1])", "(r1 :> [s |-> 2])", ["x[r1].s: 1 → 2"]),
        ("(r1 :> 1)", "(r1 :> 1 @@ r2 :> 2)", ["x[r2] gains 2"]),
        ("<<>>", "(r2 :> 2)", ["x[r2] gains 2"]),
        ("(r2 :> 2)", "<<>>", ["x[r2] loses 2"]),
        ("<<1, 2>>", "<<1, 2, 3>>", ["x gains 3 at the end"]),
        ("<<1, 2, 3>>", "<<3>>", ["x loses 1 from the front", "x loses 2 from the front"]),
        ("<<1, 2>>", "<<1, 5>>", ["x[2]: 2 → 5"]),
        ("<<1, 2>>", "<<7, 8, 9>>", ["x: ⟨1, 2⟩ → ⟨7, 8, 9⟩"]),
        ("<<1>>", "<<>>", ["x loses 1 from the front"]),
        ("r1", "{r1}", ["x: r1 → {r1}"]),
    ],
)
def test_differences(before: str, after: str, texts: list[str]) -> None:
    found = differences("x", parse_value(before), parse_value(after))
    assert [difference.text() for difference in found] == texts


def test_a_key_that_is_no_name_is_indexed() -> None:
    before, after = Record({"a b": 1}), Record({"a b": 2})
    assert [d.text() for d in differences("x", before, after)] == ['x["a b"]: 1 → 2']
