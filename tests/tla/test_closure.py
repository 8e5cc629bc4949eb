"""What changes the hash of a definition and what doesn't."""

from __future__ import annotations

import pytest

from tests.tla.conftest import Read
from vstack.errors import VstackError
from vstack.tla.closure import closure, normal_text

# In each pair the first two definitions mean the same and the third does not.
SAME_AND_OTHER = r"""
EXTENDS Naturals, Sequences
CONSTANTS C, D
VARIABLES x, y

\* bound names
A1 == \A a \in 1..3 : \E b \in {a} : a = b
A2 == \A other \in 1..3 :
        \E names \in {other} : other = names
A3 == \A a \in 1..3 : \E b \in {a} : b = a
\* bulleted and infix lists, comments, parentheses
B1 == x = 1 /\ (y = 2 /\ x < 5)
B2 == /\ x = 1 (* one (* nested *) *)
      /\ y = 2 \* two
      /\ ((x) < 5)
B3 == y = 2 /\ x = 1 /\ x < 5
\* parameters
P1(a, b) == a + b
P2(u, v) == u + v
P3(a, b) == b + a
\* helpers by what they say, not by name
HelperOne == x + 1
HelperTwo == x + 1
HelperThree == x + 2
H1 == HelperOne = 3
H2 == HelperTwo = 3
H3 == HelperThree = 3
\* LET: names and order don't matter, nor do unused ones
L1 == LET u == 1  v == u + x IN v = u
L2 == LET unused == 7  p == 1  q == p + x IN q = p
L3 == LET u == 2  v == u + x IN v = u
\* LET that reaches a bound symbol: the right one
LB1 == \A a \in {1} : \A b \in {2} : LET z == a IN z = b
LB2 == \A s \in {1} : \A t \in {2} : LET w == s IN w = t
LB3 == \A a \in {1} : \A b \in {2} : LET z == b IN z = b
\* LAMBDA
Map(F(_), v) == F(v)
M1 == Map(LAMBDA a : a + x, 2)
M2 == Map(LAMBDA b : b + x, 2)
M3 == Map(LAMBDA b : b + y, 2)
\* RECURSIVE, alone and in a ring
RECURSIVE F1(_)
RECURSIVE F2(_)
RECURSIVE F3(_)
F1(n) == IF n = 0 THEN 0 ELSE F1(n - 1)
F2(k) == IF k = 0 THEN 0 ELSE F2(k - 1)
F3(n) == IF n = 0 THEN 1 ELSE F3(n - 1)
RECURSIVE E1(_)
RECURSIVE O1(_)
E1(n) == n = 0 \/ O1(n - 1)
O1(n) == n # 0 /\ E1(n - 1)
RECURSIVE E2(_)
RECURSIVE O2(_)
O2(n) == n # 0 /\ E2(n - 1)
E2(n) == n = 0 \/ O2(n - 1)
RECURSIVE E3(_)
RECURSIVE O3(_)
E3(n) == n = 0 \/ O3(n - 1)
O3(n) == n # 1 /\ E3(n - 1)
\* functions, EXCEPT, records, CASE
X1 == [[a \in 1..2 |-> a] EXCEPT ![1] = @ + 1]
X2 == [[b \in 1..2 |-> b] EXCEPT ![1] = @ + 1]
X3 == [[a \in 1..2 |-> a] EXCEPT ![2] = @ + 1]
G1[n \in Nat] == IF n = 0 THEN 1 ELSE G1[n - 1]
G2[m \in Nat] == IF m = 0 THEN 1 ELSE G2[m - 1]
G3[n \in Nat] == IF n = 0 THEN 1 ELSE G3[n - 2]
K1 == CASE x = 1 -> "a" [] OTHER -> "b"
K2 == CASE (x = 1) -> "a"
        [] OTHER -> ("b")
K3 == CASE x = 1 -> "a" [] OTHER -> "c"
\* labels are names only
J1 == \A v \in {1} : v = x
J2 == \A v \in {1} : here(v):: v = x
J3 == \A v \in {1} : here(v):: v = y
\* the constants and variables themselves
V1 == C = 1
V2 == C = 1
V3 == D = 1
\* tuples in quantifiers
T1 == \E <<a, b>> \in {<<1, 2>>} : a < b
T2 == \E <<c, d>> \in {<<1, 2>>} : c < d
T3 == \E a, b \in {<<1, 2>>} : a < b
\* text in strings is text
S1 == "a b"
S2 == "a b"
S3 == "a  b"
\* standard operators by name
N1 == x + 1
N2 == x + 1
N3 == x - 1
"""
PAIRS = ["A", "B", "P", "H", "L", "LB", "M", "F", "E", "O", "X", "G", "K", "J", "V", "T", "S", "N"]


@pytest.fixture
def digest(read: Read):  # type: ignore[no-untyped-def]
    spec = read(Same=SAME_AND_OTHER)
    return lambda name: closure(spec, name).digest


@pytest.mark.parametrize("pair", PAIRS)
def test_the_same_meaning_has_one_hash_and_another_has_another(digest, pair: str) -> None:  # type: ignore[no-untyped-def]
    assert digest(f"{pair}1") == digest(f"{pair}2")
    assert digest(f"{pair}1") != digest(f"{pair}3")


def test_no_two_of_the_different_ones_collide(digest) -> None:  # type: ignore[no-untyped-def]
    names = [f"{pair}{number}" for pair in PAIRS for number in (1, 3)]
    digests = {name: digest(name) for name in names}
    assert len(set(digests.values())) == len(names)


def test_order_of_definitions_comments_and_what_is_not_reached_do_not_matter(read: Read) -> None:
    one = read(Order="VARIABLE x\nstep == 1\nHelp == <<x, step>>\nInv == Help = 2")
    two = read(
        Order="VARIABLES x, unused\n\\* a comment\nOther == 5\nstride == 1\n"
        "Help ==\n    << x , stride >>\nInv == Help = 2"
    )
    assert closure(one, "Inv").digest == closure(two, "Inv").digest
    assert [item.name for item in closure(one, "Inv").members] == ["Help", "Inv", "step"]


def test_a_change_deep_below_changes_everything_above(read: Read) -> None:
    text = "VARIABLE x\nBase == {}\nMid == Base \\cup {x}\nInv == Mid = {1}\nApart == x = 2"
    before, after = (
        closure(read(Deep=text), "Inv"),
        closure(read(Deep=text.replace("Base == {}", "Base == {0}")), "Inv"),
    )
    changed = {old.name for old, new in zip(before.members, after.members, strict=True) if old.digest != new.digest}
    assert changed == {"Base", "Mid", "Inv"}
    assert closure(read(Deep=text), "Apart").digest == closure(read(Deep=text.replace("{}", "{0}")), "Apart").digest


def test_through_extends_and_instance_with_substitutions(read: Read) -> None:
    inner = "EXTENDS Naturals\nCONSTANT k, idle\nVARIABLE p\nLOCAL Hidden == p + k\nFoo(a) == a + Hidden"
    main = "EXTENDS Low\nVARIABLES x, y\nI == INSTANCE Inner WITH p <- x, k <- 1, idle <- 0\nInv == I!Foo(2) = low"
    low = "low == 3"

    def inv(*, main: str = main, inner: str = inner, low: str = low) -> str:
        return closure(read(Main=main, helpers={"Inner": inner, "Low": low}), "Inv").digest

    base = inv()
    assert inv(low="low == 4") != base
    assert inv(inner=inner.replace("p + k", "p - k")) != base
    assert inv(main=main.replace("p <- x", "p <- y")) != base
    assert inv(main=main.replace("k <- 1", "k <- 2")) != base
    # A substitution that the body never reaches, and the name of the instance, mean nothing.
    assert inv(main=main.replace("idle <- 0", "idle <- 9")) == base
    assert inv(main=main.replace("I ==", "Other ==").replace("I!Foo", "Other!Foo")) == base


def test_members_name_module_and_span(read: Read) -> None:
    spec = read(Top="EXTENDS Low\nInv == low = 1", helpers={"Low": "\n\nlow == 3"})
    found = closure(spec, "Inv")
    assert [(item.module, item.name, item.span.line) for item in found.members] == [
        ("Low", "low", 4),
        ("Top", "Inv", 3),
    ]


CFG = r"""
EXTENDS Naturals
CONSTANTS N, M
VARIABLE x
Small == 0..3
Smaller == 0..2
Helper == x < N
Weak == TRUE
Inv == Helper /\ x \in Nat
NoNat == x < N
"""


def test_overrides_and_constants_count_where_they_are_reached(read: Read) -> None:
    spec = read(Config=CFG)
    base = closure(spec, "Inv").digest
    assert closure(spec, "Inv", overrides={"Helper": "Weak"}).digest != base
    assert closure(spec, "Inv", overrides={"Nat": "Small"}).digest != base
    assert (
        closure(spec, "Inv", overrides={"Nat": "Small"}).digest
        != closure(spec, "Inv", overrides={"Nat": "Smaller"}).digest
    )
    assert closure(spec, "Inv", constants={"N": "3"}).digest != base
    assert closure(spec, "Inv", constants={"N": "3"}).digest != closure(spec, "Inv", constants={"N": "4"}).digest
    assert (
        closure(spec, "Inv", constants={"N": "{2,1}"}).digest == closure(spec, "Inv", constants={"N": "{1, 2}"}).digest
    )
    assert closure(spec, "Inv", constants={"M": "3"}).digest == base
    # TLC lets a value replace a definition too, the goal itself included.
    assert closure(spec, "Inv", constants={"Helper": "TRUE"}).digest != base
    assert closure(spec, "Inv", constants={"Inv": "TRUE"}).digest != base
    assert closure(spec, "Inv", constants={"Small": "{1}"}).digest == base
    assert closure(spec, "NoNat", overrides={"Nat": "Small"}).digest == closure(spec, "NoNat").digest
    assert closure(spec, "Inv", overrides={"Inv": "Weak"}).digest == closure(spec, "Weak").digest


def test_an_override_for_one_module_counts_there(read: Read) -> None:
    spec = read(
        Top="EXTENDS Naturals\nVARIABLE x\nY == 5\nI == INSTANCE Inner WITH p <- x\nInv == I!Foo /\\ x = 1",
        helpers={"Inner": "VARIABLE p\nlim == 3\nFoo == p = lim"},
    )
    assert closure(spec, "Inv", overrides={"[Inner]lim": "Y"}).digest != closure(spec, "Inv").digest


@pytest.mark.parametrize(
    ("how", "says", "near"),
    [
        ({"overrides": {"Helpr": "Weak"}}, "names Helpr", "Helper"),
        ({"overrides": {"Helper": "Waek"}}, "Waek is not defined", "Weak"),
        ({"constants": {"NN": "1"}}, "names NN", "N"),
        ({"overrides": {"[Confg]Helper": "Weak"}}, "module Confg", "Config"),
    ],
)
def test_a_configuration_that_names_what_is_not_there(
    read: Read, how: dict[str, dict[str, str]], says: str, near: str
) -> None:
    with pytest.raises(VstackError, match=says) as caught:
        closure(read(Config=CFG), "Inv", **how)
    assert caught.value.todo == f"The nearest name is {near}"


def test_theorems_and_assumptions_have_closures_too(read: Read) -> None:
    spec = read(
        Theory="EXTENDS Naturals\nCONSTANT N\nPos == N > 0\nASSUME Fine == Pos\nTHEOREM Goal == Pos => N >= 1\nOBVIOUS"
    )
    assert [item.name for item in closure(spec, "Goal").members] == ["Pos"]
    assert closure(spec, "Goal").digest != closure(spec, "Fine").digest


def test_normal_text_shows_which_helper_changed_and_nothing_else(read: Read) -> None:
    text = "EXTENDS Naturals\nVARIABLE x\nBase == x + 1\nInv == LET z == Base IN \\A a \\in {z} : a = 1"
    before = normal_text(read(Shown=text), "Inv").splitlines()
    other = text.replace("x + 1", "x + 2").replace("\\A a \\in {z} : a = 1", "\\A b \\in {z} :\n   b = 1")
    after = normal_text(read(Shown=other), "Inv").splitlines()
    different = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(different) == 1 and "(number 1)" in different[0][0] and "(number 2)" in different[0][1]
    assert "LET z ==" in before and "Base ==" in before
