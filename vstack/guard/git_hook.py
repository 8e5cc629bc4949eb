"""The commit hook as a plain git hook, for repositories that don't use pre-commit."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import write_atomic
from vstack.guard.committed import git

_MARK = "# vstack-spec-guard: rejects a commit that changes what was approved without an approval. See docs/hooks.md."


def install_hook(folder: Path) -> Path:
    """Write the `pre-commit` hook of the repository around ``folder``; its path.

    Raises:
        VstackError: this is no repository, another hook is there already, or it can't be written.
    """
    asked = git(str(folder), "rev-parse", "--path-format=absolute", "--git-path", "hooks")
    if asked is None or asked.returncode != 0:
        raise VstackError("This is no git repository", where=str(folder), todo="Run `git init` first")
    path = Path(os.fsdecode(asked.stdout.rstrip(b"\n"))) / "pre-commit"
    guard = Path(__file__).with_name("__main__.py")
    command = f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(guard))} commit"
    if path.exists() and _MARK not in path.read_text(encoding="utf-8", errors="replace"):
        raise VstackError(
            "The repository has a pre-commit hook of its own",
            where=str(path),
            todo=f"Add the line `{command} || exit 1` to it",
        )
    write_atomic(path, f"#!/bin/sh\n{_MARK}\nexec {command}\n")
    path.chmod(0o755)
    return path
