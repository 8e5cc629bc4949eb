"""What a diff of the code means for the model: actions whose lines changed, changed code beside them or in scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vstack.abstract.anchors import Anchor, Marks
from vstack.abstract.diff import Diff, Hunk
from vstack.abstract.git_objects import GitRepo, run_git
from vstack.abstract.guard_anchors import guard_anchors
from vstack.abstract.lines import code_lines, find_lines, range_hash, split_lines
from vstack.abstract.locate import locate
from vstack.abstract.repos import NoRepo, Repos
from vstack.abstract.scope import Function, functions
from vstack.errors import VstackError
from vstack.project import Project
from vstack.results import Finding
from vstack.sections import ScopeEntry

# In a language whose functions are not listed, "beside" is this many lines.
_NEAR = 20
Kind = Literal["stale", "moved", "beside", "without anchor"]


@dataclass(frozen=True)
class Change:
    """A place that a diff changed: ``line`` of ``path`` in the new commit.

    ``owners`` are the actions and guards anchored there, or beside it;
    ``function`` is the one it lies in, where that is known; ``note`` says more.
    """

    kind: Kind
    repo: str
    path: str
    line: int
    owners: tuple[str, ...] = ()
    function: str | None = None
    note: str = ""


@dataclass(frozen=True)
class _Placed:
    """Where an anchor's lines stand at one end of the diff."""

    owner: str
    anchor: Anchor
    path: str
    first: int
    last: int


def own_repositories(project: Project, repos: Repos) -> dict[str, GitRepo]:
    """The repositories at hand that are the project's own: the code lies beside the model, in the same commits."""
    own = _common(GitRepo("", project.root))
    return {name: repo for name, repo in repos.local.items() if own is not None and _common(repo) == own}


def _common(repo: GitRepo) -> bytes | None:
    code, out, _ = run_git(["-C", str(repo.folder), "rev-parse", "--path-format=absolute", "--git-common-dir"])
    return out.strip() if code == 0 else None


def changes(project: Project, marks: Sequence[Marks], repos: Repos, diffs: Mapping[str, Diff]) -> tuple[Change, ...]:
    """What the diffs, by the name of their repository, change of the code that the model speaks for.

    An anchor whose lines stood nowhere before the diff was stale already, and
    is not spoken of; `vstack anchor check --at` does.

    Raises:
        VstackError: git can't tell.
    """
    owned = [(each.action, anchor) for each in marks for anchor in each.anchors]
    owned += [(f"guard {name}", anchor) for name, several in guard_anchors(project).items() for anchor in several]
    found: list[Change] = []
    for name, diff in diffs.items():
        changed = frozenset(diff.paths())
        mine = [(owner, anchor) for owner, anchor in owned if anchor.repo == name]
        placed, after = ([*_placed(repos, diff, mine, commit)] for commit in (diff.base, diff.head))
        found += _of_anchors(repos, diff, placed, changed)
        found += _of_scope(project, name, diff, placed, after, changed)
    return tuple(dict.fromkeys(found))


def _placed(repos: Repos, diff: Diff, owned: Iterable[tuple[str, Anchor]], commit: str) -> Iterable[_Placed]:
    """The anchors whose lines stand somewhere at ``commit``."""
    for owner, anchor in owned:
        repo = repos.at(anchor.repo, anchor.commit)
        wanted = [] if isinstance(repo, NoRepo) else _lines(repo, anchor)
        found = locate(repos, diff.repo, anchor, wanted, commit) if wanted else None
        if found is not None:
            path, first, _, _ = found
            yield _Placed(owner, anchor, path, first, first + len(wanted) - 1)


def _lines(repo: GitRepo, anchor: Anchor) -> list[bytes]:
    """The anchored lines; none if they are not those of its hash, which `check_anchors` refuses."""
    data = repo.file(anchor.commit, anchor.path)
    lines = split_lines(data) if data is not None else []
    actual = range_hash(lines, anchor.first, anchor.last)
    return lines[anchor.first - 1 : anchor.last] if actual is not None and actual.startswith(anchor.sha256) else []


def _of_anchors(repos: Repos, diff: Diff, placed: Sequence[_Placed], changed: frozenset[str]) -> list[Change]:
    found = []
    for each in placed:
        touching = (
            [hunk for hunk in diff.hunks(each.path) if hunk.touches(each.first, each.last)]
            if each.path in changed
            else []
        )
        if not touching:
            continue
        now = _elsewhere(repos, diff, each)
        kind: Kind = "moved" if now else "stale"
        note = f"the same lines now stand at {now}" if now else ""
        found.append(Change(kind, diff.repo.name, each.path, touching[0].line, (each.owner,), None, note))
    return found


def _elsewhere(repos: Repos, diff: Diff, each: _Placed) -> str | None:
    """Where the lines came to stand that were taken from their place; others like them, there before, don't count."""
    wanted = split_lines(diff.repo.file(diff.base, each.path) or b"")[each.first - 1 : each.last]
    now = locate(repos, diff.repo, each.anchor, wanted, diff.head)
    if now is None:
        return None
    path, first, _, places = now
    were = find_lines(split_lines(diff.repo.file(diff.base, path) or b""), wanted, first)
    before = (were[1] if were is not None else 0) - (path == each.path)
    return f"{path}:{first}" if places > before else None


@dataclass
class _File:
    """One changed file before and after the diff, with its functions."""

    diff: Diff
    path: str
    before: str = field(init=False)
    after: str = field(init=False)

    def __post_init__(self) -> None:
        self.before = (self.diff.repo.file(self.diff.base, self.path) or b"").decode("utf-8", "replace")
        self.after = (self.diff.repo.file(self.diff.head, self.path) or b"").decode("utf-8", "replace")

    def has_code(self, hunk: Hunk) -> bool:
        """Whether any line that went or came carries code."""
        return any(line in code_lines(self.after, self.path) for line in hunk.after) or any(
            line in code_lines(self.before, self.path) for line in hunk.before
        )

    def function(self, hunk: Hunk) -> str | None:
        """The function that the hunk lies in: as it is now, or for lines that are gone, as it was."""
        text, line = (self.after, hunk.after.start) if hunk.after else (self.before, hunk.before.start)
        return _function_at(_functions(text, self.path), line)


def _of_scope(
    project: Project,
    name: str,
    diff: Diff,
    placed: Sequence[_Placed],
    after: Sequence[_Placed],
    changed: frozenset[str],
) -> list[Change]:
    entries = {entry.path: entry for entry in project.file.scope if entry.repo == name}
    found: dict[tuple[str, str | None, tuple[str, ...]], Change] = {}
    for path in sorted(changed & ({each.path for each in placed} | entries.keys())):
        file = _File(diff, path)
        here = [each for each in placed if each.path == path]
        anchored = {
            function: tuple(dict.fromkeys(each.owner for each in here if _place(file, each) == function))
            for function in {_place(file, each) for each in here}
        }
        for hunk in diff.hunks(path):
            # What is anchored as it was is told above, what is anchored as it is now the model speaks of.
            told = any(hunk.touches(each.first, each.last) for each in here)
            told |= any(each.path == path and each.first in hunk.after for each in after)
            told |= any(
                each.path == path and each.first <= hunk.after.start <= each.last for each in after if hunk.after
            )
            if told or not file.has_code(hunk):
                continue
            function = file.function(hunk)
            if function is not None:
                owners = anchored.get(function, ())
            else:
                owners = tuple(dict.fromkeys(each.owner for each in here if _is_near(each, hunk)))
            if owners:
                change = Change("beside", name, path, hunk.line, owners, function)
            elif path in entries and _is_in(entries[path], function):
                change = Change("without anchor", name, path, hunk.line, (), function, _reason(project, function))
            else:
                continue
            # One for each function: a rewritten one is one thing to look at.
            found.setdefault((path, function, owners), change)
    return list(found.values())


def _place(file: _File, each: _Placed) -> str | None:
    return _function_at(_functions(file.before, file.path), each.first)


def _functions(text: str, path: str) -> tuple[Function, ...]:
    if not path.endswith(".py"):
        return ()
    try:
        return functions(text)
    except VstackError:
        return ()


def _function_at(known: Sequence[Function], line: int) -> str | None:
    return next((function.name for function in known if function.first <= line <= function.last), None)


def _is_near(each: _Placed, hunk: Hunk) -> bool:
    return each.first - _NEAR <= hunk.before.start <= each.last + _NEAR


def _is_in(entry: ScopeEntry, function: str | None) -> bool:
    return not entry.functions or any(
        function == name or (function or "").endswith("." + name) for name in entry.functions
    )


def _reason(project: Project, function: str | None) -> str:
    """The omission that names the function: its reason was given for the code as it was."""
    bare = (function or "").rpartition(".")[2]
    reasons = (each.reason for each in project.file.omissions if bare and bare in each.what)
    return next((f"left out because: {reason}" for reason in reasons), "")


def change_findings(found: Iterable[Change], diffs: Mapping[str, Diff], *, refuse_stale: bool) -> tuple[Finding, ...]:
    """The changes as notes for a reviewer; a stale anchor is refused where the policy says so."""
    tops = {name: diff.top for name, diff in diffs.items()}
    return tuple(_finding(change, tops[change.repo], refuse_stale) for change in found)


def _finding(change: Change, folder: str, refuse_stale: bool) -> Finding:
    where = f"{folder}/{change.path}:{change.line}"
    who, inside = ", ".join(change.owners), f" in {change.function}" if change.function else ""
    if change.kind in ("stale", "moved"):
        refused = change.kind == "stale" and refuse_stale
        what = "changes the code" if change.kind == "stale" else "moves or copies the code"
        return Finding(
            rule="anchor-stale",
            where=where,
            message=f"This {what} that {who} stands for"
            + (f": {change.note}" if change.note else ": the model is stale there"),
            todo="Read the code, mend the model, and anchor it again (`vstack anchor refresh`)",
            outcome="refused" if refused else "note",
        )
    if change.kind == "beside":
        return Finding(
            rule="changed-beside-anchor",
            where=where,
            message=f"This changes code{inside} beside the lines that {who} stands for",
            todo="See whether the model says it",
            outcome="note",
        )
    return Finding(
        rule="changed-without-anchor",
        where=where,
        message=f"This changes code in scope{inside} that no anchor covers"
        + (f" ({change.note})" if change.note else ""),
        todo="See whether the model should say it",
        outcome="note",
    )
