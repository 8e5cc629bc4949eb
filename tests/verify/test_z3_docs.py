"""The examples of docs/z3-goals.md are goals that hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from vstack.project import Project
from vstack.verdicts import Verdict
from vstack.verify.z3_goal import run_z3_goal

DOCS = (Path(__file__).parents[2] / "docs" / "z3-goals.md").read_text(encoding="utf-8")


def test_the_script_and_the_text_of_the_documentation_hold(z3_project: Callable[..., Project]):
    script = re.search(r"```python\n(.*?)```", DOCS, re.DOTALL)
    text = re.search(r"```\n(\(declare.*?)```", DOCS, re.DOTALL)
    assert script and text
    for project in (z3_project(script[1]), z3_project(text[1], ".smt2")):
        (record,) = run_z3_goal(project, "G", seconds=30, memory_mb=512)
        assert record.verdict is Verdict.HOLDS, record.reason
        assert record.detail["dispensable assumptions"] == []
