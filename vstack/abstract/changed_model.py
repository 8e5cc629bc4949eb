"""What a pull request changes of the model itself: a reviewer is told which modules, and whether more than their anchors."""

from __future__ import annotations

from pathlib import Path

from vstack.abstract.git_objects import run_git
from vstack.errors import VstackError
from vstack.project import Project
from vstack.results import Finding
from vstack.tla.tree import Spec

# What a pull request's own attributes say about a file has no say.
_OPTIONS = ("--no-color", "--no-ext-diff", "--no-textconv", "--text", "--no-renames", "--unified=0")


def model_changes(project: Project, spec: Spec, commit: str) -> tuple[Finding, ...]:
    """A note for each module of the project that is another one at ``commit`` (the target branch's).

    Where only anchors differ, the note says that: the code was anchored again
    and no formula changed, which is right for lines that moved and wrong for
    lines that now do something else.

    Raises:
        VstackError: git can't compare.
    """
    found = []
    for module in spec.modules.values():
        if module.is_standard or module.path is None or not module.path.is_relative_to(project.root):
            continue
        changed = _changed_lines(project.root, module.path, commit)
        if not changed:
            continue
        anchors = [line for line in changed if "@anchor" in line]
        what = f"{len(changed)} lines, {len(anchors)} of them anchors"
        if len(anchors) == len(changed):
            what = f"{len(anchors)} lines, all of them anchors: the code was anchored again, and no formula changed"
        found.append(
            Finding(
                rule="model-changed",
                where=f"{module.path}:1",
                message=f"The module {module.name} is not as on the target branch: {what}",
                todo="See whether the model still says what the code does",
                outcome="note",
            )
        )
    return tuple(found)


def _changed_lines(root: Path, path: Path, commit: str) -> list[str]:
    """The lines that went and came."""
    status, told, problem = run_git(["-C", str(root), "diff", *_OPTIONS, commit, "--", str(path)])
    if status != 0:
        raise VstackError(f"git can't compare {path.name} with {commit[:12]}: {problem}", where=str(path))
    body = told.decode(errors="replace").split("\n@@", 1)
    lines = ("@@" + body[1]).split("\n") if len(body) == 2 else []
    return [line for line in lines if line.startswith(("+", "-"))]
