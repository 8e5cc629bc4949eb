"""What several commands set up the same way: the project, its tools, its model as SANY reads it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vstack.files import sha256_bytes
from vstack.project import Project, load_project
from vstack.reading import project_tools, read_spec
from vstack.tla.actions import Action, split_next
from vstack.tla.tree import Spec
from vstack.tools.find import Tools


@dataclass
class Context:
    """A project opened for a command; tools and model are found when first asked for.

    ``fresh`` believes no cache: a gate must not, because an agent can write there.
    """

    project: Project
    fresh: bool = False

    @cached_property
    def tools(self) -> Tools:
        """Java and TLC, those named in `vstack.yaml` first.

        Raises:
            VstackError: one is missing or does not run.
        """
        return project_tools(self.project)

    @cached_property
    def spec(self) -> Spec:
        """The model as SANY reads it, from the cache while no module has changed.

        Raises:
            VstackError: the project has no model, or it does not parse.
        """
        spec = read_spec(self.project, fresh=self.fresh)
        assert self.project.model and spec is not None
        self.project.digests = {
            str(module.path.absolute()): sha256_bytes(module.text.encode())
            for module in (spec.root, *spec.modules.values())
            if module.path is not None
        }
        return spec

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The actions of the model's Next."""
        return split_next(self.spec, self.project.model.next)


def open_project(folder: Path, *, fresh: bool = False) -> Context:
    """The project in ``folder``, ready for a command.

    Raises:
        VstackError: there is none, or its `vstack.yaml` has a fault.
    """
    return Context(load_project(folder), fresh)


def cores() -> int:
    """Processors that this process may use: how many engines run side by side."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
