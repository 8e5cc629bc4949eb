"""Joins the marks in the modules' comments to the actions of the next-state relation."""

from __future__ import annotations

from collections.abc import Sequence

from vstack.abstract.anchors import Marks, marks_findings, parse_marks, read_mark
from vstack.files import read_text
from vstack.project import Project
from vstack.results import Finding
from vstack.tla.actions import split_next
from vstack.tla.comments import comments_above
from vstack.tla.tree import Spec


def read_marks(project: Project, spec: Spec) -> tuple[tuple[Marks, ...], tuple[Finding, ...]]:
    """The marks of each action of the model's next-state relation, and what is wrong with them.

    Raises:
        VstackError: a malformed mark.
    """
    paths = {module.name: module.path for module in (spec.root, *spec.modules.values()) if module.path}
    texts = {name: read_text(path) for name, path in paths.items()}
    found: dict[tuple[str, int], Marks] = {}
    used: set[tuple[str, int]] = set()
    for action in split_next(spec, project.model.next):
        module, line = action.span.module, action.span.line
        if (module, line) in found or module not in texts:
            continue
        above = comments_above(texts[module], action.span)
        used.update((module, comment.line) for comment in above)
        comments = [(f"{paths[module]}:{comment.line}", comment.text) for comment in above]
        found[module, line] = parse_marks(action.name, f"{paths[module]}:{line}", comments)
    marks = tuple(found.values())
    stray = [
        Finding(
            rule="anchor-stray",
            where=f"{paths[module]}:{number}",
            message=f"This mark stands above no action of {project.model.next}: `{line.strip()}`",
            todo="Move it directly above the definition of the action it speaks of (comment lines only between them)",
        )
        for module, text in texts.items()
        for number, line in enumerate(text.split("\n"), 1)
        if (module, number) not in used and _is_mark(line, f"{paths[module]}:{number}")
    ]
    return marks, (*marks_findings(marks), *stray, *_claims(project, marks))


def _is_mark(line: str, where: str) -> bool:
    bare = line.strip()
    return bare.startswith("\\*") and read_mark(bare[2:], where) is not None


def _claims(project: Project, marks: Sequence[Marks]) -> list[Finding]:
    """Marks that free an action of anchors must agree with what the project declares (and the lock pins)."""
    found: list[Finding] = []
    for each in marks:
        if each.environment and each.action not in project.file.environment_actions:
            message = f"Action {each.action} is marked `@environment`, but `environment_actions` does not list it"
            todo = "List it there, so that its body is pinned, or anchor it to the code it stands for"
            found.append(Finding(rule="anchor-environment", where=each.where, message=message, todo=todo))
        if each.ours and not any(variant.ours for variant in project.file.variants.values()):
            message = f"Action {each.action} is marked `@ours`, but no variant is (`ours: true`)"
            todo = "Anchor it to the code it stands for, or declare the variant of our own that it belongs to"
            found.append(Finding(rule="anchor-ours", where=each.where, message=message, todo=todo))
        of_code = [
            name
            for name, variant in project.file.variants.items()
            if each.ours and variant.commit and not variant.ours and each.action not in variant.lacks
        ]
        if of_code:
            message = f"Action {each.action} is marked `@ours`, but variant {of_code[0]} stands for a commit and does not lack it"
            todo = "Anchor it to the code it stands for, or list it under `lacks` of that variant"
            found.append(Finding(rule="anchor-ours", where=each.where, message=message, todo=todo))
    return found
