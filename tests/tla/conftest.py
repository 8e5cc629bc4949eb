"""Small modules read by the real SANY of the jar, each export kept for the session."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from vstack.tla.sany import load
from vstack.tla.tree import Spec
from vstack.tools.find import Tools, find_tools

Read = Callable[..., Spec]


@pytest.fixture(scope="session")
def tools() -> Tools:
    return find_tools()


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")


@pytest.fixture
def read(tools: Tools, exports: Path, tmp_path: Path) -> Read:
    """Write modules given as ``name=text`` (the frame is added) and load the first of them."""

    def write_and_load(*, helpers: Mapping[str, str] | None = None, **modules: str) -> Spec:
        for name, body in {**(helpers or {}), **modules}.items():
            text = body if body.startswith("----") else f"---- MODULE {name} ----\n{body}\n====\n"
            (tmp_path / f"{name}.tla").write_text(text, encoding="utf-8")
        root = next(iter(modules))
        return load(tmp_path / f"{root}.tla", search=[], java=tools.java, jar=tools.jar, cache=exports)

    return write_and_load


def run_tlc(tools: Tools, folder: Path, *arguments: str) -> str:
    """What the real TLC prints about a module in ``folder``."""
    command = [*tools.java, f"-Djava.io.tmpdir={folder}", "-Xmx512m", "-cp", str(tools.jar), "tlc2.TLC"]
    done = subprocess.run(
        [*command, "-workers", "1", *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout
