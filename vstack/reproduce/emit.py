"""The schedule as a test for the engine's own test suite: the case's template, filled in."""

from __future__ import annotations

import ast
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import read_text, write_atomic
from vstack.project import PROJECT_FILE, Project
from vstack.reproduce.plan import Wanted, reproduce_section
from vstack.reproduce.schedule import Schedule


def emit_pytest(project: Project, wanted: Wanted, schedule: Schedule, target: Path) -> None:
    """Write the test file of ``wanted`` to ``target``, which must not exist yet.

    Raises:
        VstackError: the case has no template, it can't be filled in, its result
            is not Python, or ``target`` is there already.
    """
    from jinja2 import Environment, StrictUndefined, TemplateError

    section = reproduce_section(project)
    if section.template is None:
        raise VstackError(
            "The case has no template of a test",
            where=str(project.root / PROJECT_FILE),
            todo="Write one, and name it under `reproduce.template`; see docs/reproduce.md",
        )
    if target.exists():
        raise VstackError("The file exists already", where=str(target), todo="Name another, or remove it first")
    path = project.root / section.template
    file = project.file
    try:
        template = Environment(undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True).from_string(read_text(path))
        text = template.render(
            steps=schedule.steps,
            variant=wanted.cell.variant,
            environment=wanted.cell.environment,
            goal=wanted.cell.goal,
            english=file.goals[wanted.cell.goal].english,
            sources=file.goals[wanted.cell.goal].sources,
            commits={name: variant.commit for name, variant in file.variants.items() if variant.commit},
            project=file.project,
        )
        ast.parse(text)
    except (TemplateError, SyntaxError) as error:
        line = getattr(error, "lineno", None)
        raise VstackError(
            f"The template gives no test: {error}", where=f"{path}:{line}" if line else str(path), todo="Mend the template"
        ) from None
    write_atomic(target, text)
