"""The manifests of the three loaders: what each of them asks for, and that they say the same."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from vstack import __version__

ROOT = Path(__file__).parents[2]


def manifest(name: str) -> dict[str, Any]:
    return json.loads((ROOT / name).read_text())


def test_the_agent_plugins_manifest_holds_its_closed_set_of_fields() -> None:
    data = manifest("plugin.json")
    assert data["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    known = {"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"}
    assert set(data) <= known | {"extensions"}


def test_claude_finds_its_hooks_by_itself() -> None:
    # Naming them too makes loaders fail with "Duplicate hooks file".
    data = manifest(".claude-plugin/plugin.json")
    assert not set(data) & {"hooks", "commands", "skills", "agents", "mcpServers"}
    assert (ROOT / "hooks" / "hooks.json").is_file()
    assert not (ROOT / "CLAUDE.md").exists()


def test_cursor_is_told_where_everything_is() -> None:
    data = manifest(".cursor-plugin/plugin.json")
    known = {"name", "displayName", "version", "description", "author", "license", "keywords"}
    assert set(data) <= known | {"commands", "skills", "agents", "rules", "hooks"}
    assert data["hooks"] == "./hooks/hooks-cursor.json"
    for key in ("commands", "skills", "agents", "hooks"):
        assert (ROOT / data[key]).exists(), key


@pytest.mark.parametrize("folder", [".claude-plugin", ".cursor-plugin"])
def test_the_marketplaces_offer_this_folder(folder: str) -> None:
    (entry,) = manifest(f"{folder}/marketplace.json")["plugins"]
    assert (entry["name"], entry["source"]) == ("vstack", "./")


def test_all_say_the_same() -> None:
    manifests = [manifest(name) for name in ("plugin.json", ".claude-plugin/plugin.json", ".cursor-plugin/plugin.json")]
    for key in ("name", "version", "description", "author", "license", "keywords"):
        assert len({json.dumps(data[key]) for data in manifests}) == 1, key
    assert manifests[0]["version"] == __version__
    assert manifest(".claude-plugin/marketplace.json")["plugins"][0]["version"] == __version__


def test_the_mcp_server_is_the_command() -> None:
    assert manifest("mcp.json")["mcpServers"] == {"vstack": {"type": "stdio", "command": "vstack", "args": ["mcp"]}}


def test_skillsaw_finds_all_three_formats_and_nothing_wrong() -> None:
    pytest.importorskip("skillsaw")
    command = [sys.executable, "-m", "skillsaw", "lint", "--strict", "--no-progress", str(ROOT)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for kind in ("agent-plugin", "agentskills", "cursor-plugin", "marketplace", "Skills:    7"):
        assert kind in ended.stdout, ended.stdout


def test_skillsaw_would_see_a_fault(tmp_path: Path) -> None:
    pytest.importorskip("skillsaw")
    for name in ("plugin.json", "mcp.json", "skills", ".claude-plugin", ".cursor-plugin"):
        source, target = ROOT / name, tmp_path / name
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    skill = tmp_path / "skills" / "z3-arithmetic" / "SKILL.md"
    skill.write_text(skill.read_text().replace("name: z3-arithmetic", "name: Z3 arithmetic"))
    command = [sys.executable, "-m", "skillsaw", "lint", "--strict", "--no-progress", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode != 0 and "agentskill" in ended.stdout
