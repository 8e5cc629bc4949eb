"""After a tool ran, and at stop: are the pinned files what was approved? By their bytes, not by who wrote them."""

from __future__ import annotations

import os

from vstack.guard.index import Entry, Index, contents, make_index, read_index, stat_of, write_index
from vstack.guard.listing import folded
from vstack.guard.places import PROJECT_FILE, STATE_FOLDER, projects_around, regular

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterable

_TOLD = "guard-told"
_MOST_TOLD = 200


class Found:
    """What is not as approved in the project at ``root``, and what waits for approval: one line each.

    ``state`` tells one such state from another.
    """

    def __init__(self, root: str, problems: list[str], waiting: list[str], state: str) -> None:
        self.root, self.problems, self.waiting, self.state = root, problems, waiting, state


def look(places: Iterable[str], *, every_byte: bool) -> tuple[Found, ...]:
    """What is not as approved in the projects around ``places``.

    Without ``every_byte`` a file whose size, times and inode are those of the
    index is taken for unchanged; at stop each is read.
    """
    found = (_project(root, every_byte) for root in projects_around(places, fresh=every_byte))
    return tuple(one for one in found if one.problems or one.waiting)


def _project(root: str, every_byte: bool) -> Found:
    index = read_index(root)
    if index.refused:
        return Found(root, [index.refused], [], index.refused)
    differing: dict[str, str] = {}
    moved = False
    for name, entry in index.files.items():
        place = os.path.join(root, name)
        if not every_byte and entry.sha256 and stat_of(place) == entry.stat:
            continue
        stat, digest = contents(place)
        if digest not in (entry.sha256, entry.drafted or entry.sha256):
            differing[name] = digest
        elif stat != entry.stat:
            entry.stat, moved = stat, True
    if differing:
        differing, taken = _not_committed(index, differing)
        moved = moved or taken
    if moved:
        write_index(index)
    problems = [_problem(index, name) for name in differing]
    problems += _shadows(index)
    problems += _parts(index)
    waiting = _waiting(index)
    return Found(root, problems, waiting, repr((problems, sorted(differing.items()))))


def _not_committed(index: Index, differing: dict[str, str]) -> tuple[dict[str, str], bool]:
    """``differing`` without what a branch switch or a pull brought, which is taken into the index."""
    from vstack.guard.committed import changed_since_head

    changed = changed_since_head(index.root, index.files)
    if changed is None:
        return differing, False
    fresh = make_index(index.root, approved=False)
    brought: dict[str, Entry] = {
        name: fresh.files[name]
        for name in differing
        if name not in changed and name in fresh.files and fresh.files[name].sha256 not in ("", "missing")
    }
    index.files.update(brought)
    return {name: digest for name, digest in differing.items() if name not in brought}, bool(brought)


def _problem(index: Index, name: str) -> str:
    from vstack.guard.committed import blob_sha256, top_of

    place = os.path.normpath(os.path.join(index.root, name))
    what = "is gone" if not os.path.exists(place) else "is not as it was approved"
    top = top_of(os.path.dirname(place))
    if top is not None:
        path = os.path.relpath(place, top)
        if blob_sha256(top, f"HEAD:{path}") == index.files[name].sha256:
            return (
                f"{place} {what}: restore it with `git -C {top} checkout HEAD -- {path}`"
                " (if a person is at work on it, leave it and say so)"
            )
    return f"{place} {what}: undo the change, or show it to a person with `vstack spec diff -p {index.root}`"


def _shadows(index: Index) -> list[str]:
    """Files that would be read instead of pinned modules."""
    found = []
    for folder in {os.path.dirname(part) for part in index.parts}:
        try:
            names = os.listdir(os.path.join(index.root, folder))
        except OSError:
            continue
        for name in sorted(names):
            hidden = index.shadows(os.path.join(folder, name)) if name.endswith(".tla") else None
            if hidden is not None:
                found.append(
                    f"{os.path.join(index.root, folder, name)} is read instead of the pinned {hidden}: rename it"
                )
    return found


def _parts(index: Index) -> list[str]:
    """Pinned definitions that no longer stand in modules which are free to edit."""
    problems = []
    for name, definitions in index.parts.items():
        place = os.path.normpath(os.path.join(index.root, name))
        try:
            with open(place, encoding="utf-8", errors="replace", opener=regular) as stream:
                text = folded(stream.read())
        except OSError:
            text = ""
        for definition, approved in definitions:
            if folded(approved) not in text:
                problems.append(
                    f"{place}: the approved definition {definition} no longer stands there word for word: "
                    f"`vstack spec diff -p {index.root}` tells whether its meaning changed, and a change needs a person"
                )
    return problems


def _waiting(index: Index) -> list[str]:
    """What is free to write and for a person to approve: changed sections of `vstack.yaml`, and drafts."""
    from vstack.guard.sections import section_digests

    found = []
    place = os.path.join(index.root, PROJECT_FILE)
    if index.sections:
        now = section_digests(place)
        changed = [name for name in {**index.sections, **now} if index.sections.get(name) != now.get(name)]
        if changed:
            found.append(
                f"{place}: changed since its approval: {', '.join(changed)}: `vstack spec check` says what needs a person"
            )
    for name, entry in index.files.items():
        if entry.drafted and entry.drafted != entry.sha256:
            found.append(f"{os.path.join(index.root, name)} holds a draft that no one has approved yet")
    return found


def first_time(found: Found, moment: str, session: str) -> bool:
    """Whether this state is told for the first time in this session; from now on it counts as told.

    A state folder that can't be written counts as told: a stop must not be blocked for ever.
    """
    import hashlib
    from pathlib import Path

    from vstack.errors import VstackError
    from vstack.files import write_atomic

    name = hashlib.sha256(f"{moment} {session} {found.state}".encode()).hexdigest()[:32]
    folder = os.path.join(found.root, STATE_FOLDER, _TOLD)
    if os.path.exists(os.path.join(folder, name)):
        return False
    try:
        write_atomic(Path(folder) / name, "")
        _prune(folder)
    except (VstackError, OSError):
        return False
    return True


def _prune(folder: str) -> None:
    paths = [os.path.join(folder, name) for name in os.listdir(folder)]
    if len(paths) > _MOST_TOLD:
        for path in sorted(paths, key=lambda path: stat_of(path)[1:2] or [0])[: len(paths) - _MOST_TOLD]:
            if os.path.exists(path):
                os.unlink(path)
