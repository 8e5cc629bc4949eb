"""What a report tells of an action, from the comment above it."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.keep.facts import english_above
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tools.find import find_tools

MODULE = r"""---- MODULE Told ----
VARIABLE x
Init == x = 0
\* The engine takes a request
\* from its queue.
\* @process engine
\* @split it was put there by the client
\* in a step of its own
Take == x' = 1
\* @environment the client goes away; each
\* engine hears of it
Leave == x' = 2
Next == Take \/ Leave
====
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    path: Path = tmp_path_factory.mktemp("told") / "Told.tla"
    path.write_text(MODULE, encoding="utf-8")
    tools = find_tools()
    spec = load(path, search=(), java=tools.java, jar=tools.jar)
    return {action.name: english_above(spec, action) for action in split_next(spec, "Next")}


def test_prose_above_the_marks_is_the_sentence(told: dict[str, str]) -> None:
    assert told["Take"] == "The engine takes a request from its queue."


def test_lines_that_go_on_with_a_mark_are_no_prose(told: dict[str, str]) -> None:
    assert told["Leave"] == ""
