"""Where the lines of an anchor stand at another revision."""

from __future__ import annotations

from pathlib import PurePosixPath

from vstack.abstract.anchors import Anchor
from vstack.abstract.git_objects import GitRepo
from vstack.abstract.lines import find_lines, split_lines
from vstack.abstract.repos import Repos
from vstack.errors import VstackError


def locate(
    repos: Repos, repo: GitRepo, anchor: Anchor, wanted: list[bytes], revision: str
) -> tuple[str, int, str, int] | None:
    """``(path, first line, commit, places)`` of the lines ``wanted`` at ``revision``.

    The same file is searched first, then all files of its kind.

    Raises:
        VstackError: the repository has no such revision.
    """
    target, commit = revision_in(repos, repo, anchor, revision)
    data = target.file(commit, anchor.path)
    if data is not None:
        lines = split_lines(data)
        if lines[anchor.first - 1 : anchor.last] == wanted:
            return anchor.path, anchor.first, commit, 1
        found = find_lines(lines, wanted, anchor.first)
        if found:
            return anchor.path, found[0], commit, found[1]
    needle = b"".join(wanted)
    for path, content in target.files_like(commit, PurePosixPath(anchor.path).suffix).items():
        found = find_lines(split_lines(content), wanted, anchor.first) if needle in content else None
        if found:
            return path, found[0], commit, found[1]
    return None


def revision_in(repos: Repos, repo: GitRepo, anchor: Anchor, revision: str) -> tuple[GitRepo, str]:
    """The repository and the commit id that ``revision`` stands for.

    A repository that was fetched commit by commit knows no branches, so there
    a full commit id is fetched when it isn't there yet.

    Raises:
        VstackError: it is unknown.
    """
    commit = repo.resolve(revision)
    if commit:
        return repo, commit
    if len(revision) == len(anchor.commit) and anchor.repo not in repos.local:
        other = repos.at(anchor.repo, revision)
        if isinstance(other, GitRepo):
            return other, revision
        raise VstackError(f"`--at {revision}`: {other.reason}", where=anchor.repo)
    raise VstackError(
        f"`--at {revision}`: the repository has no such revision",
        where=str(repo.folder),
        todo=f"Name a branch, tag or full commit id, or another checkout with `--repo {anchor.repo}=PATH`",
    )
