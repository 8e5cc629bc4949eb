"""Which functions in scope no anchor covers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.abstract.conftest import PATH, Upstream, step_marks
from vstack.abstract.repos import open_repos
from vstack.abstract.scope import check_scope, functions
from vstack.project import load_project


def scope(folder: Path, upstream: Upstream, *, checkout: bool = True):
    project = load_project(folder)
    repos = open_repos(project, (f"code={upstream.folder}",) if checkout else (), fetch=False)
    anchors = [anchor for each in step_marks(folder) for anchor in each.anchors]
    rows, findings = check_scope(project, anchors, repos)
    return rows, [finding.rule for finding in findings]


@pytest.fixture
def step(upstream: Upstream) -> list[str]:
    first, _ = upstream.lines("        with self.lock:")
    return ["@process worker", f"@anchor {upstream.anchor(first, first + 1)}"]


def entry(names: str, what: str = "other") -> str:
    return f'scope:\n  - {{repo: code, path: "{PATH}", functions: [{names}]}}\nomissions:\n  - {{what: "{what}", reason: none of it races}}'


def test_uncovered_lines_are_listed_and_need_an_omission(make_project, upstream: Upstream, step: list[str]):
    rows, rules = scope(make_project(step, more=entry("Worker.step")), upstream)
    (row,) = rows
    send, _ = upstream.lines("        self.sock.send")
    assert (row.function, row.lines, row.covered, row.open) == ("Worker.step", 4, 2, ((send, send),))
    assert rules == ["scope-uncovered"]
    rows, rules = scope(make_project(step, more=entry("step", "the send in Worker.step")), upstream)
    assert (rows[0].omission, rules) == ("none of it races", [])


def test_without_names_every_function_of_the_file_is_in_scope(make_project, upstream: Upstream, step: list[str]):
    rows, rules = scope(make_project(step, more=entry("", f"code:{PATH}")), upstream)
    assert [row.function for row in rows] == ["Worker.__init__", "Worker.step", "Worker.both", "Worker.drop"]
    assert [row.omission is None for row in rows] == [False, True, False, False]
    assert rules == ["scope-uncovered"]


def test_an_omission_must_name_the_function_itself(make_project, upstream: Upstream, step: list[str]):
    _, rules = scope(make_project(step, more=entry("both", "bothering details")), upstream)
    assert rules == ["scope-uncovered"]


def test_a_function_that_does_not_exist_or_code_outside_of_scope_is_found(
    make_project, upstream: Upstream, step: list[str]
):
    _, rules = scope(make_project(step, more=entry("stepp")), upstream)
    assert rules == ["scope-function"]
    _, rules = scope(
        make_project(step, more=entry("step", "step").replace(PATH, "other.py").replace("[step]", "[]")), upstream
    )
    assert rules == ["scope-outside"]


def test_without_a_checkout_scope_is_not_checked(make_project, upstream: Upstream, step: list[str]):
    rows, rules = scope(make_project(step, more=entry("step")), upstream, checkout=False)
    assert ([row.checked for row in rows], rules) == ([False], [])
    assert "--repo code=PATH" in rows[0].note


def test_decorators_count_and_nested_functions_belong_to_the_outer_one():
    text = "@d\n@e(1)\ndef f():\n    def g():\n        pass\n    return g\nclass C:\n    class D:\n        async def m(self): ...\n"
    assert [(f.name, f.first, f.last) for f in functions(text)] == [("f", 1, 6), ("C.D.m", 9, 9)]
