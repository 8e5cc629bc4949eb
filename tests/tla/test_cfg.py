"""TLC's configuration files: every keyword, what is wrong with its line, and the form for an old jar."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tla.conftest import run_tlc
from vstack.errors import VstackError
from vstack.tla.cfg import KEYWORDS, Assignment, Cfg, Override, format_cfg, parse_cfg
from vstack.tools.find import Tools

FULL = r"""
\* a comment with INIT in it
(* a block (* nested NEXT *) VIEW *)
CONSTANTS N = 3  Names = {"a b", "\\* no comment"}  p1 = p1
          Neg = -2 Deep = {{1, 2}, {}}
          Op <- MyOp  Nat <- [Inner] SmallNat
CONSTANT f(1, "k") = TRUE
  Scoped = [Inner] 7
SPECIFICATION Spec
INVARIANT TypeOK
INVARIANTS Safe
           Other
PROPERTY Live PROPERTIES Fair
CONSTRAINT Bound CONSTRAINTS B2 ACTION_CONSTRAINT AC ACTION_CONSTRAINTS AC2
SYMMETRY Perms VIEW view ALIAS alias POSTCONDITION Post
CHECK_DEADLOCK FALSE
_PERIODIC Every _RL_REWARD Reward TYPE T TYPE_CONSTRAINT TC
"""


def test_every_keyword() -> None:
    cfg = parse_cfg(FULL, where="M.cfg")
    assert cfg == Cfg(
        constants=(
            Assignment("N", "3"),
            Assignment("Names", '{"a b", "\\\\* no comment"}'),
            Assignment("p1", "p1"),
            Assignment("Neg", "-2"),
            Assignment("Deep", "{{1, 2}, {}}"),
            Override("Op", "MyOp"),
            Override("Nat", "SmallNat", "Inner"),
            Assignment("f", "TRUE", ("1", '"k"')),
            Assignment("Scoped", "7", (), "Inner"),
        ),
        specification="Spec",
        invariants=("TypeOK", "Safe", "Other"),
        properties=("Live", "Fair"),
        constraints=("Bound", "B2"),
        action_constraints=("AC", "AC2"),
        symmetry="Perms",
        view="view",
        alias="alias",
        postcondition="Post",
        check_deadlock=False,
        periodic="Every",
        reward="Reward",
        type="T",
        type_constraint="TC",
    )
    assert {word for word in KEYWORDS if word in FULL} >= set(KEYWORDS) - {"INIT", "NEXT"}
    assert parse_cfg("INIT I\nNEXT N", where="M.cfg") == Cfg(init="I", next="N")


def test_maps_of_constants_and_overrides_and_the_names_used() -> None:
    cfg = parse_cfg(FULL, where="M.cfg")
    assert cfg.assignments['f(1, "k")'] == "TRUE" and cfg.assignments["[Inner]Scoped"] == "7"
    assert cfg.overrides == {"Op": "MyOp", "[Inner]Nat": "SmallNat"}
    assert {"Spec", "Safe", "Live", "Perms", "view", "MyOp", "SmallNat"} <= set(cfg.names())


def test_written_and_read_again_it_is_the_same() -> None:
    cfg = parse_cfg(FULL, where="M.cfg")
    text, needs = format_cfg(cfg, old_jar=False)
    assert parse_cfg(text, where="M.cfg") == cfg
    assert not needs.deadlock_flag and needs.alias is None


def test_for_an_old_jar_what_it_does_not_know_becomes_a_need() -> None:
    text, needs = format_cfg(parse_cfg(FULL, where="M.cfg"), old_jar=True)
    assert not any(word in text for word in ("CHECK_DEADLOCK", "ALIAS", "POSTCONDITION", "_PERIODIC"))
    assert needs.deadlock_flag and needs.alias == "alias" and needs.postcondition == "Post"
    assert not format_cfg(parse_cfg("INIT I NEXT N CHECK_DEADLOCK TRUE", where="c"), old_jar=True)[1].deadlock_flag
    assert not format_cfg(parse_cfg("INIT I NEXT N", where="c"), old_jar=True)[1].deadlock_flag


@pytest.mark.parametrize(
    ("text", "line", "says", "todo"),
    [
        ("INIT I\nINVARIENT A", 2, "INVARIENT is not a keyword", "The nearest keyword is INVARIANT"),
        ("INIT I\n\ninvariant A", 3, "invariant is not a keyword", "The nearest keyword is INVARIANT"),
        (
            "CONSTANT N = 3\nPROPERTEIS P",
            2,
            "P stands after",
            "If PROPERTEIS is meant as a keyword: the nearest is PROPERTIES",
        ),
        ("SPECIFICATION Spec extra", 1, "extra is not a keyword", None),
        ("INIT", 1, "ends where the name after INIT", None),
        ("INIT NEXT N", 1, "NEXT stands where", None),
        ("CONSTANT x 3", 1, "3 stands after x", None),
        ("CONSTANT x =\n", 1, "ends where a value", None),
        ("CONSTANT x = {1,\n 2\nINIT I", 3, "starts in line 1 is not closed before INIT", None),
        ("CONSTANT x <- 3 {", 1, "{ is not a keyword", None),
        ("INIT A\nINIT B", 2, "INIT is given twice", None),
        ("CHECK_DEADLOCK maybe", 1, "TRUE or FALSE, not maybe", None),
        ("INVARIANT A, B", 1, ", is not a keyword", None),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, says: str, todo: str | None) -> None:
    with pytest.raises(VstackError) as caught:
        parse_cfg(text, where="dir/M.cfg")
    assert says in caught.value.what
    assert caught.value.where == f"dir/M.cfg:{line}"
    if todo:
        assert caught.value.todo == todo


def test_specification_next_to_init_is_refused() -> None:
    with pytest.raises(VstackError, match="one or the other"):
        parse_cfg("SPECIFICATION S\nNEXT N", where="M.cfg")


def test_the_old_form_is_what_the_old_jar_reads(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals\nCONSTANTS N, S, Op(_)\nVARIABLE x\nMyOp(a) == a + 1\n"
        "Init == x = 0\nNext == x < N /\\ x' = Op(x)\nInv == x \\in S\nSmall == 0..9\nAl == [x |-> x]\n====\n"
    )
    text = (
        "CONSTANTS N = 3 S = {0, 1, 2, 3} Op <- MyOp Nat <- Small\n"
        "INIT Init NEXT Next INVARIANTS Inv ALIAS Al CHECK_DEADLOCK FALSE"
    )
    written, needs = format_cfg(parse_cfg(text, where="M.cfg"), old_jar=True)
    (tmp_path / "M.cfg").write_text(written)
    assert needs.deadlock_flag
    output = run_tlc(tools, tmp_path, "-deadlock", "M")
    assert "No error has been found" in output and "4 distinct states found" in output
