"""Anchors against real git repositories: exact, moved, changed, missing, not checked, and tampered with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.abstract.conftest import NEW, OLD, PATH, Upstream, commit_file, git, step_marks
from vstack.abstract.check import check_anchors, stale_actions
from vstack.abstract.repos import open_repos
from vstack.errors import RefusedError, VstackError
from vstack.project import load_project


def check(folder: Path, repo: Path | None, at: str | None = None):
    project = load_project(folder)
    repos = open_repos(project, (f"code={repo}",) if repo else (), fetch=False)
    report = check_anchors(project, step_marks(folder), repos, at={"": at} if at else None)
    return report, [finding.rule for finding in report.findings]


def anchored(anchor: str) -> list[str]:
    return ["@process worker", f"@anchor {anchor}"]


def test_an_honest_anchor_is_exact_and_links_to_its_lines(make_project, upstream: Upstream):
    first, last = upstream.lines("        with self.lock:\n            self.done.add(room)\n")
    report, rules = check(make_project(anchored(upstream.anchor(first, last))), upstream.folder)
    (row,) = report.rows
    assert (row.state, row.action, row.process, rules) == ("exact", "Step", "worker", [])
    assert row.url == f"https://github.com/someone/code/blob/{upstream.old}/src%20dir/w%C3%B6rker.py#L{first}-L{last}"


def test_a_bare_clone_answers_too(make_project, upstream: Upstream, tmp_path: Path):
    git(tmp_path, "clone", "-q", "--bare", str(upstream.folder), "bare copy.git")
    report, rules = check(make_project(anchored(upstream.anchor(12, 14))), tmp_path / "bare copy.git")
    assert (report.rows[0].state, rules) == ("exact", [])


def test_at_a_later_commit_lines_are_found_where_they_moved(make_project, upstream: Upstream):
    folder = make_project(anchored(upstream.anchor(12, 14)))
    report, rules = check(folder, upstream.folder, at="main")
    assert report.rows[0].state == "moved"
    assert report.rows[0].now == f"code:{PATH}:14-16@{upstream.new}"
    assert rules == []
    assert stale_actions(report) == ()


def test_lines_that_moved_to_another_file_are_found(make_project, upstream: Upstream, tmp_path: Path):
    git(tmp_path, "clone", "-q", str(upstream.folder), "copy")
    copy = tmp_path / "copy"
    git(copy, "mv", PATH, "src dir/renamed.py")
    git(copy, "commit", "-q", "-m", "rename")
    report, _ = check(make_project(anchored(upstream.anchor(12, 14))), copy, at="HEAD")
    assert report.rows[0].now == f"code:src dir/renamed.py:14-16@{git(copy, 'rev-parse', 'HEAD')}"


def test_changed_code_makes_the_action_stale(make_project, upstream: Upstream):
    first, last = upstream.lines("        self.done.discard(room)\n        self.queue.clear()\n")
    report, _ = check(make_project(anchored(upstream.anchor(first, last))), upstream.folder, at="main")
    assert report.rows[0].state == "changed"
    assert stale_actions(report) == ("Step",)


def test_an_action_anchored_in_two_commits_is_fresh_if_one_still_stands(make_project, upstream: Upstream):
    first, last = upstream.lines("        self.done.discard(room)\n        self.queue.clear()\n")
    then = upstream.lines("        if room in self.queue:\n            self.queue.remove(room)\n", commit=upstream.new)
    both = [*anchored(upstream.anchor(first, last)), f"@anchor {upstream.anchor(*then, commit=upstream.new)}"]
    report, rules = check(make_project(both), upstream.folder, at="main")
    assert [row.state for row in report.rows] == ["changed", "exact"]
    assert (stale_actions(report), rules) == ((), [])


def test_a_wrong_hash_is_refused(make_project, upstream: Upstream):
    honest = upstream.anchor(12, 14)
    report, rules = check(make_project(anchored(honest[:-6] + "000000")), upstream.folder)
    assert (report.rows[0].state, rules) == ("changed", ["anchor-hash"])


def test_a_hash_of_other_lines_is_refused_and_those_lines_named(make_project, upstream: Upstream):
    report, rules = check(make_project(anchored(upstream.anchor(12, 14).replace("12-14", "13-15"))), upstream.folder)
    assert (report.rows[0].state, rules) == ("moved", ["anchor-hash"])
    assert report.rows[0].now == f"code:{PATH}:12-14@{upstream.old}"


def test_lines_beyond_the_file_are_refused(make_project, upstream: Upstream):
    report, rules = check(make_project(anchored(upstream.anchor(12, 14).replace("12-14", "900-902"))), upstream.folder)
    assert (report.rows[0].state, rules) == ("moved", ["anchor-hash"])
    assert "only 25 lines" in report.rows[0].note


@pytest.mark.parametrize("text", ["\n\nclass", '"""A worker."""', "        # Nothing but a comment, and then\n"])
def test_lines_that_say_nothing_are_refused(make_project, upstream: Upstream, text: str):
    first, _ = upstream.lines(text)
    last = first + 1 if text.startswith("\n") else first
    _, rules = check(make_project(anchored(upstream.anchor(first, last))), upstream.folder)
    assert rules == ["anchor-empty"]


def test_without_a_checkout_nothing_is_checked_and_that_is_said(make_project, upstream: Upstream):
    folder = make_project(anchored(upstream.anchor(12, 14)))
    report, rules = check(folder, None)
    assert (report.rows[0].state, rules) == ("not checked", [])
    assert "--repo code=PATH" in report.rows[0].note
    with (folder / "vstack.yaml").open("a") as stream:
        stream.write("policy: {unchecked_anchors: refuse}\n")
    assert check(folder, None)[1] == ["anchor-unchecked"]


def test_an_unknown_commit_or_file_is_missing(make_project, upstream: Upstream):
    report, rules = check(
        make_project(anchored(upstream.anchor(12, 14).replace(upstream.old, "0" * 40))), upstream.folder
    )
    assert (report.rows[0].state, rules) == ("missing", ["anchor-commit"])
    report, rules = check(make_project(anchored(upstream.anchor(12, 14).replace("rker", "rkez"))), upstream.folder)
    assert (report.rows[0].state, rules) == ("missing", ["anchor-file"])


def test_a_shallow_clone_without_the_commit_says_how_to_get_it(make_project, upstream: Upstream, tmp_path: Path):
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{upstream.folder}", "shallow")
    report, rules = check(make_project(anchored(upstream.anchor(12, 14))), tmp_path / "shallow")
    assert (report.rows[0].state, rules) == ("not checked", [])
    assert f"fetch --depth 1 origin {upstream.old}" in report.rows[0].note


def test_an_object_store_that_was_edited_cannot_answer(make_project, upstream: Upstream, tmp_path: Path):
    copy = tmp_path / "copy"
    shutil.copytree(upstream.folder, copy)
    folder = make_project(anchored(upstream.anchor(12, 14)))
    honest = git(copy, "rev-parse", f"{upstream.old}:{PATH}")
    forged = commit_file(copy, "x.py", NEW + b"# forged\n", "forge")
    other = git(copy, "rev-parse", f"{forged}:x.py")
    git(copy, "replace", honest, other)
    assert check(folder, copy)[0].rows[0].state == "exact"
    target = copy / ".git" / "objects" / honest[:2] / honest[2:]
    target.chmod(0o644)
    target.write_bytes((copy / ".git" / "objects" / other[:2] / other[2:]).read_bytes())
    with pytest.raises(RefusedError, match="does not have the content"):
        check(folder, copy)


def test_an_unknown_revision_or_repository_is_an_error(make_project, upstream: Upstream, tmp_path: Path):
    folder = make_project(anchored(upstream.anchor(12, 14)))
    with pytest.raises(VstackError, match="no such revision"):
        check(folder, upstream.folder, at="no-such-branch")
    with pytest.raises(VstackError, match="can't use this folder"):
        check(folder, tmp_path)
    project = load_project(folder)
    for argument, why in (
        ("code", "names no path"),
        ("coed=.", "no repository `coed`"),
        ("code=/no/such", "does not exist"),
    ):
        with pytest.raises(VstackError, match=why):
            open_repos(project, (argument,))


def test_a_variant_must_not_have_a_guard_that_its_commit_lacks(make_project, upstream: Upstream):
    then = upstream.lines("        if room in self.queue:\n            self.queue.remove(room)\n", commit=upstream.new)
    guard = upstream.anchor(*then, commit=upstream.new)
    more = f"""guards:
  G1: {{constant: G1, english: asks first, anchors: ["{guard}"]}}
variants:
  fixed: {{english: fixed, commit: {upstream.new}, guards: [G1]}}
  buggy: {{english: buggy, commit: {upstream.old}, guards: [%s]}}
  own: {{english: own, ours: true, guards: [G1]}}
"""
    step = anchored(upstream.anchor(12, 14))
    report, rules = check(make_project(step, more=more % ""), upstream.folder)
    assert ([row.state for row in report.rows], rules) == (["exact", "exact"], [])
    report, rules = check(make_project(step, more=more % "G1"), upstream.folder)
    assert rules == ["guard-anchor"]
    assert "Variant buggy has guard G1" in report.findings[0].message


@pytest.fixture
def beside_its_code(make_project, tmp_path: Path):
    """``beside_its_code(first, last)``: a project in the repository of the code that its model is anchored to, and its commit."""

    def make(first: int, last: int) -> tuple[Path, str]:
        git(tmp_path, "init", "-q", "-b", "main")
        commit = commit_file(tmp_path, PATH, OLD, "the code")
        folder = make_project(anchored(Upstream(tmp_path, commit, commit).anchor(first, last)))
        settings = folder / "vstack.yaml"
        text = settings.read_text(encoding="utf-8")
        settings.write_text(
            text.replace('{url: "https://github.com/someone/code.git"}', "{here: true}"), encoding="utf-8"
        )
        return folder, commit

    return make


def test_a_project_in_the_repository_of_its_code_names_no_checkout(beside_its_code):
    folder, _ = beside_its_code(12, 14)
    report, rules = check(folder, None)
    assert ([row.state for row in report.rows], rules) == (["exact"], [])


def test_own_code_is_looked_up_in_the_working_tree(beside_its_code, tmp_path: Path):
    folder, commit = beside_its_code(12, 14)
    (tmp_path / PATH).write_bytes(NEW)
    report, rules = check(folder, None)
    assert (report.rows[0].state, report.rows[0].now, rules) == ("moved", f"code:{PATH}:14-16@{commit}", [])
    (tmp_path / PATH).write_bytes(NEW.replace(b"self.done.add(room)", b"pass"))
    report, rules = check(folder, None)
    assert (report.rows[0].state, rules, stale_actions(report)) == ("changed", [], ("Step",))
    (tmp_path / PATH).unlink()
    report, rules = check(folder, None)
    assert (report.rows[0].state, rules) == ("changed", [])
    assert "no such file" in report.rows[0].note


def test_own_code_that_never_landed_says_nothing(beside_its_code, tmp_path: Path):
    folder, commit = beside_its_code(12, 14)
    git(tmp_path, "checkout", "-q", "--orphan", "other")
    git(tmp_path, "commit", "-q", "-m", "another history")
    report, rules = check(folder, None)
    assert (report.rows[0].state, rules) == ("missing", ["anchor-commit"])
    assert "not in the history of HEAD" in report.findings[0].message
