"""The commit hook's whole check: what is staged against the lock that is staged, and both against the commit before."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.project import LOCK_FILE, STATE_FOLDER, Project, load_project
from vstack.reading import project_tools
from vstack.results import Finding
from vstack.specify.approvers import APPROVERS_FILE
from vstack.specify.base import Base
from vstack.specify.check import check_lock
from vstack.specify.compute import compute_pins
from vstack.specify.lock import Lock, parse_lock
from vstack.specify.policy import Policy
from vstack.tla.sany import load
from vstack.tla.tree import Spec

_SECONDS = 120.0


@dataclass(frozen=True)
class Commit:
    """What is looked at: the index, or with ``to`` a commit; ``base`` is compared with; ``top`` is the work tree."""

    top: Path
    to: str
    base: str
    environment: Mapping[str, str]

    def git(self, *arguments: str, send: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """git's answer at the top of the work tree."""
        return subprocess.run(
            ["git", *arguments],
            cwd=self.top,
            env=self.environment,
            input=send,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )

    def blob(self, commit: str, name: str) -> bytes | None:
        """The bytes of ``name`` (from the top) at ``commit``, or staged where that is empty; None if it has none."""
        shown = self.git("cat-file", "blob", f"{commit}:{os.path.normpath(name)}")
        return shown.stdout if shown.returncode == 0 else None

    def now(self, name: str) -> bytes | None:
        """The bytes of ``name`` that would be committed."""
        return self.blob(self.to, name)

    def before(self, name: str) -> bytes | None:
        """The bytes of ``name`` in the commit before."""
        return self.blob(self.base, name) if self.base else None


def check_staged(top: str, projects: Sequence[str], names: Sequence[str], *, to: str, base: str) -> int:
    """Check each of ``projects`` (folders from ``top``) as it would be committed; the hook's exit status.

    ``names`` are the paths that the commit changes.
    """
    with tempfile.TemporaryDirectory(prefix="vstack-staged-") as scratch:
        environment = {**os.environ, "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}
        commit = Commit(Path(top), to, base, environment)
        if to:
            commit = Commit(Path(top), to, base, {**environment, "GIT_INDEX_FILE": str(Path(scratch) / "index")})
            commit.git("read-tree", to)
        codes = [_one(commit, project, names, Path(scratch) / "tree") for project in projects]
    return max(codes, default=0)


def _one(commit: Commit, project: str, names: Sequence[str], tree: Path) -> int:
    try:
        findings, notes = _findings(commit, project, names, tree)
    except VstackError as error:
        told = error.paragraph().replace(f"{tree}/", "")
        print(f"vstack-spec-guard: {project}: can't be checked: {told}", file=sys.stderr)
        return error.exit_code
    for note in notes:
        print(f"vstack-spec-guard: {note}", file=sys.stderr)
    for finding in findings:
        where = finding.where.replace(f"{tree.resolve()}/", "")
        print(f"vstack-spec-guard: {where}: {finding.message}. {finding.todo}.".replace("..", "."), file=sys.stderr)
    if findings:
        named = project if project != "." else "this project"
        print(
            f"vstack-spec-guard: the commit is rejected: {len(findings)} finding(s) in {named}.",
            file=sys.stderr,
        )
    return 1 if findings else 0


def _findings(commit: Commit, project: str, names: Sequence[str], tree: Path) -> tuple[list[Finding], list[str]]:
    lock_name = os.path.normpath(os.path.join(project, LOCK_FILE))
    lock, old = commit.now(lock_name), commit.before(lock_name)
    origin = project
    if lock is not None and old is None:
        origin, old = _moved_from(commit, lock, project, names)
    if lock is None:
        if old is None or _moved_to(commit, old, names):
            return [], []
        gone = Finding(
            rule="lock-removed",
            where=lock_name,
            message="The lock is taken away, and with it every approval",
            todo=f"Restore it with `git checkout HEAD -- {lock_name}`, or let a person remove the project",
        )
        return [gone], []
    opened = _export(commit, project, tree)
    approvers = commit.before(os.path.join(origin, APPROVERS_FILE))
    staged_approvers = commit.now(os.path.join(project, APPROVERS_FILE))
    notes = []
    if _demo(old) or approvers is None:
        # No person stands behind a demo key, so that none is passed over when it is made anew.
        approvers = staged_approvers
    elif approvers != staged_approvers:
        notes.append(
            f"{os.path.join(project, APPROVERS_FILE)} changes: it counts from the next commit on, if a code owner agrees"
        )
    base = None
    if old is not None:
        text = approvers.decode(errors="replace") if approvers is not None else None
        # A touch is asked for where it counts: in CI.
        base = Base(commit.base, commit.base, old, text, Policy(software_keys=True))
    changes_modules = any(name.endswith(".tla") for name in names)
    pins = compute_pins(opened, _spec(opened, None if changes_modules else commit.top / project))
    findings, _ = check_lock(opened, pins, base=base)
    return list(findings), notes


def _spec(project: Project, real: Path | None) -> Spec | None:
    """The staged model as SANY reads it; where no module changes, from the cache of the ``real`` project."""
    if project.file.model is None:
        return None
    tools = project_tools(project)
    cache = real / STATE_FOLDER / "cache" / "sany" if real is not None else None
    return load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar, cache=cache)


def _export(commit: Commit, project: str, tree: Path) -> Project:
    """The project as it would be committed, in a folder of its own, with the module folders that lie outside it."""
    _write_out(commit, [project], tree)
    opened = load_project(tree / project)
    root = tree.resolve()
    folders = [os.path.normpath(os.path.join(project, name)) for name in opened.file.modules]
    outside = [name for name in folders if not name.startswith("..") and not (root / name).is_relative_to(opened.root)]
    _write_out(commit, outside, tree)
    return opened


def _write_out(commit: Commit, places: Sequence[str], tree: Path) -> None:
    if not places:
        return
    listed = commit.git("--literal-pathspecs", "ls-files", "-z", "--", *places)
    ended = commit.git("checkout-index", "-f", "-z", "--stdin", f"--prefix={tree}/", send=listed.stdout)
    if listed.returncode != 0 or ended.returncode != 0:
        said = (listed.stderr + ended.stderr).decode(errors="replace").strip()
        raise VstackError(f"git can't write out what is staged: {said}", where=", ".join(places))
    root = tree.resolve()
    for name in map(os.fsdecode, listed.stdout.split(b"\0")):
        place = tree / name
        if place.is_symlink() and not place.resolve().is_relative_to(root):
            raise RefusedError(
                "A link that leads out of the project is staged: elsewhere it leads to something else",
                where=str(place),
                todo="Commit the file itself",
            )


def _parsed(raw: bytes | None) -> Lock | None:
    try:
        return parse_lock(raw, where=LOCK_FILE) if raw is not None else None
    except VstackError:
        return None


def _demo(raw: bytes | None) -> bool:
    lock = _parsed(raw)
    return lock is not None and all(approval.is_demo for approval in lock.approvals)


def _moved_from(commit: Commit, lock: bytes, project: str, names: Sequence[str]) -> tuple[str, bytes | None]:
    """A project that a commit moves keeps its history: the lock that it takes away under the same name."""
    own = _parsed(lock)
    for name in names:
        if os.path.basename(name) == LOCK_FILE and commit.now(name) is None:
            before = commit.before(name)
            old = _parsed(before)
            if own is not None and old is not None and old.project == own.project:
                return os.path.dirname(name) or ".", before
    return project, None


def _moved_to(commit: Commit, old: bytes, names: Sequence[str]) -> bool:
    before = _parsed(old)
    return before is not None and any(
        (new := _parsed(commit.now(name))) is not None and new.project == before.project
        for name in names
        if os.path.basename(name) == LOCK_FILE
    )
