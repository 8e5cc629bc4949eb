"""The commit hook `vstack-spec-guard`: which projects does a commit touch, and do their pinned files change at all?

This half needs the standard library alone and decides most commits. Where bytes
change that a lock speaks of, `vstack.guard.staged` has SANY read what is staged.
"""

from __future__ import annotations

import os
import sys

from vstack.errors import VstackError
from vstack.guard.index import read_index
from vstack.guard.places import APPROVERS_FILE, LOCK_FILE, PROJECT_FILE, ancestors, is_project, projects_around
from vstack.guard.spawn import output

_SPOKEN_OF = (LOCK_FILE, APPROVERS_FILE, PROJECT_FILE)
_NAME = "vstack-spec-guard"


def main() -> None:
    """The hook as a program of its own."""
    sys.exit(run_commit(sys.argv[1:]))


def run_commit(arguments: list[str]) -> int:
    """Exit status: 0 the commit may be made, 1 it may not, 2 that could not be told.

    Under pre-commit at `pre-push` the commits to be pushed are looked at, as
    its variables name them; otherwise what is staged.
    """
    try:
        top = _top()
        if top is None:
            print(f"{_NAME}: this is no git repository", file=sys.stderr)
            return 2
        to, base = _ends()
        names = _changed(to, base)
        projects = [root for root in _projects(top, names) if _speaks_of(top, root, names, to)]
        if not projects:
            return 0
        if sys.flags.no_site:
            # The rest needs what is installed beside this interpreter.
            own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
            os.execv(sys.executable, [sys.executable, own, "commit", *arguments])
        try:
            from vstack.guard.staged import check_staged
        except ImportError as error:
            print(
                f"{_NAME}: a pinned file changes, and this Python can't check it: {error.name} is not installed "
                f"({sys.executable}). Install vstack there, or install the hook anew with `vstack init --git-hook`.",
                file=sys.stderr,
            )
            return 2
        return check_staged(top, projects, names, to=to, base=base)
    except OSError as error:
        print(f"{_NAME}: git can't be asked: {error}", file=sys.stderr)
        return 2


def _top() -> str | None:
    here = os.path.realpath(os.getcwd())
    return next((folder for folder in ancestors(here) if os.path.exists(os.path.join(folder, ".git"))), None)


def _ends() -> tuple[str, str]:
    """What is looked at (empty: the index) and what it is compared with (empty: nothing is there yet)."""
    to = os.environ.get("PRE_COMMIT_TO_REF", "")
    if to:
        base = os.environ.get("PRE_COMMIT_FROM_REF", "")
        return to, base if base.strip("0") else ""
    return "", "HEAD"


def _changed(to: str, base: str) -> list[str]:
    """Paths from the repository's top that differ, by the hash of their content."""
    form = ["--raw", "-z", "--no-renames", "--no-abbrev"]
    if to:
        code, listed = output(["git", "diff-tree", "-r", *form, base or _empty(), to])
    else:
        code, listed = output(["git", "diff-index", "--cached", *form, base], quiet=True)
        if code != 0:  # the first commit has no HEAD to compare with
            code, listed = output(["git", "diff-index", "--cached", *form, _empty()])
    if code != 0:
        raise OSError(f"`git diff` ended with {code}")
    # `:mode mode hash hash status`, then the path.
    return [os.fsdecode(part) for part in listed.split(b"\0") if part and not part.startswith(b":")]


def _empty() -> str:
    return output(["git", "hash-object", "-t", "tree", os.devnull])[1].decode().strip()


def _projects(top: str, names: list[str]) -> list[str]:
    """Folders of the projects that may be touched, from the top: those known, and those around the paths."""
    known = [os.path.relpath(root, top) for root in projects_around([top])]
    found = dict.fromkeys(name for name in known if not name.startswith(".."))
    for name in names:
        folder, base = os.path.split(name)
        if base in _SPOKEN_OF:
            found[folder or "."] = None
        for above in ancestors(os.path.join(top, folder)):
            if is_project(above):
                found[os.path.relpath(above, top)] = None
            if above == top:
                break
    return list(found)


def _speaks_of(top: str, root: str, names: list[str], to: str) -> bool:
    """Whether one of ``names`` is a file that the lock of the project speaks of, or the lock itself."""
    spoken = {os.path.normpath(os.path.join(root, name)) for name in _SPOKEN_OF}
    if spoken & set(names):
        return True
    index = read_index(os.path.normpath(os.path.join(top, root)))
    listed = {*index.files, *index.parts}
    inside = [name for name in names if root == "." or name.startswith(root + "/")]
    if inside:
        code, raw = output(["git", "cat-file", "blob", f"{to}:{os.path.normpath(os.path.join(root, LOCK_FILE))}"])
        if code != 0:
            return False  # nothing is approved yet
        # Any module may bring an assumption, or stand before a pinned one.
        if any(name.endswith(".tla") for name in inside):
            return True
        staged = _listed(raw, index.lock)
        if staged is None:
            return True
        listed |= staged
    return bool({os.path.normpath(os.path.join(root, name)) for name in listed} & set(names))


def _listed(raw: bytes, known: str) -> set[str] | None:
    """The files that the lock ``raw`` speaks of, none where its hash is the one ``known``; None if it can't be read."""
    import hashlib

    if hashlib.sha256(raw).hexdigest() == known:
        return set()
    from vstack.guard.listing import listing
    from vstack.guard.lockfile import read_data

    try:
        found = listing(read_data(raw, LOCK_FILE))
    except (VstackError, KeyError, TypeError, AttributeError):
        return None
    return {*found.whole, *found.parts}
