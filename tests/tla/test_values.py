"""Values as the real TLC prints them, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tla.conftest import run_tlc
from vstack.errors import VstackError
from vstack.tla.values import (
    FnValue,
    ModelValue,
    Record,
    Symbolic,
    format_value,
    ordered,
    parse_state,
    parse_value,
    quoted,
    to_json,
)
from vstack.tools.find import Tools

M1, M2 = ModelValue("m1"), ModelValue("m2")

# TLA+ expression, the value it has.
VALUES = [
    ("42", 42),
    ("-7", -7),
    ("TRUE", True),
    ('"plain"', "plain"),
    (r'"quote \" back \\ tab \t line \n"', 'quote " back \\ tab \t line \n'),
    ('"/\\\\ x = 1 {<<"', "/\\ x = 1 {<<"),
    ("{}", frozenset()),
    ("{1, 2, 3}", frozenset({1, 2, 3})),
    ("{{}, {{1}}}", frozenset({frozenset(), frozenset({frozenset({1})})})),
    ("<<>>", ()),
    ("<<1, <<2, {3}>>>>", (1, (2, frozenset({3})))),
    ("[a |-> 1, b |-> [c |-> <<>>]]", Record({"a": 1, "b": Record({"c": ()})})),
    ("[i \\in {5, 7} |-> i]", FnValue({5: 5, 7: 7})),
    ("[i \\in 1..2 |-> i + 1]", (2, 3)),
    ("[i \\in 0..1 |-> TRUE]", FnValue({0: True, 1: True})),
    ("[p \\in {m1, m2} |-> {p}]", FnValue({M1: frozenset({M1}), M2: frozenset({M2})})),
    ("[s \\in {\"a\", \"b c\"} |-> 1]", Record({"a": 1, "b c": 1})),
    ("[t \\in {<<1, 2>>} |-> [r |-> m1]]", FnValue({(1, 2): Record({"r": M1})})),
    ("m1", M1),
    ("2..4", frozenset({2, 3, 4})),
    ("{<<m1, {m2}>>, <<m2, {}>>}", frozenset({(M1, frozenset({M2})), (M2, frozenset())})),
    ("SUBSET {1, 2}", frozenset({frozenset(), frozenset({1}), frozenset({2}), frozenset({1, 2})})),
    ("SUBSET (1..40)", Symbolic("SUBSET 1..40")),
    ("<<[1..40 -> {2, 3}], 1>>", (Symbolic("[1..40 -> {2, 3}]"), 1)),
    ("[i \\in {5} |-> [j \\in 1..30 |-> \"a longer string so that it wraps\"]]",
     FnValue({5: ("a longer string so that it wraps",) * 30})),
]  # fmt: skip


def test_what_the_real_tlc_prints(tools: Tools, tmp_path: Path) -> None:
    """Each value once by PrintT, and all as the variables of one state of a counterexample."""
    # A state's values are listed to be fingerprinted: the huge sets can only be printed.
    variables = {f"v{number}": pair for number, pair in enumerate(VALUES) if "1..40" not in pair[0]}
    names = list(variables)
    init = "\n".join(f"  /\\ {name} = {text}" for name, (text, _) in variables.items())
    prints = "\n".join(f'  /\\ PrintT("value") /\\ PrintT({text})' for text, _ in VALUES)
    (tmp_path / "Print.tla").write_text(
        f"---- MODULE Print ----\nEXTENDS Naturals, Integers, Sequences, TLC\nCONSTANTS m1, m2\n"
        f"VARIABLES {', '.join(names)}\nInit ==\n{init}\nNext == UNCHANGED <<{', '.join(names)}>>\n"
        f"Never == v0 # 42\nASSUME\n{prints}\n====\n"
    )
    (tmp_path / "Print.cfg").write_text("CONSTANTS m1 = m1 m2 = m2\nINIT Init\nNEXT Next\nINVARIANT Never\n")
    output = run_tlc(tools, tmp_path, "Print")
    printed = output.split('"value"\n')[1:]
    assert len(printed) == len(VALUES), output
    printed[-1] = printed[-1].split("Finished computing initial")[0].split("Error:")[0].split("Computing initial")[0]
    for (text, expected), shown in zip(VALUES, printed, strict=True):
        assert parse_value(shown) == expected, (text, shown)
    state = output.split("violated by the initial state:\n")[1].split("\n\n")[0]
    state = state.split("\nFinished in")[0]
    assert parse_state(state) == {name: value for name, (_, value) in variables.items()}


@pytest.mark.parametrize("value", [value for _, value in VALUES])
def test_formatted_and_parsed_it_is_the_same(value: object) -> None:
    assert parse_value(format_value(value)) == value  # type: ignore[arg-type]
    json.dumps(to_json(value))  # type: ignore[arg-type]
    assert len({value, parse_value(format_value(value))}) == 1  # type: ignore[arg-type]


def test_a_state_of_one_variable() -> None:
    assert parse_state("x = 1\n") == {"x": 1}
    assert parse_state("x = [a |-> 1,\n      b |-> <<>>]") == {"x": Record({"a": 1, "b": ()})}
    assert parse_state("") == {}


def test_unlisted_sets_inside_listed_ones() -> None:
    assert parse_value("{1, 2} \\cup SUBSET {3}") == Symbolic("{1, 2} \\cup SUBSET {3}")
    assert parse_value("{x \\in {1,\n  2} : <expression>}") == Symbolic("{x \\in {1, 2} : <expression>}")
    assert parse_value("[a: {1}, b: {2}]") == Symbolic("[a: {1}, b: {2}]")
    assert parse_value("[f |-> Nat]") == Record({"f": Symbolic("Nat")})
    assert parse_value("1..1000000000") == Symbolic("1..1000000000")


@pytest.mark.parametrize(
    "text", ["", "{1", "1 2", "<<1,>>", "(a :> )", "}", "[a |-> ]", '"open', "{1,, 2}", "a b", "@@"]
)
def test_what_is_no_value_is_an_error(text: str) -> None:
    with pytest.raises(VstackError, match="no value as TLC prints one"):
        parse_value(text)


@pytest.mark.parametrize("text", ["/\\ = 1", "/\\ x", "x = 1 y", "/\\ x = {", "Error: the behaviour"])
def test_what_is_no_state_is_an_error(text: str) -> None:
    with pytest.raises(VstackError):
        parse_state(text)


def test_sets_are_written_in_one_order() -> None:
    mixed = frozenset({10, 9, 2})
    assert format_value(mixed) == "{2, 9, 10}"
    assert format_value(frozenset({ModelValue("p10"), ModelValue("p9")})) == "{p9, p10}"
    assert ordered([frozenset({2}), frozenset(), frozenset({1})]) == [frozenset(), frozenset({1}), frozenset({2})]
    assert ordered(["b", 2, M1, True, ()]) == [True, 2, "b", M1, ()]


def test_functions_are_immutable_mappings() -> None:
    value = parse_value("(m1 :> 1 @@ m2 :> 2)")
    assert isinstance(value, FnValue) and value[M1] == 1 and len(value) == 2 and set(value) == {M1, M2}
    assert hash(value) == hash(parse_value("(m2 :> 2 @@ m1 :> 1)"))
    with pytest.raises(TypeError):
        value[M1] = 3  # type: ignore[index]


def test_json_in_the_form_of_itf() -> None:
    assert to_json(parse_value("[a |-> {1}, f |-> (m1 :> <<TRUE>>), s |-> SUBSET {1}]")) == {
        "a": {"#set": [1]},
        "f": {"#map": [[{"#model": "m1"}, [True]]]},
        "s": {"#unserializable": "SUBSET {1}"},
    }


def test_quoted() -> None:
    assert quoted('a"b\\c\n') == '"a\\"b\\\\c\\n"'
