"""Which projects a pull request is checked for, and which of the target branch's it has lost."""

from __future__ import annotations

import os
from pathlib import Path

from vstack.abstract.git_objects import run_git
from vstack.errors import VstackError
from vstack.project import LOCK_FILE, PROJECT_FILE
from vstack.results import Finding
from vstack.specify.base import Base, read_base


def tracked_projects(*, allow_none: bool) -> tuple[Path, ...]:
    """The folders of all projects that git tracks below the current folder.

    Raises:
        VstackError: there is none, unless ``allow_none``.
    """
    status, listed, _ = run_git(["ls-files", "-z", "--", f"*{PROJECT_FILE}"])
    names = [name for name in os.fsdecode(listed).split("\0") if Path(name).name == PROJECT_FILE]
    if status != 0 or not (names or allow_none):
        raise VstackError("git tracks no vstack.yaml here", where=os.getcwd(), todo="Name the projects' folders")
    return tuple(Path(name).parent for name in names)


def lost_projects(base: str) -> list[Finding]:
    """A finding for each folder below this one where ``base`` has a project or a lock, and this tree no regular `vstack.yaml`.

    Leaving a project out must not be a way past its checks.

    Raises:
        VstackError: ``base`` can't be read.
    """
    commit = read_base(Path.cwd(), base).commit
    status, listed, problem = run_git(["ls-tree", "-r", "-z", "--name-only", commit, "."])
    if status != 0:
        raise VstackError(f"The projects of {base} can't be listed: {problem}", where=os.getcwd())
    marks = {PROJECT_FILE, LOCK_FILE}
    held = {str(Path(name).parent) for name in os.fsdecode(listed).split("\0") if Path(name).name in marks}
    return [_lost(place, base) for place in sorted(held) if not _is_project(Path(place))]


def folder_in_repository(root: Path) -> str:
    """``root`` relative to the top of its repository, `.` for the top itself.

    Raises:
        VstackError: it is in none.
    """
    status, prefix, problem = run_git(["-C", str(root), "rev-parse", "--show-prefix"])
    if status != 0:
        raise VstackError(f"The project is in no git repository: {problem}", where=str(root))
    return os.fsdecode(prefix).strip().rstrip("/") or "."


def head_commit(root: Path) -> str:
    """The commit that is checked out, empty before the first."""
    status, head, _ = run_git(["-C", str(root), "rev-parse", "--verify", "--quiet", "HEAD"])
    return head.decode().strip() if status == 0 else ""


def must_be_tip(root: Path, base: Base) -> None:
    """Let nothing but the target branch's own tip be trusted.

    Raises:
        VstackError: another commit is checked out, or tracked files differ from it.
    """
    head = head_commit(root)
    _, changed, _ = run_git(["-C", str(root), "status", "--porcelain", "--untracked-files=no", "--", "."])
    if head != base.commit or changed:
        raise VstackError(
            f"--trusted is for {base.ref} itself ({base.commit[:12]}), and this tree is at {head[:12]}"
            + (", with changes" if changed else ""),
            where=str(root),
            todo="Leave --trusted out: a pull request writes no evidence",
        )


def _is_project(folder: Path) -> bool:
    """Whether ``folder`` holds a project of this very tree: no file or folder on the way is a link."""
    file = folder / PROJECT_FILE
    links = (file, *(parent for parent in file.parents if parent != Path(".")))
    status, _, _ = run_git(["ls-files", "--error-unmatch", "--", str(file)])
    return file.is_file() and not any(link.is_symlink() for link in links) and status == 0


def _lost(place: str, base: str) -> Finding:
    return Finding(
        rule="project-gone",
        where=str(Path.cwd() / place / PROJECT_FILE),
        message=f"{base} holds a project in {place or '.'} that is not here: refused",
        todo="Restore it, or let a code owner remove it on the target branch",
    )
