"""SMT-LIB text read by vstack: what may stand in a goal, with lines in errors."""

from __future__ import annotations

import pytest

from vstack.errors import RefusedError, VstackError
from vstack.verify.smtlib import commands, exported_obligation, read_obligations

GOAL = "(declare-const x Int)\n(assert (! (> x 0) :named assume_pos))\n(assert (! (> x (- 1)) :named goal))\n"


def test_commands_keep_strings_quoted_symbols_and_lines():
    found = commands('; (no\n(a "x)""(" |b\n(c|) ; tail\n\n(d ((e) f))', "f")
    assert [(c.head, c.arguments, c.line) for c in found] == [("a", ('"x)""("', "|b\n(c|"), 2), ("d", ("((e) f)",), 5)]


@pytest.mark.parametrize("text", ["(a", "a", ")", '(a "b', "(a |b"])
def test_text_that_is_not_closed_is_an_error(text: str):
    with pytest.raises(VstackError):
        commands(text, "f.smt2")


def test_goals_share_the_assumptions():
    first, second = read_obligations(GOAL + "(assert (! (> x 5) :named goal_five))", "f")
    assert (first.name, second.name, first.assumptions) == ("goal", "five", (("pos", "(> x 0)"),))
    assert first.assumptions == second.assumptions
    assert first.declarations == "(declare-const x Int)"


@pytest.mark.parametrize(
    "command",
    [
        "(exit)", "(push 1)", "(pop 1)", "(reset)", "(set-option :smt.random_seed 1)", "(get-model)", "(echo \"unsat\")",
        "(check-sat-assuming (a))", "(define-fun-rec f ((n Int)) Int (f n))", "(include \"x\")", "(eval x)", "(simplify x)",
        "(assert false)", "(assert (! false :named hidden))", "(assert (! false :weight 1 :named assume_x))",
        "(assert (! false :pattern assume_x))", "((assert false))", "(minimize x)", "(declare-tactic t skip)",
    ],
)  # fmt: skip
def test_every_other_command_is_refused_with_its_line(command: str):
    with pytest.raises(RefusedError) as caught:
        read_obligations(GOAL + command, "f.smt2")
    assert caught.value.where == "f.smt2:4"


def test_no_goal_or_one_name_twice_is_an_error():
    with pytest.raises(VstackError, match="named `goal`"):
        read_obligations("(declare-const x Int)", "f")
    with pytest.raises(VstackError, match="Two assertions"):
        read_obligations(GOAL + "(assert (! false :named goal))", "f")


def test_an_export_must_have_one_assertion_for_each_part():
    assert exported_obligation("o", ["a"], "(assert true)(assert false)", "f").goal == "false"
    for names, text in (
        (["a"], "(assert true)"),
        ([], "(assert true)(assert true)"),
        ([], "(assert true)(exit)"),
        ([], ""),
    ):
        with pytest.raises(RefusedError):
            exported_obligation("o", names, text, "f")
    for name, names in (("a b", []), ("o", ["x", "x"]), ("", [])):
        with pytest.raises(VstackError):
            exported_obligation(name, names, "(assert true)" * (len(names) + 1), "f")
