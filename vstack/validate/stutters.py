"""Rule: where deadlocks are looked for, no step of the code's own changes nothing: TLC takes it for a way on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vstack.project import Project
from vstack.results import Finding
from vstack.tla.actions import Action
from vstack.tla.conjuncts import Update
from vstack.tla.tree import Spec


def check_stutters(project: Project, spec: Spec, actions: Sequence[Action]) -> tuple[Finding, ...]:
    """The actions of Next that change no variable, where `model.check_deadlock` is set.

    One that is listed under `environment_actions` is free: its body is pinned, so
    that a person has seen in which states the system may rest.
    """
    if not project.model.check_deadlock:
        return ()
    found = []
    for action in actions:
        if action.name in project.file.environment_actions or action.other or not all(map(_keeps, action.updates)):
            continue
        module = spec.modules.get(action.span.module)
        path = module.path if module is not None and module.path else action.span.module
        found.append(
            Finding(
                rule="stutter-hides-deadlock",
                where=f"{path}:{action.span.line}",
                message=f"Action {action.name} changes no variable: wherever it is enabled TLC sees a way on, which"
                " hides deadlocks",
                todo="Take it out, or list it under `environment_actions`, so that the states in which the system may rest"
                " are approved",
            )
        )
    return tuple(found)


def _keeps(update: Update) -> bool:
    """``v' = v`` or ``v' = [v EXCEPT ![i] = @, ...]``."""
    text, variable = "".join(update.expression.split()), re.escape(update.variable)
    return re.fullmatch(rf"\(*{variable}\)*|\(*\[{variable}EXCEPT(![^=]*=@,?)+\]\)*", text) is not None
