"""The files that a patch text changes: unified diffs, git's, and `*** Begin Patch`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterator


_MARKS = (
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
    "rename from ",
    "rename to ",
    "Index: ",
)


def is_patch(text: str) -> bool:
    """Whether ``text`` looks like a patch."""
    return "*** Begin Patch" in text or "\n+++ " in f"\n{text}" or "diff --git " in text


def patched(text: str) -> Iterator[str]:
    """The paths that ``text`` names, as written and without git's `a/` and `b/`."""
    for line in text.splitlines():
        if line.startswith(("+++ ", "--- ")):
            path = line[4:].split("\t")[0].strip().strip('"')
        elif line.startswith("diff --git "):
            for path in line[11:].split(" "):
                yield from _both(path.strip('"'))
            continue
        else:
            mark = next((mark for mark in _MARKS if line.startswith(mark)), None)
            if mark is None:
                continue
            path = line[len(mark) :].strip()
        yield from _both(path)


def _both(path: str) -> Iterator[str]:
    if path and path != "/dev/null":
        yield path
        if "/" in path:
            yield path.split("/", 1)[1]
