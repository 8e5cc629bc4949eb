"""Hashes of formulas: the same for the same structure, another for anything that matters."""

from __future__ import annotations

import z3

from vstack.verify.z3_digest import digest, is_closed_ground, logic


def parse(text: str) -> z3.BoolRef:
    return z3.parse_smt2_string(text)[0]


def of(sort: str, term: str) -> str:
    return digest(parse(f"(declare-fun x () {sort})(declare-fun y () {sort})(assert {term})"))


def test_layout_let_definitions_and_bound_names_do_not_matter():
    assert of("Int", "(> x (+ y 1))") == of("Int", "(let ((z (+ y 1)))\n (> x z))")
    forall = "(forall (({0} Int)) (exists (({1} Int)) (> {0} {1})))"
    assert of("Int", forall.format("a", "b")) == of("Int", forall.format("b", "a"))
    macro = "(declare-fun x () Int)(define-fun f ((a Int)) Bool (> a 1))(assert (f x))"
    assert digest(parse(macro)) == digest(parse("(declare-fun x () Int)(assert (> x 1))"))


def test_names_operators_values_and_sorts_matter():
    terms = [
        "(> x y)",
        "(> y x)",
        "(>= x y)",
        "(> x 1)",
        "(> x 2)",
        "(forall ((a Int)) (> a x))",
        "(exists ((a Int)) (> a x))",
    ]
    assert len({of("Int", term) for term in terms} | {of("Real", term) for term in terms[:3]}) == len(terms) + 3
    assert of("(_ BitVec 8)", "(bvult x y)") != of("(_ BitVec 16)", "(bvult x y)")
    assert of("(_ BitVec 8)", "(= ((_ extract 3 0) x) ((_ extract 3 0) y))") != of(
        "(_ BitVec 8)", "(= ((_ extract 4 1) x) ((_ extract 3 0) y))"
    )
    assert of("(Array Int Int)", "(= x y)") != of("(Array Int Bool)", "(= x y)")
    assert of("Int", "(forall ((a Int)) (= a a))") != of("Int", "(forall ((a Real)) (= a a))")


def test_a_datatype_is_known_by_its_constructors():
    text = "(declare-datatypes ((L 0)) (((nil) (cons (head {}) (tail L)))))(declare-fun l () L)(assert (= l nil))"
    assert digest(parse(text.format("Int"))) != digest(parse(text.format("Real")))
    assert digest(parse(text.format("Int"))) == digest(parse(text.format("Int")))


def test_a_deep_formula_needs_no_deep_recursion():
    x = z3.Int("x")
    term = x
    for _ in range(4_000):
        term = term + 1
    assert len(digest(term > 0)) == 64


def test_what_a_formula_speaks_of():
    x = z3.Int("x")
    assert is_closed_ground(z3.IntVal(1) > 0)
    assert not is_closed_ground(x > 0)
    assert not is_closed_ground(z3.ForAll([x], x * x >= 0))
    assert logic([x > 0]) == "quantifier-free, Int"
    assert logic([z3.ForAll([x], z3.BitVec("b", 8) == 1)]) == "quantifiers, BitVec(8), Int"
