"""Anchors of guards: which code of which commit has the condition that a constant of the model switches."""

from __future__ import annotations

from collections.abc import Iterable

from vstack.abstract.anchors import Anchor, parse_anchor
from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding


def guard_anchors(project: Project) -> dict[str, tuple[Anchor, ...]]:
    """The anchors of each guard, with their line in `vstack.yaml`.

    Raises:
        VstackError: one is malformed.
    """
    path = project.root / PROJECT_FILE
    text = path.read_text(encoding="utf-8").split("\n")

    def line_of(anchor: str) -> int:
        return next((number for number, line in enumerate(text, 1) if anchor in line), 1)

    return {
        name: tuple(parse_anchor(anchor, f"{path}:{line_of(anchor)}") for anchor in guard.anchors)
        for name, guard in project.file.guards.items()
    }


def guards_without_code(project: Project) -> Iterable[Finding]:
    """A variant must not have a guard that its commit's code does not have."""
    anchors = guard_anchors(project)
    for name, variant in project.file.variants.items():
        if variant.ours or variant.commit is None:
            continue
        for guard in variant.guards:
            if not any(anchor.commit.startswith(variant.commit) for anchor in anchors[guard]):
                yield Finding(
                    rule="guard-anchor",
                    where=str(project.root / PROJECT_FILE),
                    message=f"Variant {name} has guard {guard}, which has no anchor in its commit {variant.commit}",
                    todo=f"Add that commit's lines to guards.{guard}.anchors, or take the guard out of the variant",
                )
