"""What a range of commits changes, as git tells it: files, and in each the lines that went and came."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from vstack.abstract.git_objects import GitRepo
from vstack.errors import VstackError

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# What a pull request's own attributes say about a file (binary, another program for its diff) has no say.
_OPTIONS = ("--no-color", "--no-ext-diff", "--no-textconv", "--text", "--no-renames", "--unified=0")


@dataclass(frozen=True)
class Hunk:
    """``before`` and ``after`` are ranges of lines, from 1; an empty one stands behind the line ``start - 1``."""

    before: range
    after: range

    def touches(self, first: int, last: int) -> bool:
        """Whether it takes away one of the lines ``first``..``last``, or puts others between them."""
        if not self.before:
            return first < self.before.start <= last
        return self.before.start <= last and first < self.before.stop

    @property
    def line(self) -> int:
        """Where to look in the new file: the first line that came, else the one where others went."""
        return max(1, self.after.start if self.after else self.after.start - 1)


@dataclass
class Diff:
    """The changes of ``repo`` from ``base`` (where ``head`` branched off) to ``head``, full commit ids."""

    repo: GitRepo
    base: str
    head: str
    _hunks: dict[str, tuple[Hunk, ...]] = field(default_factory=dict, repr=False)

    def paths(self) -> tuple[str, ...]:
        """The files that differ; a renamed one under both names."""
        listed = self._git("diff", "--name-only", "-z", "--no-renames", self.base, self.head, "--")
        return tuple(os.fsdecode(name) for name in listed.split(b"\0") if name)

    @property
    def top(self) -> str:
        """The folder that paths are relative to; of a bare repository its own."""
        code, out, _ = self.repo.git("rev-parse", "--show-toplevel")
        return os.fsdecode(out).strip() if code == 0 else str(self.repo.folder.resolve())

    def hunks(self, path: str) -> tuple[Hunk, ...]:
        """The changes of one file, in order."""
        if path not in self._hunks:
            told = self._git("diff", *_OPTIONS, self.base, self.head, "--", f":(top,literal){path}")
            # Lines of content begin with a sign of their own.
            forms = [form for line in told.split(b"\n") if (form := _HUNK.match(line))]
            self._hunks[path] = tuple(Hunk(_lines(form[1], form[2]), _lines(form[3], form[4])) for form in forms)
        return self._hunks[path]

    def _git(self, *arguments: str) -> bytes:
        code, out, message = self.repo.git("-c", "diff.relative=false", *arguments)
        if code != 0:
            raise VstackError(
                f"git can't compare {self.base[:12]} with {self.head[:12]}: {message}", where=str(self.repo.folder)
            )
        return out


def read_diff(repo: GitRepo, base: str, head: str) -> Diff:
    """The range `base..head`; both may be any name of a commit.

    Changes count from where ``head`` branched off ``base``; in a clone too
    shallow to know that, from ``base`` itself.

    Raises:
        VstackError: the repository has no such commit.
    """
    commits = []
    for name in (base, head):
        commit = repo.resolve(name)
        if commit is None:
            raise VstackError(
                f"The repository {repo.name} has no commit {name}",
                where=str(repo.folder),
                todo="Fetch it, or name another",
            )
        commits.append(commit)
    code, merge_base, _ = repo.git("merge-base", *commits)
    return Diff(repo, merge_base.decode().strip() if code == 0 and merge_base.strip() else commits[0], commits[1])


def parse_range(text: str) -> tuple[str, str]:
    """`BASE..HEAD` as two names; without `..HEAD`, HEAD.

    Raises:
        VstackError: it is neither.
    """
    base, dots, head = text.partition("..")
    head = head.removeprefix(".")
    if not base or base.startswith("-") or head.startswith("-") or (dots and not head):
        raise VstackError(f"`--diff {text}` is no range of commits", todo="Write `--diff origin/main..HEAD`")
    return base, head or "HEAD"


def _lines(start: bytes, count: bytes | None) -> range:
    first, size = int(start), 1 if count is None else int(count)
    # git names the line before an empty range.
    return range(first, first + size) if size else range(first + 1, first + 1)
