"""One small complete project, approved and checked once, that each input changes a copy of."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

GOALS, MODEL, YAML, LOCK = "goals/Goals.tla", "model/Handover.tla", "vstack.yaml", "vstack.lock"
CHECK = ("check", "-q", "--json")
CI = ("ci", "--base", "main", "-q", "--json")
# `-P`: what lies in the project's folder is not on Python's path, as for the installed command.
VSTACK = (sys.executable, "-P", "-m", "vstack")


@dataclass
class Arena:
    """A project in a git repository, on a branch that an agent works on; `main` holds what was approved."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)

    def edit(self, file: str, before: str, after: str, *, times: int = 1) -> None:
        """Replace a text that stands in ``file`` exactly ``times`` times."""
        path = self.root / file
        text = path.read_text()
        assert text.count(before) == times, f"{before!r} stands {text.count(before)} times in {file}"
        path.write_text(text.replace(before, after))

    def write(self, file: str, text: str) -> None:
        """Write a file, its folder made first."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self, file: str) -> str:
        """A file's text."""
        return (self.root / file).read_text()

    def approve(self) -> None:
        """What a careless person does: approve whatever lies there."""
        self.must("spec", "approve", "--demo", "--yes")

    def must(self, *arguments: str) -> str:
        """Run a vstack command that has to succeed."""
        ended = self.vstack(*arguments)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def vstack(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a vstack command in the project."""
        return subprocess.run(
            [*VSTACK, *arguments],
            cwd=self.root,
            env={**os.environ, **self.environ},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )

    def git(self, *arguments: str) -> str:
        """Run git in the project."""
        identity = ("-c", "user.name=agent", "-c", "user.email=agent@example.org", "-c", "commit.gpgsign=false")
        ended = subprocess.run(
            ["git", *identity, *arguments], cwd=self.root, capture_output=True, text=True, check=True
        )
        return ended.stdout.strip()

    def commit(self, message: str = "work") -> str:
        """Commit everything; the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def merge(self, message: str = "merged") -> str:
        """Commit everything and make it `main`, as a code owner does who merges it; the commit's id."""
        commit = self.commit(message)
        self.git("branch", "-q", "-f", "main", commit)
        return commit


@dataclass(frozen=True)
class Input:
    """One way to cheat, of one kind.

    ``change`` makes it; ``says`` is a pattern that the answer must hold, so that
    the reason names the cheat; ``twin`` is an honest change of the same shape,
    which must come out as expected. ``command`` is what gives the verdict, with
    ``stdin`` for its input; where it is ``silent``, saying anything is a refusal.
    """

    name: str
    change: Callable[[Arena], object]
    says: str
    twin: Callable[[Arena], object]
    command: tuple[str, ...] = CHECK
    stdin: str = ""
    silent: bool = False


@dataclass(frozen=True)
class Answer:
    """What a command answered: ``green`` only with exit code 0."""

    green: bool
    code: int
    outcome: str
    rules: tuple[str, ...]
    text: str


def prepare(folder: Path) -> Path:
    """The project as all inputs find it: approved, checked, committed on `main`."""
    arena = Arena(folder)
    folder.mkdir(parents=True)
    arena.must("init")
    arena.edit(YAML, "software_keys: false", "software_keys: true")
    arena.approve()
    arena.git("init", "-q", "-b", "main")
    arena.commit("approved")
    arena.git("checkout", "-q", "-b", "work")
    arena.must("check", "-q")
    return folder


def ask(
    base: Path, folder: Path, entry: Input, change: Callable[[Arena], object], known: dict[str, Answer] | None = None
) -> Answer:
    """What the command of ``entry`` says of a copy of ``base`` with the change made.

    Many twins are the same honest change: with ``known`` the same question
    about the same bytes is asked once.
    """
    shutil.copytree(base, folder, symlinks=True)
    arena = Arena(folder)
    change(arena)
    asked = "" if known is None else _question(arena, entry)
    if known is not None and asked in known:
        return known[asked]
    answer = _answer(arena, entry)
    if known is not None:
        known[asked] = answer
    return answer


def _question(arena: Arena, entry: Input) -> str:
    """SHA-256 over every file of the project, git's own too, and what is asked of it."""
    digest = hashlib.sha256(repr((arena.environ, entry.command, entry.stdin, entry.silent)).encode())
    for path in sorted(arena.root.rglob("*")):
        if path.is_symlink() or path.is_file():
            content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            name = str(path.relative_to(arena.root))
            digest.update(repr((name, path.lstat().st_mode, hashlib.sha256(content).hexdigest())).encode())
    return digest.hexdigest()


def _answer(arena: Arena, entry: Input) -> Answer:
    ended = arena.vstack(*entry.command, stdin=entry.stdin)
    text, outcome, rules = ended.stdout + ended.stderr, "", set()
    try:
        told = json.loads(ended.stdout)
        for report in told if isinstance(told, list) else [told]:
            outcome = report["outcome"]
            rules |= {finding["rule"] for finding in report["findings"]}
            text += "\n".join(report["reasons"])
    except (ValueError, TypeError, KeyError):
        outcome = {1: "refused", 2: "error", 3: "undecided"}.get(ended.returncode, "")
    green = ended.returncode == 0 and not (entry.silent and ended.stdout.strip() not in ("", "{}"))
    return Answer(green, ended.returncode, outcome, tuple(sorted(rules)), text)
