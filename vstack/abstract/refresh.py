"""Proposes new lines for anchors whose code has moved, and shows what became of code that changed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vstack.abstract.anchors import Anchor, Marks
from vstack.abstract.git_objects import GitRepo
from vstack.abstract.guard_anchors import guard_anchors
from vstack.abstract.lines import find_hash, range_hash, split_lines
from vstack.abstract.locate import locate, revision_in
from vstack.abstract.repos import NoRepo, Repos
from vstack.errors import VstackError
from vstack.files import write_atomic
from vstack.project import Project

DIFF_LINES = 40


@dataclass(frozen=True)
class Proposal:
    """What to do about one anchor.

    ``new`` is the place `repo:path:first-last@commit` to write instead of the
    anchor's own (the hash stays: the lines are the same), ``None`` if there is
    nothing to propose; ``note`` says why, and ``diff`` shows changed code
    against its nearest match.
    """

    owner: str
    anchor: Anchor
    new: str | None
    note: str
    diff: tuple[str, ...] = ()


def propose(
    project: Project, marks: Sequence[Marks], repos: Repos, *, revision: str | None, only_from: str | None = None
) -> tuple[Proposal, ...]:
    """A proposal for each anchor that is not as it should be.

    Without ``revision``, an anchor whose lines are not those of its hash is
    put right within its own commit. With it, every anchor (of a commit that
    starts with ``only_from``, if given) is carried over to that revision.

    Raises:
        VstackError: a repository has no such revision.
    """
    owned = [(each.action, anchor) for each in marks for anchor in each.anchors]
    owned += [(f"guard {name}", anchor) for name, anchors in guard_anchors(project).items() for anchor in anchors]
    found = [
        _propose(owner, anchor, repos, revision)
        for owner, anchor in owned
        if only_from is None or anchor.commit.startswith(only_from)
    ]
    return tuple(proposal for proposal in found if proposal is not None)


def _propose(owner: str, anchor: Anchor, repos: Repos, revision: str | None) -> Proposal | None:
    repo = repos.at(anchor.repo, anchor.commit)
    if isinstance(repo, NoRepo):
        return Proposal(owner, anchor, None, repo.reason)
    data = repo.file(anchor.commit, anchor.path)
    if data is None:
        return Proposal(owner, anchor, None, "its commit has no such file")
    lines = split_lines(data)
    size = anchor.last - anchor.first + 1
    actual = range_hash(lines, anchor.first, anchor.last)
    if actual is None or not actual.startswith(anchor.sha256):
        first = find_hash(lines, size, anchor.sha256, anchor.first)
        if first is None:
            return Proposal(
                owner, anchor, None, "no lines of its file have the recorded hash: read the code and record it again"
            )
        return Proposal(
            owner, anchor, _new(anchor, anchor.path, first, anchor.commit), "these lines have the recorded hash"
        )
    if revision is None:
        return None
    wanted = lines[anchor.first - 1 : anchor.last]
    found = locate(repos, repo, anchor, wanted, revision)
    if found is None:
        return _changed(owner, anchor, repos, repo, wanted, revision)
    path, first, commit, places = found
    if commit == anchor.commit:
        return None
    note = "same lines" if (path, first) == (anchor.path, anchor.first) else "moved"
    several = f"; {places} places hold them, this is the nearest: read it" if places > 1 else ""
    return Proposal(owner, anchor, _new(anchor, path, first, commit), note + several)


def _new(anchor: Anchor, path: str, first: int, commit: str) -> str:
    return f"{anchor.repo}:{path}:{first}-{first + anchor.last - anchor.first}@{commit}"


def _changed(owner: str, anchor: Anchor, repos: Repos, repo: GitRepo, wanted: list[bytes], revision: str) -> Proposal:
    target, commit = revision_in(repos, repo, anchor, revision)
    data = target.file(commit, anchor.path)
    if data is None:
        return Proposal(owner, anchor, None, f"changed: {anchor.path} is gone at {revision}")
    before = [line.decode("utf-8", "replace").rstrip("\n") for line in wanted]
    now = [line.decode("utf-8", "replace").rstrip("\n") for line in split_lines(data)]
    start = nearest(before, now)
    if start is None:
        return Proposal(owner, anchor, None, f"changed: none of its lines are left in {anchor.path} at {revision}")
    window = now[start : start + len(before)]
    named = f"{anchor.path}:{start + 1}-{start + len(window)}@{commit[:12]}"
    diff = tuple(difflib.unified_diff(before, window, anchor.place, named, lineterm="", n=2))
    return Proposal(owner, anchor, None, f"changed: the nearest match is {named}", diff[:DIFF_LINES])


def nearest(wanted: Sequence[str], lines: Sequence[str]) -> int | None:
    """Where (from 0) a window the size of ``wanted`` should stand in ``lines`` to lie on their longest common run."""
    # Short lines (`)`, `return`) match everywhere, so they never decide.
    marked = [line if len(line.strip()) > 6 else f"\0{number}" for number, line in enumerate(wanted)]
    match = difflib.SequenceMatcher(None, marked, list(lines), autojunk=False).find_longest_match()
    if match.size == 0:
        return None
    return max(0, min(match.b - match.a, len(lines) - len(wanted)))


def write_proposals(proposals: Sequence[Proposal]) -> int:
    """Put each proposal's new place in the place of the old one, file by file; the number of anchors rewritten.

    Raises:
        VstackError: a line no longer holds the anchor that was read from it, or a file can't be written.
    """
    by_file: dict[str, list[tuple[int, Proposal]]] = {}
    for proposal in proposals:
        if proposal.new is not None:
            file, _, number = proposal.anchor.where.rpartition(":")
            by_file.setdefault(file, []).append((int(number), proposal))
    texts: dict[str, str] = {}
    for file, edits in by_file.items():
        # Decoded from bytes, so that line ends stay as they are.
        lines = Path(file).read_bytes().decode("utf-8").split("\n")
        for line, proposal in edits:
            if line > len(lines) or proposal.anchor.place not in lines[line - 1]:
                raise VstackError(
                    "The anchor is no longer where it was read",
                    where=f"{file}:{line}",
                    todo="Run the command again; nothing was written",
                )
            lines[line - 1] = lines[line - 1].replace(proposal.anchor.place, str(proposal.new), 1)
        texts[file] = "\n".join(lines)
    for file, text in texts.items():
        write_atomic(Path(file), text)
    return sum(len(edits) for edits in by_file.values())
