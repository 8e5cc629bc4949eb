"""Rule: the environment's constants are set by environments alone, and a guard's by the lists of guards alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vstack.files import read_text
from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.specify.settings import Leaf, Lines


def check_knobs(project: Project) -> tuple[Finding, ...]:
    """Constants that are set where they would undo what another section says.

    A variant that sets what its environments decide has a world of its own, in
    which the fault that others must stand need not come. A guard's constant is
    TRUE for the variants that list the guard; set elsewhere, a run would have a
    condition that its variant lacks, or lack one that it has.
    """
    lines = Lines(read_text(project.root / PROJECT_FILE))

    def finding(path: Leaf, message: str, todo: str) -> Finding:
        where = f"{project.root / PROJECT_FILE}:{lines.line(path)}"
        return Finding(rule="knob-elsewhere", where=where, message=message, todo=todo)

    file = project.file
    world = {name: env for env, environment in file.environments.items() for name in environment.constants}
    guards = {guard.constant: name for name, guard in file.guards.items()}
    found = [
        finding(
            ("variants", name, "constants", constant),
            f"Variant {name} sets {constant}, which the environment {world[constant]} decides: it would run in a world of its own",
            "Let the environments say it, or give the model a constant of its own",
        )
        for name, variant in file.variants.items()
        for constant in variant.constants
        if constant in world
    ]
    found += [
        finding(
            path,
            f"{'.'.join(path[:-1])} sets {constant}, which switches guard {guards[constant]}",
            f"Leave it to `variants`: list `{guards[constant]}` under the guards of those that have it",
        )
        for path, constants in _settings(project)
        for constant in constants
        if constant in guards
        for path in [(*path, constant)]
    ]
    return tuple(found)


def _settings(project: Project) -> Iterator[tuple[Leaf, Mapping[str, str]]]:
    """Every place that sets constants, with its path in `vstack.yaml`."""
    file = project.file
    if file.model is not None:
        yield ("model", "constants"), file.model.constants
    for section, entries in (("environments", file.environments), ("variants", file.variants), ("traces", file.traces)):
        for name, entry in entries.items():
            yield (section, name, "constants"), entry.constants
    for kill in file.kills:
        yield ("kills", f"{kill.guard} / {kill.variant} / {kill.environment}", "constants"), kill.constants
    if file.reproduce is not None:
        yield ("reproduce", "constants"), file.reproduce.constants
