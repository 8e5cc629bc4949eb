"""The atomicity rule on anchored code in a real repository."""

from __future__ import annotations

from pathlib import Path

from tests.abstract.conftest import Upstream, step_marks
from vstack.abstract.atomicity import check_atomicity
from vstack.abstract.repos import open_repos
from vstack.project import load_project


def rows(folder: Path, upstream: Upstream, *, checkout: bool = True):
    project = load_project(folder)
    repos = open_repos(project, (f"code={upstream.folder}",) if checkout else (), fetch=False)
    return check_atomicity(project, step_marks(folder), repos)


def lines_of(upstream: Upstream, start: str, end: str) -> tuple[int, int]:
    return upstream.lines(start)[0], upstream.lines(end)[0]


def test_a_lock_release_inside_an_action_must_be_split(make_project, upstream: Upstream):
    first, last = lines_of(upstream, "    def both", "        self.queue.append")
    folder = make_project(["@process worker", f"@anchor {upstream.anchor(first, last)}", "@split it was"])
    (row,) = rows(folder, upstream)
    assert row.checked and row.excuse is None and "lock `self.lock` is released" in row.finding
    assert f"line {last}" in row.finding


def test_the_same_code_as_two_ranges_is_still_one_action(make_project, upstream: Upstream):
    first, last = lines_of(upstream, "    def both", "        self.queue.append")
    two = [f"@anchor {upstream.anchor(last, last)}", f"@anchor {upstream.anchor(first, last - 1)}"]
    assert len(rows(make_project(["@process worker", *two]), upstream)) == 1


def test_halves_recorded_at_two_commits_are_still_one_action(make_project, upstream: Upstream):
    first, last = lines_of(upstream, "    def both", "        self.queue.append")
    later, _ = upstream.lines("        self.queue.append(room)", commit=upstream.new)
    halves = [
        f"@anchor {upstream.anchor(first, last - 1)}",
        f"@anchor {upstream.anchor(later, later, commit=upstream.new)}",
    ]
    found = rows(make_project(["@process worker", *halves]), upstream)
    assert len(found) == 2
    assert all("lock `self.lock` is released" in row.finding for row in found)


def test_an_action_that_ends_at_the_boundary_is_atomic(make_project, upstream: Upstream):
    first, last = lines_of(upstream, "    def both", "        self.queue.append")
    folder = make_project(["@process worker", f"@anchor {upstream.anchor(first, last - 1)}"])
    assert rows(folder, upstream) == ()


def test_an_excuse_is_shown_with_the_finding(make_project, upstream: Upstream):
    first, last = lines_of(upstream, "    def both", "        self.queue.append")
    more = "atomicity: {excuses: {Step: only this thread appends}}"
    (row,) = rows(make_project(["@process worker", f"@anchor {upstream.anchor(first, last)}"], more=more), upstream)
    assert row.excuse == "only this thread appends"


def test_two_processes_in_one_commit_are_found_and_in_two_commits_are_not(make_project, upstream: Upstream):
    old, new = upstream.anchor(12, 13), upstream.anchor(14, 15, commit=upstream.new)
    one = ["@process a", f"@anchor {old} process=b", f"@anchor {upstream.anchor(8, 9)}"]
    assert "2 processes: a, b" in rows(make_project(one), upstream)[0].finding
    assert rows(make_project(["@process a", f"@anchor {old} process=b", f"@anchor {new}"]), upstream) == ()
    assert (
        "marked with 2 processes"
        in rows(make_project(["@process a", "@process b", f"@anchor {old}"]), upstream)[0].finding
    )


def test_without_a_checkout_the_rule_says_that_it_did_not_look(make_project, upstream: Upstream):
    (row,) = rows(make_project(["@process a", f"@anchor {upstream.anchor(12, 13)}"]), upstream, checkout=False)
    assert not row.checked and "not checked" in row.finding
