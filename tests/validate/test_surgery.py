"""Generated module text: what is replaced is replaced, columns and comments of the rest stay."""

from __future__ import annotations

import pytest

from vstack.errors import VstackError
from vstack.tla.sany import load
from vstack.tla.tree import Spec
from vstack.tools.find import find_tools
from vstack.validate.mutants.layout import block, flat
from vstack.validate.surgery import call, extended, head, renamed, spliced, without_constants

SOURCE = """---- MODULE Cut ----
\\* before
CONSTANTS A, \\* first
          B, F(_, _),
          C
CONSTANT D
VARIABLES x, y
Step(p, q) == /\\ x = p   \\* a list that opens on the first line
              /\\ \\/ y = q /\\ x' = 1
                 \\/ x' = 2
              /\\ y' = y
LOCAL Hidden == x = 0
====
"""


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    tools = find_tools()
    path = tmp_path_factory.mktemp("cut") / "Cut.tla"
    path.write_text(SOURCE, encoding="utf-8")
    return load(path, search=[], java=tools.java, jar=tools.jar)


def test_renamed_keeps_columns(spec: Spec) -> None:
    step = spec.definition("Step")
    text = renamed(SOURCE, step, spec.text(step.span), "Other")
    first, *rest = text.split("\n")
    assert first == "Other(p, q) =="
    assert [line for line in rest if line.strip()] == [
        "              /\\ x = p   \\* a list that opens on the first line",
        "              /\\ \\/ y = q /\\ x' = 1",
        "                 \\/ x' = 2",
        "              /\\ y' = y",
    ]
    assert call(step, "Other") == "Other(p, q)"
    hidden = spec.definition("Hidden")
    assert head(SOURCE, hidden, "Other") == "LOCAL Other ==" and call(hidden, "Other") == "Other"


def test_constants_taken_out() -> None:
    some = without_constants(SOURCE, frozenset({"A", "C"}))
    declared = flat(some[some.index("CONSTANTS") : some.index("VARIABLES")])
    assert declared == "CONSTANTS B, F(_,_) CONSTANT D"
    assert "\\* first" in some
    assert flat(without_constants(SOURCE, frozenset("ABCD"))).startswith(
        "---- MODULE Cut ---- CONSTANTS F(_,_) VARIABLES"
    )
    assert without_constants(SOURCE, frozenset()) == SOURCE
    with pytest.raises(VstackError, match="takes parameters"):
        without_constants(SOURCE, frozenset({"F"}))


def test_extended() -> None:
    assert extended(SOURCE, "Run").startswith("---- MODULE Cut ----\nEXTENDS Run\n")
    with_others = "---- MODULE Cut ----\n(* EXTENDS Nothing *)\nEXTENDS Naturals,\n  Sequences\n====\n"
    assert extended(with_others, "Run") == with_others.replace("EXTENDS Naturals", "EXTENDS Run, Naturals")


def test_spliced_and_block(spec: Spec) -> None:
    step = spec.definition("Step")
    assert spliced(SOURCE, [(step.span, "Step(p, q) == TRUE")]).count("Step(p, q) == TRUE\nLOCAL") == 1
    assert step.body is not None
    assert block(SOURCE, step.body).split("\n")[1] == "/\\ \\/ y = q /\\ x' = 1"


def test_flat_forgets_comments_and_layout() -> None:
    assert flat('x  =\n   1 (* one *) \\* more\n /\\ y = "a  b"') == 'x = 1 /\\ y = "a  b"'
