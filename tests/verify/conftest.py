"""A project with one Z3 goal, whose script or SMT-LIB text the test gives."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from vstack.project import Project, load_project

HEAD = "from z3 import *\nfrom vstack.verify.z3_api import Obligation\n"


@pytest.fixture
def z3_project(tmp_path: Path) -> Callable[..., Project]:
    """``z3_project(text, suffix=".py", excuse="")``: a project whose goal `G` is stated by ``text``."""

    def make(text: str, suffix: str = ".py", excuse: str = "") -> Project:
        folder = tmp_path / "a projéct"
        folder.mkdir(exist_ok=True)
        body = HEAD + textwrap.dedent(text) if suffix == ".py" else textwrap.dedent(text)
        (folder / f"goal{suffix}").write_text(body, encoding="utf-8")
        (folder / "vstack.yaml").write_text(
            f"version: 1\nproject: z\ngoals:\n  G: {{kind: z3, script: goal{suffix}, english: says it, excuse: '{excuse}'}}\n",
            encoding="utf-8",
        )
        return load_project(folder)

    return make
