"""When an observation stands for a model's value."""

from __future__ import annotations

from typing import Any

import pytest

from vstack.reproduce.agree import agrees, plain
from vstack.tla.values import parse_value


@pytest.mark.parametrize(
    ("value", "observed"),
    [
        ("3", 3),
        ("TRUE", True),
        ('"a"', "a"),
        ("k1", "k1"),
        ("{}", []),
        ("{1, 2}", [2, 1]),
        ("{<<1, k1>>, <<2, k2>>}", [[2, "k2"], [1, "k1"]]),
        ("<<1, {2, 3}>>", [1, [3, 2]]),
        ("<<k1, None>>", {"1": "k1", "2": "None"}),
        ("<<k1, None>>", {1: "k1", 2: "None"}),
        ("<<>>", []),
        ("<<>>", {}),
        ("[a |-> 1, b |-> {}]", {"a": 1, "b": []}),
        ("(k1 :> 1 @@ k2 :> 2)", {"k1": 1, "k2": 2}),
        ("(k1 :> 1 @@ k2 :> 2)", [["k2", 2], ["k1", 1]]),
        ("(<<1, 2>> :> k1)", [[[1, 2], "k1"]]),
    ],
)
def test_the_same_value(value: str, observed: Any) -> None:
    assert agrees(parse_value(value), observed)


@pytest.mark.parametrize(
    ("value", "observed"),
    [
        ("1", True),
        ("TRUE", 1),
        ("1", "1"),
        ("1", 1.0),
        ('"a"', "b"),
        ("k1", "k2"),
        ("{1, 2}", [1]),
        ("{1, 2}", [1, 1]),
        ("{1}", [1, 1]),
        ("<<1, 2>>", [2, 1]),
        ("<<1, 2>>", [1]),
        ("<<1, 2>>", {"1": 1}),
        ("[a |-> 1]", {"a": 1, "b": 2}),
        ("[a |-> 1]", {}),
        ("(k1 :> 1 @@ k2 :> 2)", [["k1", 1], ["k1", 1]]),
        ("{}", None),
        ("k1", None),
    ],
)
def test_another_value(value: str, observed: Any) -> None:
    assert not agrees(parse_value(value), observed)


def test_what_a_driver_is_given() -> None:
    assert plain(parse_value("<<{k2, k1}, [a |-> TRUE]>>")) == [["k1", "k2"], {"a": True}]
