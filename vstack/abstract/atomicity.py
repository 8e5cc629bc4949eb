"""The atomicity rule: one action must not claim as one step what the code does in several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vstack.abstract.anchors import Anchor, Marks
from vstack.abstract.boundaries import Boundary, boundaries
from vstack.abstract.lines import find_lines, parse_python, split_lines
from vstack.abstract.repos import NoRepo, Repos
from vstack.project import Project
from vstack.results import AtomicityRow


def check_atomicity(project: Project, marks: Sequence[Marks], repos: Repos) -> tuple[AtomicityRow, ...]:
    """What the rule finds in each anchored action, commit by commit.

    A finding is: anchors of one commit in two processes, or a boundary
    (`vstack.abstract.boundaries`) with more of the action's code after it. A
    row with ``checked`` false says that the code could not be read. ``excuse``
    is the project's reason from `atomicity.excuses`, which only counts once it
    is in the approved lock.
    """
    calls = tuple(project.file.atomicity.calls)
    rows: list[AtomicityRow] = []
    for each in marks:
        excuse = project.file.atomicity.excuses.get(each.action)
        for finding, checked in dict.fromkeys(_findings(each, repos, calls)):
            rows.append(
                AtomicityRow(
                    action=each.action,
                    where=each.where,
                    finding=finding,
                    excuse=excuse if checked else None,
                    checked=checked,
                )
            )
    return tuple(rows)


def _findings(marks: Marks, repos: Repos, calls: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    if len(set(marks.processes)) > 1:
        yield (
            f"it is marked with {len(set(marks.processes))} processes: {', '.join(dict.fromkeys(marks.processes))}",
            True,
        )
    by_commit: dict[tuple[str, str], list[Anchor]] = {}
    for anchor in marks.anchors:
        by_commit.setdefault((anchor.repo, anchor.commit), []).append(anchor)
    for (_, commit), recorded in by_commit.items():
        anchors = [*recorded, *_carried_over(recorded, marks.anchors, repos)]
        named = {anchor.process or ", ".join(marks.processes) for anchor in anchors}
        if len(named) > 1:
            yield f"its anchors at {commit[:12]} lie in {len(named)} processes: {', '.join(sorted(named))}", True
        for position, anchor in enumerate(anchors):
            yield from _inside(anchor, anchors[position + 1 :], anchors, repos, calls)


def _carried_over(recorded: Sequence[Anchor], others: Sequence[Anchor], repos: Repos) -> Iterator[Anchor]:
    """Anchors of other commits whose lines stand in this commit's file too, outside of what is anchored there.

    Without them, an action could be made to look atomic by recording its
    first half at one commit and its second half at the next.
    """
    here = recorded[0]
    repo = repos.at(here.repo, here.commit)
    for other in others:
        there = repos.at(other.repo, other.commit)
        if (
            (other.repo, other.commit) == (here.repo, here.commit)
            or isinstance(repo, NoRepo)
            or isinstance(there, NoRepo)
        ):
            continue
        if other.repo != here.repo:
            continue
        data, source = repo.file(here.commit, other.path), there.file(other.commit, other.path)
        if data is None or source is None:
            continue
        wanted = split_lines(source)[other.first - 1 : other.last]
        found = find_lines(split_lines(data), wanted, other.first) if wanted else None
        if found is None:
            continue
        lines = set(range(found[0], found[0] + len(wanted)))
        claimed = {line for a in recorded if a.path == other.path for line in range(a.first, a.last + 1)}
        if not lines & claimed:
            yield replace(other, first=min(lines), last=max(lines), commit=here.commit)


def _inside(
    anchor: Anchor, later: Sequence[Anchor], all_anchors: Sequence[Anchor], repos: Repos, calls: tuple[str, ...]
) -> Iterator[tuple[str, bool]]:
    repo = repos.at(anchor.repo, anchor.commit)
    place = f"{anchor.path}@{anchor.commit[:12]}"
    if isinstance(repo, NoRepo):
        yield f"not checked: {repo.reason}", False
        return
    if not anchor.path.endswith(".py"):
        yield f"not checked: {place} is not Python, the one language this rule reads", False
        return
    data = repo.file(anchor.commit, anchor.path)
    tree = parse_python(data.decode("utf-8", "replace")) if data is not None else None
    if tree is None:
        yield f"not checked: {place} " + ("can't be parsed" if data is not None else "does not exist"), False
        return
    same_file = [other for other in all_anchors if other.path == anchor.path]
    claimed = frozenset(line for other in same_file for line in range(other.first, other.last + 1))
    # Anchors in other files stand in the order in which their code runs.
    elsewhere = [other for other in later if other.path != anchor.path]
    for boundary in boundaries(tree, calls):
        if anchor.first <= boundary.line <= anchor.last:
            followed = _followed_by(boundary, claimed, elsewhere)
            if followed:
                yield (
                    f"{boundary.what} at {place}:{boundary.line} has more of the action's code after it ({followed})",
                    True,
                )


def _followed_by(boundary: Boundary, claimed: frozenset[int], elsewhere: Sequence[Anchor]) -> str | None:
    after = boundary.after & claimed
    if after:
        beyond = [line for line in after if line > boundary.line]
        return f"line {min(beyond)}" if beyond else f"line {min(after)}, in the next turn of the loop"
    return f"{elsewhere[0].path}:{elsewhere[0].first}" if elsewhere else None
