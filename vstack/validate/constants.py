"""The constants that `vstack.yaml` sets, against those that the model declares: a mistyped one must not pass."""

from __future__ import annotations

import difflib

from vstack.errors import VstackError
from vstack.project import PROJECT_FILE, Project
from vstack.tla.tree import Spec
from vstack.validate.cells import Setting, cell_cfg


def check_constants(project: Project, spec: Spec) -> None:
    """Whether every constant that is set is declared (or defined), and every declared one is set in every setting.

    Raises:
        VstackError: one is not, with the section and the nearest name.
    """
    declared = {item.name for item in spec.root.constants}
    where = str(project.root / PROJECT_FILE)
    for section, name in _set(project):
        if name in declared or spec.has(name):
            continue
        near = difflib.get_close_matches(name, declared, n=1)
        known = f"The nearest is `{near[0]}`" if near else f"It declares {', '.join(sorted(declared)) or 'none'}"
        raise VstackError(f"`{section}` sets {name}, which is no constant of the model", where=where, todo=known)
    for setting in _settings(project):
        given = cell_cfg(project, setting, [])
        missing = sorted(declared - given.assignments.keys() - given.overrides.keys())
        if missing:
            place = " / ".join(part for part in (setting.variant, setting.environment) if part) or "the model"
            raise VstackError(
                f"Nothing sets the constant {', '.join(missing)} for {place}",
                where=where,
                todo="Set it under `model.constants`, or under the environment, variant or guard that decides it",
            )


def _set(project: Project) -> list[tuple[str, str]]:
    file = project.file
    found = [("model.constants", name) for name in project.model.constants]
    found += [("model.overrides", name.rpartition("]")[2]) for name in project.model.overrides]
    for key, environment in file.environments.items():
        found += [(f"environments.{key}.constants", name) for name in environment.constants]
    for key, variant in file.variants.items():
        found += [(f"variants.{key}.constants", name) for name in variant.constants]
    for number, kill in enumerate(file.kills):
        found += [(f"kills[{number}].constants", name) for name in kill.constants]
    for key, trace in file.traces.items():
        found += [(f"traces.{key}.constants", name) for name in trace.constants]
    return found + [(f"guards.{key}.constant", guard.constant) for key, guard in file.guards.items()]


def _settings(project: Project) -> list[Setting]:
    if not project.file.matrix:
        return [Setting(None, None)]
    return [Setting(variant, environment) for variant, row in project.file.matrix.items() for environment in row]
