"""A project's model as SANY reads it, and the pins that follow from it."""

from __future__ import annotations

from pathlib import Path

from vstack.project import Project
from vstack.tla.sany import load
from vstack.tla.tree import Spec
from vstack.tools.find import Tools, find_tools


def project_tools(project: Project) -> Tools:
    """The tools that the project's `tools` section names, or those that vstack finds.

    Raises:
        VstackError: one is missing or is not what it should be.
    """
    paths = project.file.tools
    jar = project.root / Path(paths.tlc_jar).expanduser() if paths.tlc_jar else None
    java = project.root / Path(paths.java).expanduser() if paths.java else None
    return find_tools(jar=jar, java=java)


def read_spec(project: Project, *, fresh: bool = False) -> Spec | None:
    """The model's root module with all it reaches; None for a project without a model (Z3 goals alone).

    ``fresh`` asks SANY again whatever the cache in `.vstack` says: an agent
    can write there, so a gate must not believe it.

    Raises:
        VstackError: a module is missing or doesn't parse, or a tool is missing.
    """
    if project.file.model is None:
        return None
    tools = project_tools(project)
    cache = None if fresh else project.state / "cache" / "sany"
    return load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar, cache=cache)
