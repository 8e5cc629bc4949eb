"""A small git repository with real history, and a project whose model is anchored to it."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from vstack.abstract.anchors import Marks, parse_marks

PATH = "src dir/wörker.py"

OLD = b'''"""A worker."""
import threading


class Worker:
    def __init__(self, queue, sock):
        self.lock = threading.Lock()
        self.queue = queue
        self.sock = sock
        self.done = set()

    def step(self, room):
        with self.lock:
            self.done.add(room)
        self.sock.send(room)

    def both(self, room):
        with self.lock:
            self.done.add(room)
        self.queue.append(room)

    def drop(self, room):
        # Nothing but a comment, and then
        self.done.discard(room)
        self.queue.clear()
'''
NEW = OLD.replace(b"import threading\n", b"import threading\n\nLIMIT = 8\n").replace(
    b"        self.queue.clear()\n", b"        if room in self.queue:\n            self.queue.remove(room)\n"
)


def git(folder: Path, *arguments: str) -> str:
    """Run git with a fixed author, return its output."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit_file(folder: Path, path: str, data: bytes, message: str) -> str:
    """Write a file, commit it, return the commit id."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@dataclass(frozen=True)
class Upstream:
    """A repository with two commits of one file whose path has a space and a non-ASCII letter."""

    folder: Path
    old: str
    new: str

    def anchor(self, first: int, last: int, *, commit: str | None = None, path: str = PATH) -> str:
        """An honest anchor text for these lines."""
        commit = commit or self.old
        raw = subprocess.run(
            ["git", "-C", str(self.folder), "show", f"{commit}:{path}"], check=True, capture_output=True
        ).stdout
        lines = raw.splitlines(keepends=True)[first - 1 : last]
        return f"code:{path}:{first}-{last}@{commit} sha256:{hashlib.sha256(b''.join(lines)).hexdigest()[:24]}"

    def lines(self, text: str, *, commit: str | None = None) -> tuple[int, int]:
        """First and last line of the first place of ``text`` in the file."""
        data = NEW if commit == self.new else OLD
        start = data.index(text.encode())
        first = data.count(b"\n", 0, start) + 1
        return first, first + text.rstrip("\n").count("\n")


@pytest.fixture(scope="session")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    folder = tmp_path_factory.mktemp("up stream")
    git(folder, "init", "-q", "-b", "main")
    old = commit_file(folder, PATH, OLD, "old")
    return Upstream(folder, old, commit_file(folder, PATH, NEW, "new"))


MODEL = """---- MODULE Model ----
VARIABLES a, b
Init == a = 0 /\\ b = 0
{first}
Step ==
    /\\ a = 0
    /\\ a' = 1 /\\ UNCHANGED b
{second}
Fault(x) ==
    /\\ b' = x /\\ UNCHANGED a
Next == Step \\/ \\E x \\in {{1, 2}} : Fault(x)
Spec == Init /\\ [][Next]_<<a, b>>
Small == a # 2
====
"""
YAML = """version: 1
project: small
repos:
  code: {{url: "https://github.com/someone/code.git"}}
model: {{module: Model.tla}}
goals:
  Small: {{formula: Small, english: a stays small}}
environments:
  all: {{english: everything may happen}}
environment_actions: [Fault]
{more}
"""


def step_marks(folder: Path) -> tuple[Marks, ...]:
    """The marks above Step, read without SANY (`test_marks.py` reads them with it)."""
    path = folder / "Model.tla"
    lines = path.read_text(encoding="utf-8").split("\n")
    end = lines.index("Step ==")
    comments = [(f"{path}:{n}", line[2:]) for n, line in enumerate(lines[:end], 1) if line.startswith("\\*")]
    return (parse_marks("Step", f"{path}:{end + 1}", comments),)


@pytest.fixture
def make_project(tmp_path: Path):
    """``make_project(marks of Step, marks of Fault, further yaml)`` gives the project's folder."""

    def make(first: list[str], second: list[str] | None = None, more: str = "") -> Path:
        second = ["@environment the network loses a packet"] if second is None else second
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        marks = ["\n".join(f"\\* {line}" for line in lines) for lines in (first, second)]
        (folder / "Model.tla").write_text(MODEL.format(first=marks[0], second=marks[1]), encoding="utf-8")
        (folder / "vstack.yaml").write_text(YAML.format(more=more), encoding="utf-8")
        return folder

    return make
