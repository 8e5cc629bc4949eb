"""`anchor check`, `anchor refresh` and `scope` as a user runs them: output and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.abstract.conftest import PATH, Upstream, make_project, upstream  # noqa: F401
from vstack.commands import anchor_check, anchor_refresh, scope


def call(command, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command.cli, list(arguments), standalone_mode=False, catch_exceptions=False)
    return result.return_value, result.output


@pytest.fixture
def folder(make_project, upstream: Upstream) -> Path:  # noqa: F811
    marks = ["@process worker", f"@anchor {upstream.anchor(12, 14)}"]
    return make_project(marks, more=f'scope: [{{repo: code, path: "{PATH}", functions: [step]}}]')


def test_the_three_commands_on_one_project(folder: Path, upstream: Upstream):  # noqa: F811
    here = ("-p", str(folder), "--repo", f"code={upstream.folder}")
    code, text = call(anchor_check, *here)
    assert (code, "1 anchors: 1 exact" in text) == (0, True)
    assert call(anchor_check, "-p", str(folder), "--no-fetch")[0] == 3
    code, text = call(anchor_check, *here, "--at", "main", "--json")
    assert (code, json.loads(text)["anchors"][0]["state"]) == (0, "moved")
    code, text = call(scope, *here, "--json")
    assert (code, json.loads(text)["scope"][0]["function"]) == (1, "Worker.step")
    assert "scope-uncovered" in call(scope, *here)[1]
    code, text = call(anchor_refresh, *here, "--at", "main")
    assert (code, "1 anchors can be rewritten" in text) == (1, True)
    code, text = call(anchor_refresh, *here, "--at", "main", "--write")
    assert (code, "1 anchors rewritten" in text) == (0, True)
    assert call(anchor_refresh, *here, "--at", "main", "--json")[0] == 0
    (folder / "Model.tla").write_text((folder / "Model.tla").read_text(encoding="utf-8").replace("sha256:", "sha256:0"))
    code, text = call(anchor_check, *here)
    assert (code, "anchor-hash" in text) == (1, True)
