"""The files a model may read and write, and the code of repositories that a person named for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from vstack.abstract.git_objects import GitRepo
from vstack.abstract.lines import range_hash, split_lines
from vstack.agent.protect import inside, refuse_settings, refuse_write
from vstack.errors import VstackError
from vstack.files import read_text, write_atomic
from vstack.project import PROJECT_FILE

MOST_LINES = 400
_MOST_ROWS = 200
_MOST_BYTES = 1 << 20


def list_files(root: Path, folder: str = ".") -> str:
    """The files below ``folder``, one a line; hidden folders are left out."""
    top = inside(root, folder)
    if not top.is_dir():
        raise VstackError(f"There is no folder `{folder}`", todo="List `.`")
    rows = [str(path.relative_to(root.resolve())) for path in _files(top)]
    return _rows(rows) if rows else "(no files)"


def read_file(root: Path, path: str, first: int = 1, last: int | None = None) -> str:
    """Lines ``first`` to ``last`` of a file, numbered."""
    return _numbered(read_text(inside(root, path)).splitlines(), first, last)


def search_files(root: Path, text: str, folder: str = ".") -> str:
    """The lines below ``folder`` that hold ``text``, as `path:line: line`."""
    rows = []
    for path in _files(inside(root, folder)):
        if path.stat().st_size > _MOST_BYTES:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if text in line:
                rows.append(f"{path.relative_to(root.resolve())}:{number}: {line.strip()[:200]}")
    return _rows(rows) if rows else f"No line holds {text!r}."


def write_file(root: Path, path: str, text: str, *, drive: bool) -> str:
    """Write a whole file."""
    target = refuse_write(root, path, drive=drive)
    _write(target, text, drive=drive)
    return f"Wrote {path}: {len(text.splitlines())} lines."


def edit_file(root: Path, path: str, old: str, new: str, *, drive: bool) -> str:
    """Put ``new`` in the place of ``old``, which must stand in the file exactly once."""
    target = refuse_write(root, path, drive=drive)
    text = target.read_bytes().decode("utf-8") if target.is_file() else read_text(target)
    count = text.count(old) if old else 0
    if count != 1:
        raise VstackError(
            f"The old text stands {count} times in {path}, and must stand there once",
            todo="Read the file again, and give more of the lines around it",
        )
    _write(target, text.replace(old, new), drive=drive)
    return f"Edited {path}."


def _write(target: Path, text: str, *, drive: bool) -> None:
    if target.name == PROJECT_FILE:
        refuse_settings(target, text, drive=drive)
    write_atomic(target, text)


def read_code(repo: GitRepo, revision: str, path: str, first: int = 1, last: int | None = None) -> str:
    """Numbered lines of a file at a revision, and the anchor that stands for just these lines."""
    commit = _commit(repo, revision)
    data = repo.file(commit, path)
    if data is None:
        raise VstackError(
            f"There is no file {path} at {revision}", todo="`search_code` finds files by a line of theirs"
        )
    lines = split_lines(data)
    shown = _numbered([line.decode("utf-8", "replace").rstrip("\n") for line in lines], first, last)
    end = min(last or len(lines), len(lines), first + MOST_LINES - 1)
    digest = range_hash(lines, first, end)
    anchor = f"{repo.name}:{path}:{first}-{end}@{commit} sha256:{digest[:16]}" if digest else ""
    return f"{shown}\nAnchor of lines {first}-{end}: {anchor}"


def search_code(repo: GitRepo, revision: str, text: str, folder: str = ".") -> str:
    """The lines of a revision that hold ``text``, as `path:line:line`."""
    commit = _commit(repo, revision)
    code, out, message = repo.git("grep", "-n", "-I", "-F", "-e", text, commit, "--", folder)
    if code > 1:
        raise VstackError(f"git can't search: {message}", where=str(repo.folder))
    rows = [line.removeprefix(f"{commit}:")[:240] for line in out.decode("utf-8", "replace").splitlines()]
    return _rows(rows) if rows else f"No line holds {text!r}."


def diff_code(repo: GitRepo, before: str, after: str, path: str = ".") -> str:
    """What changed between two revisions, below ``path``."""
    commits = [_commit(repo, revision) for revision in (before, after)]
    code, out, message = repo.git("diff", "--no-ext-diff", "--no-textconv", "--no-color", *commits, "--", path)
    if code != 0:
        raise VstackError(f"git can't compare: {message}", where=str(repo.folder))
    return out.decode("utf-8", "replace") or "Nothing differs there."


def _commit(repo: GitRepo, revision: str) -> str:
    found = repo.resolve(revision) if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./~^-]*", revision) else None
    if found is None:
        raise VstackError(
            f"{repo.name} has no revision `{revision}`", where=str(repo.folder), todo="Name a commit or tag"
        )
    return found


def _files(top: Path) -> Iterator[Path]:
    for path in sorted(top.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _numbered(lines: list[str], first: int, last: int | None) -> str:
    if first < 1 or first > max(len(lines), 1):
        raise VstackError(f"There is no line {first}: the file has {len(lines)}")
    end = min(last or len(lines), len(lines), first + MOST_LINES - 1)
    shown = "\n".join(f"{number:5}  {lines[number - 1]}" for number in range(first, end + 1))
    return shown + (f"\n(lines {end + 1} to {len(lines)} are left)" if end < len(lines) and last is None else "")


def _rows(rows: list[str]) -> str:
    more = f"\n({len(rows) - _MOST_ROWS} more)" if len(rows) > _MOST_ROWS else ""
    return "\n".join(rows[:_MOST_ROWS]) + more
