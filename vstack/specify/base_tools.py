"""Tools that a project names: a gate runs only those that the target branch names too, with the bytes they have there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from vstack.abstract.git_objects import run_git
from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.sections import ToolPaths
from vstack.specify.base import Base, base_file
from vstack.tools.jar import find_jar

_TODO = (
    "Let the workflow install the tools (VSTACK_JAVA, VSTACK_TLC_JAR), or merge that change to the target branch first"
)


def foreign_tools(project: Project, base: Base) -> tuple[Finding, ...]:
    """What a pull request says of the tools that would be run for it, before any of them is run.

    A launcher can be a script that does anything, and SANY is started before
    the lock can be compared: so the section `tools` must be the target
    branch's, and a jar inside of the repository must be the target branch's
    file. Any other program there is refused: it is more than its one file.

    Raises:
        VstackError: git, or the jar, can't be read.
    """
    where = str(project.root / PROJECT_FILE)
    return tuple(
        Finding(rule="tools-changed", where=where, message=f"tools.{name}: {problem}", todo=_TODO)
        for name in ToolPaths.model_fields
        if (named := getattr(project.file.tools, name)) is not None
        for problem in _problems(project.root, base, name, named)
    )


def _problems(root: Path, base: Base, name: str, named: str) -> Iterator[str]:
    status, top, _ = run_git(["-C", str(root), "rev-parse", "--show-toplevel"])
    repository = Path(os.path.realpath(os.fsdecode(top).strip())) if status == 0 else root
    written = Path(os.path.normpath(os.path.realpath(root) / Path(named).expanduser()))
    path = Path(os.path.realpath(written))
    inside = written.is_relative_to(repository) or path.is_relative_to(repository)
    if base.tools.get(name) != named and (base.is_known or inside):
        yield f"{named} is not what {base.ref} names ({base.tools.get(name, 'nothing')})"
    elif not inside:
        return
    elif written != path:
        yield f"{named} leads through a link of this tree"
    elif _is_tracked(root, path):
        if name != "tlc_jar":
            # More than its one file: what it loads lies beside it.
            yield f"{named} is a program of this very tree"
        else:
            jar = find_jar(path)
            for file in (jar.path, *jar.companions):
                if base_file(root, base.commit, os.path.relpath(file, os.path.realpath(root))) != file.read_bytes():
                    yield f"{file.name} is not the file that {base.ref} holds"


def _is_tracked(root: Path, path: Path) -> bool:
    """Whether git tracks ``path``, or anything in it: what it does not track, no pull request brought along."""
    status, listed, _ = run_git(["-C", str(root), "ls-files", "-z", "--", str(path)])
    return status != 0 or bool(listed)
