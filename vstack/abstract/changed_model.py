"""What a pull request changes of the model itself: a reviewer is told which modules, and whether more than their anchors."""

from __future__ import annotations

from pathlib import Path

from vstack.abstract.git_objects import run_git
from vstack.errors import VstackError
from vstack.results import Finding
from vstack.tla.tree import Module, Spec

# What a pull request's own attributes say about a file has no say.
_OPTIONS = ("--no-color", "--no-ext-diff", "--no-textconv", "--text", "--no-renames", "--unified=0")


def model_changes(spec: Spec, commit: str) -> tuple[Finding, ...]:
    """A note for each module outside the jar that is another one at ``commit`` (the target branch's).

    Where only anchors differ, the note says that: the code was anchored again
    and no formula changed, which is right for lines that moved and wrong for
    lines that now do something else.

    Raises:
        VstackError: git can't compare.
    """
    found = []
    for module in spec.modules.values():
        if module.is_standard or module.path is None:
            continue
        changed = _changed_lines(module.path, commit)
        if changed is not None and not changed:
            continue
        if changed is None:
            found.append(_note(module, "it lies outside the repository, so nothing tells what it was"))
            continue
        anchors = [line for line in changed if "@anchor" in line]
        what = f"{len(changed)} lines, {len(anchors)} of them anchors"
        if len(anchors) == len(changed):
            what = f"{len(anchors)} lines, all of them anchors: the code was anchored again, and no formula changed"
        found.append(_note(module, what))
    return tuple(found)


def _note(module: Module, what: str) -> Finding:
    return Finding(
        rule="model-changed",
        where=f"{module.path}:1",
        message=f"The module {module.name} is not as on the target branch: {what}",
        todo="See whether the model still says what the code does",
        outcome="note",
    )


def _changed_lines(path: Path, commit: str) -> list[str] | None:
    """The lines that went and came; None where the file lies in no repository that has the commit."""
    place = path.resolve()
    if run_git(["-C", str(place.parent), "cat-file", "-e", f"{commit}^{{commit}}"])[0] != 0:
        return None
    status, told, problem = run_git(["-C", str(place.parent), "diff", *_OPTIONS, commit, "--", str(place)])
    if status != 0:
        raise VstackError(f"git can't compare {path.name} with {commit[:12]}: {problem}", where=str(path))
    body = told.decode(errors="replace").split("\n@@", 1)
    lines = ("@@" + body[1]).split("\n") if len(body) == 2 else []
    return [line for line in lines if line.startswith(("+", "-"))]
