"""Re-anchoring: what is proposed, what is written, and what is left for a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.abstract.conftest import PATH, Upstream, step_marks
from vstack.abstract.refresh import nearest, propose, write_proposals
from vstack.abstract.repos import open_repos
from vstack.errors import VstackError
from vstack.project import load_project


def proposals(folder: Path, upstream: Upstream, revision: str | None = None, only_from: str | None = None):
    project = load_project(folder)
    repos = open_repos(project, (f"code={upstream.folder}",), fetch=False)
    return propose(project, step_marks(folder), repos, revision=revision, only_from=only_from)


def anchored(anchor: str) -> list[str]:
    return ["@process worker", f"@anchor {anchor}"]


def test_nothing_is_proposed_for_an_honest_anchor(make_project, upstream: Upstream):
    assert proposals(make_project(anchored(upstream.anchor(12, 14))), upstream) == ()


def test_moved_lines_are_rewritten_in_the_model_and_in_the_project_file(make_project, upstream: Upstream):
    anchor = upstream.anchor(12, 14)
    more = f'guards:\n  G1: {{constant: G1, english: g, anchors: ["{anchor}"]}}'
    folder = make_project(anchored(anchor), more=more)
    before = (folder / "Model.tla").read_bytes()
    found = proposals(folder, upstream, "main")
    assert [each.new for each in found] == [f"code:{PATH}:14-16@{upstream.new}"] * 2
    assert write_proposals(found) == 2
    new = upstream.anchor(14, 16, commit=upstream.new)
    assert (folder / "Model.tla").read_bytes() == before.replace(anchor.encode(), new.encode())
    assert new in (folder / "vstack.yaml").read_text()
    assert proposals(folder, upstream) == proposals(folder, upstream, "main") == ()


def test_line_ends_of_the_file_stay_as_they_are(make_project, upstream: Upstream):
    folder = make_project(anchored(upstream.anchor(12, 14)))
    path = folder / "Model.tla"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    write_proposals(proposals(folder, upstream, "main"))
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n") > 5


def test_wrong_lines_with_a_right_hash_are_put_right(make_project, upstream: Upstream):
    folder = make_project(anchored(upstream.anchor(12, 14).replace("12-14", "10-12")))
    (found,) = proposals(folder, upstream)
    assert found.new == f"code:{PATH}:12-14@{upstream.old}"


def test_changed_code_is_never_rewritten_but_shown_beside_its_nearest_match(make_project, upstream: Upstream):
    first, last = upstream.lines("        self.done.discard(room)\n        self.queue.clear()\n")
    folder = make_project(anchored(upstream.anchor(first, last)))
    before = (folder / "Model.tla").read_bytes()
    (found,) = proposals(folder, upstream, "main")
    assert found.new is None and "changed" in found.note
    assert "-        self.queue.clear()" in found.diff
    assert "+        if room in self.queue:" in found.diff
    assert write_proposals([found]) == 0
    assert (folder / "Model.tla").read_bytes() == before


def test_only_anchors_of_one_commit_are_carried_over(make_project, upstream: Upstream):
    both = [*anchored(upstream.anchor(12, 14)), f"@anchor {upstream.anchor(8, 9, commit=upstream.new)}"]
    folder = make_project(both)
    assert proposals(folder, upstream, "main", upstream.new[:10]) == ()
    assert len(proposals(folder, upstream, "main", upstream.old[:10])) == 1


def test_a_file_that_changed_meanwhile_is_left_alone(make_project, upstream: Upstream):
    folder = make_project(anchored(upstream.anchor(12, 14)))
    found = proposals(folder, upstream, "main")
    path = folder / "Model.tla"
    path.write_text("\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(VstackError, match="no longer where it was read"):
        write_proposals(found)


def test_short_lines_do_not_decide_the_nearest_match():
    lines = ["    )", "x", "    )", "    call_something(a)", "    )"]
    assert nearest(["    )", "    call_something(a)"], lines) == 2
    assert nearest(["    )"], lines) is None
