"""Asks git of every anchor: are these the lines, and where are they now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vstack.abstract.anchors import Anchor, Marks
from vstack.abstract.git_objects import GitRepo
from vstack.abstract.guard_anchors import guard_anchors, guards_without_code
from vstack.abstract.lines import code_lines, find_hash, range_hash, split_lines
from vstack.abstract.locate import locate
from vstack.abstract.repos import NoRepo, Repos
from vstack.files import read_bytes
from vstack.project import Project
from vstack.results import AnchorRow, Finding

State = Literal["exact", "moved", "changed", "not checked", "missing"]


@dataclass(frozen=True)
class AnchorReport:
    """All anchors of a project: a row each, and what a rule refuses."""

    rows: tuple[AnchorRow, ...] = ()
    findings: tuple[Finding, ...] = ()

    def count(self, state: str) -> int:
        """How many anchors are in ``state``."""
        return sum(row.state == state for row in self.rows)


@dataclass
class _Case:
    """One anchor under check, and what has been found about it so far."""

    owner: str
    process: str | None
    anchor: Anchor
    repos: Repos
    findings: list[Finding] = field(default_factory=list)

    def row(self, state: State, note: str = "", now: str | None = None) -> AnchorRow:
        a = self.anchor
        return AnchorRow(
            action=self.owner,
            process=self.process,
            anchor=a.place,
            state=state,
            now=now,
            where=a.where,
            url=self.repos.url_of(a.repo, a.commit, a.path, a.first, a.last),
            note=note,
        )

    def refuse(self, rule: str, message: str, todo: str) -> None:
        self.findings.append(Finding(rule=rule, where=self.anchor.where, message=f"{self.owner}: {message}", todo=todo))


def check_anchors(
    project: Project,
    marks: Sequence[Marks],
    repos: Repos,
    *,
    at: Mapping[str, str] | None = None,
    on_anchor: Callable[[str], None] | None = None,
) -> AnchorReport:
    """Check the anchors of ``marks`` and of the guards of ``project``.

    Two questions are asked of each: do the recorded lines of the recorded
    commit have the recorded hash (if not, the anchor is refused), and, for a
    repository that ``at`` maps to a revision (the key ``""`` means all of
    them), where those lines are at that revision; of the project's own
    repository it is always the working tree. ``on_anchor`` is told each
    anchor before it is looked up.

    Raises:
        VstackError: a malformed anchor of a guard, or a revision that the repository doesn't have.
    """
    rows: list[AnchorRow] = []
    findings: list[Finding] = []
    for owner, process, anchor in [*_of_actions(marks), *_of_guards(project)]:
        if on_anchor:
            on_anchor(anchor.place)
        case = _Case(owner, process, anchor, repos)
        if anchor.repo not in repos.urls:
            case.refuse(
                "anchor-repo", f"no repository is called `{anchor.repo}`", "Declare it under `repos` in vstack.yaml"
            )
        rows.append(_check(case, (at or {}).get(anchor.repo) or (at or {}).get("")))
        findings.extend(case.findings)
    findings.extend(guards_without_code(project))
    findings.extend(_policy(project, rows))
    return AnchorReport(tuple(rows), tuple(findings))


def _of_actions(marks: Sequence[Marks]) -> Iterable[tuple[str, str | None, Anchor]]:
    for each in marks:
        for anchor in each.anchors:
            yield each.action, anchor.process or ", ".join(each.processes) or None, anchor


def _of_guards(project: Project) -> Iterable[tuple[str, str | None, Anchor]]:
    for name, anchors in guard_anchors(project).items():
        for anchor in anchors:
            yield f"guard {name}", anchor.process, anchor


def _check(case: _Case, revision: str | None) -> AnchorRow:
    a = case.anchor
    repo = case.repos.at(a.repo, a.commit)
    if isinstance(repo, NoRepo):
        if repo.state == "missing":
            case.refuse("anchor-commit", f"{a.place}: {repo.reason}", "Give the commit that has these lines")
        return case.row("missing" if repo.state == "missing" else "not checked", repo.reason)
    data = repo.file(a.commit, a.path)
    if data is None:
        case.refuse("anchor-file", f"{a.path} is no file of commit {a.commit}", "Give the file's path at that commit")
        return case.row("missing", "no such file at that commit")
    lines = split_lines(data)
    actual = range_hash(lines, a.first, a.last)
    if actual is None or not actual.startswith(a.sha256):
        return _tampered(case, lines, actual)
    if not any(a.first <= number <= a.last for number in code_lines(data.decode("utf-8", "replace"), a.path)):
        case.refuse(
            "anchor-empty", f"{a.place} holds no code, only blanks, comments or brackets", "Anchor the lines that do it"
        )
    if a.repo in case.repos.here:
        return _in_the_tree(case, repo, lines[a.first - 1 : a.last])
    if revision is None:
        return case.row("exact")
    return _now(case, repo, lines[a.first - 1 : a.last], revision)


def _tampered(case: _Case, lines: list[bytes], actual: str | None) -> AnchorRow:
    """The recorded hash is not that of the recorded lines: say where the hash does belong, if anywhere."""
    a = case.anchor
    found = find_hash(lines, a.last - a.first + 1, a.sha256, a.first)
    problem = (
        f"the file has only {len(lines)} lines" if actual is None else "the recorded hash is not that of these lines"
    )
    if found is not None:
        now = f"{a.repo}:{a.path}:{found}-{found + a.last - a.first}@{a.commit}"
        case.refuse(
            "anchor-hash",
            f"{a.place}: {problem}; the lines with that hash are {now}",
            "Run `vstack anchor refresh`, and read the code",
        )
        return case.row("moved", problem, now)
    case.refuse(
        "anchor-hash",
        f"{a.place}: {problem}",
        "Read the code at that commit, mend the model, then record its lines again",
    )
    return case.row("missing" if actual is None else "changed", problem)


def _now(case: _Case, repo: GitRepo, wanted: list[bytes], revision: str) -> AnchorRow:
    a = case.anchor
    found = locate(case.repos, repo, a, wanted, revision)
    if found is None:
        return case.row("changed", f"these lines are nowhere at {revision}")
    path, first, commit, places = found
    several = f"{places} places hold the same lines; this is the nearest" if places > 1 else ""
    if (path, first) == (a.path, a.first):
        return case.row("exact", f"same lines at {revision}")
    return case.row("moved", several, f"{a.repo}:{path}:{first}-{first + len(wanted) - 1}@{commit}")


def _in_the_tree(case: _Case, repo: GitRepo, wanted: list[bytes]) -> AnchorRow:
    """An anchor into the project's own repository: where its lines are in the working tree's file."""
    a = case.anchor
    try:
        lines = split_lines(read_bytes(repo.folder / a.path))
    except OSError as error:
        return case.row("changed", f"the working tree has no such file ({error.strerror})")
    if lines[a.first - 1 : a.last] == wanted:
        return case.row("exact", "same lines in the working tree")
    found = find_hash(lines, len(wanted), a.sha256, a.first)
    if found is None:
        return case.row("changed", "these lines are nowhere in the working tree's file")
    return case.row("moved", "in the working tree", f"{a.repo}:{a.path}:{found}-{found + len(wanted) - 1}@{a.commit}")


def stale_actions(report: AnchorReport) -> tuple[str, ...]:
    """The actions that no commit's anchors describe any more at the asked revision.

    An action may be anchored in several commits (the code before a fix and
    after); it is up to date if all the anchors of one of them still stand.
    """
    by_action: dict[str, dict[str, bool]] = {}
    for row in report.rows:
        commits = by_action.setdefault(row.action, {})
        commit = row.anchor.rpartition("@")[2]
        commits[commit] = commits.get(commit, True) and row.state not in ("changed", "missing")
    return tuple(action for action, commits in by_action.items() if not any(commits.values()))


def _policy(project: Project, rows: Sequence[AnchorRow]) -> Iterable[Finding]:
    unchecked = [row for row in rows if row.state == "not checked"]
    if unchecked and project.file.policy.get("unchecked_anchors") == "refuse":
        yield Finding(
            rule="anchor-unchecked",
            where=unchecked[0].where,
            message=f"{len(unchecked)} of {len(rows)} anchors were not checked, "
            f"which this project's policy refuses: {unchecked[0].note}",
            todo="Give the checkouts with `--repo NAME=PATH`",
        )
