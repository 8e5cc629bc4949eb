r"""Anchors: the `\* @anchor repo:path:first-last@commit sha256:...` comments above each action.

A mark is one comment line; the marks of an action stand directly above its
definition, and `guards.X.anchors` in `vstack.yaml` holds the same strings.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from vstack.errors import VstackError
from vstack.results import Finding

# What a report draws: a transfer or message named by its text, parameters filled in (`@starts load(r)`).
TRAFFIC = ("starts", "lands", "sends", "receives")
KINDS = ("process", "anchor", "split", "environment", "ours", *TRAFFIC)
WORDED = ("split", "environment", "ours")
SHORTEST_HASH = 16

_MARK = re.compile(r"^@(?P<kind>[A-Za-z]+)(?P<colon>:?)(?:\s+(?P<text>.*\S))?\s*$")
_ANCHOR = re.compile(
    r"^(?P<repo>[A-Za-z0-9][\w.-]*):(?P<path>.+):(?P<first>\d+)-(?P<last>\d+)@(?P<commit>[0-9a-f]+)"
    r"\s+sha256:(?P<sha256>[0-9a-f]+)(?:\s+process=(?P<process>\S+))?$"
)
_FORM = "`repo:path:first-last@commit sha256:hash`, with the full commit id and at least 16 hex digits of the hash"


@dataclass(frozen=True)
class Anchor:
    """Lines ``first``..``last`` (from 1, both included) of ``path`` at ``commit``.

    ``sha256`` is the hash, or its first 16 or more hex digits, of the exact
    bytes of those lines, each with its newline. ``process`` is set where the
    anchor itself names the process that runs the code. ``where`` is the
    ``file:line`` of the anchor itself.
    """

    repo: str
    path: str
    first: int
    last: int
    commit: str
    sha256: str
    where: str
    process: str | None = None

    @property
    def place(self) -> str:
        """`repo:path:first-last@commit`, the name of the anchor in tables."""
        return f"{self.repo}:{self.path}:{self.first}-{self.last}@{self.commit}"


@dataclass(frozen=True)
class Marks:
    """All marks of one action; ``where`` is the ``file:line`` of its definition.

    ``traffic`` holds ``(kind, text)`` of the transfers and messages it starts,
    lands, sends or receives.
    """

    action: str
    where: str
    processes: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    splits: tuple[str, ...] = ()
    environment: str | None = None
    ours: str | None = None
    traffic: tuple[tuple[str, str], ...] = ()


def parse_anchor(text: str, where: str) -> Anchor:
    """The anchor written as ``text``.

    Raises:
        VstackError: not in the one form, with ``where`` (``file:line``).
    """
    found = _ANCHOR.match(text.strip())
    problem = "it is not in the form that anchors have" if not found else _problem(found)
    if problem or not found:
        raise VstackError(f"The anchor `{text}` can't be read: {problem}", where=where, todo=f"Write {_FORM}")
    return Anchor(
        repo=found["repo"],
        path=found["path"],
        first=int(found["first"]),
        last=int(found["last"]),
        commit=found["commit"],
        sha256=found["sha256"],
        where=where,
        process=found["process"],
    )


def _problem(found: re.Match[str]) -> str | None:
    first, last, path = int(found["first"]), int(found["last"]), found["path"]
    if len(found["commit"]) not in (40, 64):
        return "the commit id must have all its 40 (or 64) digits"
    if not SHORTEST_HASH <= len(found["sha256"]) <= 64:
        return f"the hash must have {SHORTEST_HASH} to 64 hex digits"
    if first < 1 or last < first:
        return "lines count from 1, and the last is not before the first"
    if path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/")):
        return "the path must be relative to the repository's root, without `.` or `..`"
    return None


def parse_marks(action: str, where: str, comments: Sequence[tuple[str, str]]) -> Marks:
    """The marks among ``comments``, the comment lines above ``action``'s definition.

    ``comments`` holds ``(file:line, text)``, the text without comment signs.
    Lines before the first mark are prose; prose after `@environment`, `@ours`
    or `@split` goes on with its words.

    Raises:
        VstackError: a malformed or misspelled mark, or one that may stand once standing twice.
    """
    processes: list[str] = []
    anchors: list[Anchor] = []
    splits: list[str] = []
    traffic: list[tuple[str, str]] = []
    single: dict[str, str] = {}
    for place, (kind, value) in _joined(comments):
        if kind == "process":
            processes.append(value)
        elif kind == "anchor":
            anchors.append(parse_anchor(value, place))
        elif kind == "split":
            splits.append(value)
        elif kind in TRAFFIC:
            traffic.append((kind, value))
        elif kind in single:
            raise VstackError(f"Action {action} has two @{kind} marks", where=place, todo="Keep one")
        else:
            single[kind] = value
    return Marks(
        action,
        where,
        tuple(processes),
        tuple(anchors),
        tuple(splits),
        single.get("environment"),
        single.get("ours"),
        tuple(traffic),
    )


def _joined(comments: Sequence[tuple[str, str]]) -> list[tuple[str, tuple[str, str]]]:
    """Each mark with its place, the words of those in ``WORDED`` joined over their lines."""
    found: list[tuple[str, tuple[str, str]]] = []
    for place, text in comments:
        mark = read_mark(text, place)
        if mark is not None:
            found.append((place, mark))
        elif found and found[-1][1][0] in WORDED and not text.strip().startswith("@"):
            first, (kind, words) = found[-1]
            found[-1] = (first, (kind, f"{words} {text.strip()}".strip()))
    return found


def read_mark(comment: str, where: str) -> tuple[str, str] | None:
    """``(kind, text)`` if ``comment`` (without comment signs) is a mark, ``None`` if it is prose.

    Raises:
        VstackError: nearly a mark (misspelled), or a mark without its text.
    """
    found = _MARK.match(comment.strip())
    if not found:
        return None
    kind, text = found["kind"], found["text"]
    if kind not in KINDS:
        near = difflib.get_close_matches(kind.lower(), KINDS, n=1, cutoff=0.75)
        if near:
            raise VstackError(f"There is no mark `@{kind}`", where=where, todo=f"Did you mean `@{near[0]}`?")
        return None
    if found["colon"]:
        raise VstackError(f"The mark `@{kind}:` has a colon too many", where=where, todo=f"Write `@{kind}` and a space")
    if not text:
        raise VstackError(
            f"The mark `@{kind}` says nothing", where=where, todo="Write what it stands for on the same line"
        )
    return kind, text


def marks_findings(marks: Sequence[Marks]) -> tuple[Finding, ...]:
    """Actions that say neither which code they stand for, nor that there is none; or that say both."""
    found: list[Finding] = []
    for each in marks:
        kinds = [
            name
            for name, given in (("@anchor", each.anchors), ("@environment", each.environment), ("@ours", each.ours))
            if given
        ]
        if not kinds:
            message = f"Action {each.action} has no anchor: nothing ties it to code"
            todo = (
                "Write `\\* @anchor`, or `\\* @environment` or `\\* @ours` with a reason, directly above its definition"
            )
            found.append(Finding(rule="anchor-missing", where=each.where, message=message, todo=todo))
        elif len(kinds) > 1:
            message = f"Action {each.action} is marked {' and '.join(kinds)}, which exclude each other"
            found.append(
                Finding(
                    rule="anchor-contradiction", where=each.where, message=message, todo="Keep the one that is true"
                )
            )
        if each.anchors and not each.processes and any(anchor.process is None for anchor in each.anchors):
            message = f"Action {each.action} has anchors but names no process"
            found.append(
                Finding(
                    rule="anchor-process", where=each.where, message=message, todo="Add `\\* @process NAME` above it"
                )
            )
    return tuple(found)
