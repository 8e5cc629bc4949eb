"""Which repository answers: a checkout, a shallow fetch of one commit, or none; and links to its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.abstract.conftest import PATH, Upstream, git
from vstack.abstract.git_objects import GitRepo
from vstack.abstract.repos import NoRepo, Repos, web_base
from vstack.abstract.revisions import parse_at
from vstack.errors import VstackError


def test_a_remote_is_asked_for_the_one_commit_only(upstream: Upstream, tmp_path: Path):
    repos = Repos({"code": f"file://{upstream.folder}"}, {}, tmp_path / "ca che")
    repo = repos.at("code", upstream.old)
    assert isinstance(repo, GitRepo)
    assert (repo.file(upstream.old, PATH) or b"").startswith(b'"""A worker."""')
    assert not repo.has_commit(upstream.new)
    assert isinstance(repos.at("code", upstream.new), GitRepo)


def test_what_the_remote_does_not_have_is_missing(upstream: Upstream, tmp_path: Path):
    answer = Repos({"code": f"file://{upstream.folder}"}, {}, tmp_path).at("code", "1" * 40)
    assert isinstance(answer, NoRepo)
    assert (answer.state, answer.reason) == ("missing", f"the remote file://{upstream.folder} has no commit {'1' * 40}")


@pytest.mark.parametrize("url", ["file:///no/such/repository", "ext::sh -c true", "--upload-pack=true"])
def test_a_remote_out_of_reach_is_not_checked_and_gits_words_are_given(url: str, upstream: Upstream, tmp_path: Path):
    answer = Repos({"code": url}, {}, tmp_path).at("code", upstream.old)
    assert isinstance(answer, NoRepo)
    assert answer.state == "not checked" and "could not fetch" in answer.reason


def test_a_file_is_found_by_its_path_as_git_has_it(upstream: Upstream):
    repo = GitRepo("code", upstream.folder)
    assert repo.file(upstream.old, PATH.upper()) is None
    assert repo.file(upstream.old, "src dir") is None
    assert repo.file(upstream.old, f"{PATH}/x") is None
    assert repo.resolve("main") == upstream.new
    assert repo.resolve("--all") is None


def test_a_sha256_repository_is_read_too(tmp_path: Path):
    git(tmp_path, "init", "-q", "--object-format=sha256", ".")
    (tmp_path / "a.py").write_bytes(b"x = 1\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-q", "-m", "m")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert len(commit) == 64
    assert GitRepo("code", tmp_path).file(commit, "a.py") == b"x = 1\n"


@pytest.mark.parametrize(
    "url",
    ["https://github.com/o/n", "https://github.com/o/n.git", "git@github.com:o/n.git", "ssh://git@github.com/o/n.git"],
)
def test_links_are_made_from_every_spelling_of_a_remote(url: str, tmp_path: Path):
    assert web_base(url) == "https://github.com/o/n"
    repos = Repos({"code": url}, {}, tmp_path)
    assert repos.url_of("code", "c", "a b.py", 3, 3) == "https://github.com/o/n/blob/c/a%20b.py#L3"


def test_other_hosts_have_their_own_links_or_none(tmp_path: Path):
    repos = Repos({"lab": "https://gitlab.com/g/s/n.git", "own": "ssh://git@example.org/n.git"}, {}, tmp_path)
    assert repos.url_of("lab", "c", "a.py", 3, 5) == "https://gitlab.com/g/s/n/-/blob/c/a.py#L3-5"
    assert repos.url_of("own", "c", "a.py", 3, 5) is None


def test_a_revision_is_given_for_all_repositories_or_for_one():
    assert parse_at(("main", "vllm=v0.9")) == {"": "main", "vllm": "v0.9"}
    for wrong in (("",), ("vllm=",), ("=main",), ("a", "b")):
        with pytest.raises(VstackError):
            parse_at(wrong)
