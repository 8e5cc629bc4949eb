"""The code that the models speak for: which functions and lines of it no anchor covers."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from vstack.abstract.anchors import Anchor
from vstack.abstract.lines import code_lines, parse_python
from vstack.abstract.repos import NoRepo, Repos
from vstack.errors import VstackError
from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.sections import ScopeEntry


@dataclass(frozen=True)
class ScopeRow:
    """One function in scope at one commit.

    ``lines`` counts its lines that carry code, ``covered`` those of them in an
    anchor; ``open`` holds the rest as ranges ``(first, last)``. ``omission`` is
    the reason for what is not covered. With ``checked`` false, nothing of it
    could be read, and ``note`` says why.
    """

    repo: str
    path: str
    commit: str
    function: str
    first: int = 0
    last: int = 0
    lines: int = 0
    covered: int = 0
    open: tuple[tuple[int, int], ...] = ()
    omission: str | None = None
    checked: bool = True
    note: str = ""


@dataclass(frozen=True)
class Function:
    """A function or method (``Class.method``) with its lines, decorators included."""

    name: str
    first: int
    last: int


def functions(text: str) -> tuple[Function, ...]:
    """All functions and methods of a Python file, in order; a nested function belongs to the one it stands in.

    Raises:
        VstackError: it can't be parsed.
    """
    tree = parse_python(text)
    if tree is None:
        raise VstackError("The file can't be parsed as Python")
    found: list[Function] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                found.append(Function(prefix + child.name, first, child.end_lineno or child.lineno))
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            else:
                visit(child, prefix)

    visit(tree, "")
    return tuple(found)


def check_scope(
    project: Project, anchors: Sequence[Anchor], repos: Repos
) -> tuple[tuple[ScopeRow, ...], tuple[Finding, ...]]:
    """Coverage of each function in `scope` at each anchored commit of its repository, and what needs an omission.

    ``anchors`` are those of all actions and guards.
    """
    rows: list[ScopeRow] = []
    findings: list[Finding] = []
    where = str(project.root / PROJECT_FILE)
    for entry in project.file.scope:
        commits = sorted({anchor.commit for anchor in anchors if anchor.repo == entry.repo})
        if not commits:
            todo = "Anchor the actions that model it, or take it out of `scope`"
            findings.append(
                Finding(rule="scope-empty", where=where, message=f"No anchor lies in {entry.repo}", todo=todo)
            )
        mine = [row for commit in commits for row in _entry_rows(project, entry, commit, anchors, repos)]
        rows.extend(mine)
        seen = {row.function for row in mine if row.checked}
        if all(row.checked for row in mine):
            for name in entry.functions:
                if commits and not any(_is_named(function, name) for function in seen):
                    message = f"{entry.repo}:{entry.path} has no function {name} at any anchored commit"
                    findings.append(
                        Finding(rule="scope-function", where=where, message=message, todo="Mend the name in `scope`")
                    )
    needing: dict[tuple[str, str, str], list[ScopeRow]] = {}
    for row in rows:
        if row.checked and row.open and row.omission is None:
            needing.setdefault((row.repo, row.path, row.function), []).append(row)
    findings.extend(_uncovered(group, where) for group in needing.values())
    findings.extend(_outside(project, anchors, rows, where))
    return tuple(rows), tuple(findings)


def _entry_rows(
    project: Project, entry: ScopeEntry, commit: str, anchors: Sequence[Anchor], repos: Repos
) -> list[ScopeRow]:
    def unread(note: str) -> list[ScopeRow]:
        names = entry.functions or ["(all)"]
        return [ScopeRow(entry.repo, entry.path, commit, name, checked=False, note=note) for name in names]

    repo = repos.at(entry.repo, commit)
    if isinstance(repo, NoRepo):
        return unread(repo.reason)
    data = repo.file(commit, entry.path)
    if data is None:
        return []
    text = data.decode("utf-8", "replace")
    if not entry.path.endswith(".py"):
        return unread("not Python, the one language whose functions are listed")
    try:
        known = functions(text)
    except VstackError as error:
        return unread(error.what)
    wanted = [f for f in known if not entry.functions or any(_is_named(f.name, name) for name in entry.functions)]
    carrying = code_lines(text, entry.path)
    here = [a for a in anchors if (a.repo, a.path, a.commit) == (entry.repo, entry.path, commit)]
    anchored = {line for anchor in here for line in range(anchor.first, anchor.last + 1)}
    return [_row(project, entry, commit, f, carrying, anchored) for f in wanted]


def _row(
    project: Project, entry: ScopeEntry, commit: str, function: Function, carrying: frozenset[int], anchored: set[int]
) -> ScopeRow:
    body = [line for line in range(function.first, function.last + 1) if line in carrying]
    # The `def` line itself does nothing that a model could say.
    uncovered = [line for line in body if line not in anchored and line != function.first]
    return ScopeRow(
        repo=entry.repo,
        path=entry.path,
        commit=commit,
        function=function.name,
        first=function.first,
        last=function.last,
        lines=len(body),
        covered=len(body) - len([line for line in body if line not in anchored]),
        open=_ranges(uncovered, body),
        omission=_omission(project, entry, function.name, covered=len(uncovered) < len(body) - 1),
    )


def _ranges(lines: list[int], body: list[int]) -> tuple[tuple[int, int], ...]:
    """``lines`` as ranges; lines that follow each other in ``body`` (comments between them apart) are one range."""
    place = {line: position for position, line in enumerate(body)}
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and place[line] == place[found[-1][1]] + 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return tuple(found)


def _is_named(function: str, name: str) -> bool:
    return function == name or function.endswith("." + name)


def _omission(project: Project, entry: ScopeEntry, function: str, *, covered: bool) -> str | None:
    """The reason of the omission that names ``function``, or, if no anchor is in it, its whole file."""
    names = {function, function.rpartition(".")[2]}
    for omission in project.file.omissions:
        words = set(re.findall(r"[A-Za-z_][\w.]*\w|[A-Za-z_]", omission.what))
        if names & words:
            return omission.reason
        if not covered and omission.what in (entry.path, f"{entry.repo}:{entry.path}"):
            return omission.reason
    return None


def _uncovered(rows: Sequence[ScopeRow], where: str) -> Finding:
    """One finding for a function that lacks anchors at one or more commits."""
    row = rows[0]
    parts = "; ".join(f"{each.first}-{each.last}@{each.commit[:12]}{_open_lines(each)}" for each in rows)
    return Finding(
        rule="scope-uncovered",
        where=where,
        message=f"Of {row.repo}:{row.path} {row.function} not all code has an anchor: {parts}",
        todo=f"Anchor it, or add an entry to `omissions` whose `what` names `{row.function}`",
    )


def _open_lines(row: ScopeRow) -> str:
    if not row.covered:
        return " (none)"
    shown = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in row.open[:4])
    more = f" and {len(row.open) - 4} more" if len(row.open) > 4 else ""
    return f" (all but {shown}{more})"


def _outside(project: Project, anchors: Sequence[Anchor], rows: Sequence[ScopeRow], where: str) -> list[Finding]:
    """Anchors in files that `scope` leaves out: the scope was drawn smaller than the model."""
    if not project.file.scope:
        return []
    files = {(entry.repo, entry.path) for entry in project.file.scope}
    outside = sorted({(anchor.repo, anchor.path) for anchor in anchors} - files)
    return [
        Finding(
            rule="scope-outside",
            where=where,
            message=f"The model has anchors in {repo}:{path}, which `scope` leaves out",
            todo="Add the file to `scope`, with the functions that the model speaks for",
        )
        for repo, path in outside
    ]
