"""The user's checkout of the code: at the variant's commit, without local changes. Nothing of it is stored."""

from __future__ import annotations

import os
from pathlib import Path

from vstack.abstract.git_objects import run_git
from vstack.errors import VstackError
from vstack.project import Project


def check_checkout(project: Project, variant: str, folder: Path) -> str:
    """The commit of ``variant``, at which ``folder`` stands without local changes.

    Raises:
        VstackError: the variant has no commit of its own, or the folder is no
            checkout, is of another project or at another commit, or was changed.
    """
    section, wanted = project.file.reproduce, project.file.variants[variant].commit
    assert section is not None
    if wanted is None:
        raise VstackError(
            f"The variant {variant} is a design of its own and has no commit: no code to drive",
            where=str(project.root / "vstack.yaml"),
            todo="Name a variant with a `commit`",
        )
    place = str(folder)
    if os.pathsep in str(folder.resolve()):
        raise VstackError(
            f"Python can't import from a path that holds `{os.pathsep}`", where=place, todo="Name a checkout elsewhere"
        )
    if not folder.is_dir():
        raise VstackError("The checkout does not exist", where=place, todo=_make(section.repo, wanted))
    status, head, _ = run_git(["-C", place, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    if status != 0:
        raise VstackError("The folder is not a git checkout", where=place, todo=_make(section.repo, wanted))
    status, _, _ = run_git(["-C", place, "cat-file", "-e", f"{wanted}^{{commit}}"])
    if status != 0:
        raise VstackError(
            f"The checkout has no commit {wanted[:12]}: it is of another project than {section.repo}, or shallow",
            where=place,
            todo=f"Fetch it: `git -C '{place}' fetch origin {wanted}`, or name a checkout of {section.repo}",
        )
    commit = head.decode().strip()
    if commit != wanted:
        raise VstackError(
            f"The checkout is at {commit[:12]}, the variant {variant} is {wanted[:12]}",
            where=place,
            todo=f"Make one beside it: `git -C '{place}' worktree add ../{section.repo}-{wanted[:8]} {wanted}`",
        )
    # Ignored files count: the code under test would import them, and they are no commit's.
    status, changed, problem = run_git(["-C", place, "status", "--porcelain=v1", "--ignored", "--untracked-files=all"])
    files = [line for line in changed.decode("utf-8", "replace").splitlines() if not _harmless(line[3:])]
    files += _hidden(place)
    if status != 0 or files:
        first = files[0][3:] if files else problem
        raise VstackError(
            f"The checkout has local changes: {first}" + (f" and {len(files) - 1} more" if len(files) > 1 else ""),
            where=place,
            todo="Drive a clean checkout: the outcome is about a commit",
        )
    return commit


def _harmless(path: str) -> bool:
    """Python's own caches, which are not used (see `run`); bytecode beside the sources is, where there is no source."""
    return "__pycache__/" in path


def _hidden(place: str) -> list[str]:
    """Files that git was told not to look at: they may hold anything. One that a sparse checkout leaves out is not there."""
    _, listed, _ = run_git(["-C", place, "ls-files", "-v", "-z"])
    found = []
    for line in listed.decode("utf-8", "replace").split("\0"):
        flag, path = line[:1], line[2:]
        if flag.islower() or (flag == "S" and os.path.lexists(os.path.join(place, path))):
            found.append(f"!! {path} (marked assume-unchanged or skip-worktree)")
    return found


def _make(repo: str, commit: str) -> str:
    return f"Check {repo} out: `git clone URL {repo} && git -C {repo} checkout {commit}`"
