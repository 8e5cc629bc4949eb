"""The comment lines above a definition."""

from __future__ import annotations

import pytest

from tests.tla.conftest import Read
from vstack.tla.comments import comments_above

MODULE = r"""
VARIABLE x
\* far away

\* first line
\* second line: repo:path.py:3-9@abc
Simple == x = 1
Text == x = "\\* no comment" \* behind code
Behind == x = 2
(* a block
   of lines, (* nested *) still it

   with an empty line *)
Block == x = 3
(***********************)
(* in a box            *)
(***********************)
Boxed == x = 4 (* starts here
and ends here *)
After == x = 5
\* marked
LOCAL Hidden == x = 6
\* about n
\*
\* more
F[n \in {1}] == n
"""
SAID = {
    "Simple": [(6, "first line"), (7, "second line: repo:path.py:3-9@abc")],
    "Text": [],
    "Behind": [],
    "Block": [(11, "a block"), (12, "of lines, (* nested *) still it"), (14, "with an empty line")],
    "Boxed": [(17, "in a box")],
    "After": [(20, "and ends here")],
    "Hidden": [(22, "marked")],
    "F": [(24, "about n"), (26, "more")],
}


@pytest.fixture
def spec(read: Read):  # type: ignore[no-untyped-def]
    return read(Said=MODULE)


@pytest.mark.parametrize("name", SAID)
def test_the_lines_above(spec, name: str) -> None:  # type: ignore[no-untyped-def]
    found = comments_above(spec.root.text, spec.definition(name).span)
    assert [(item.line, item.text) for item in found] == SAID[name]
    lines = spec.root.text.split("\n")
    assert all(text.split()[-1].strip("*()") in lines[line - 1] for line, text in SAID[name])
