"""`vstack mcp` with the SDK's own client over standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from vstack.agent.verbs import VERBS
from vstack.specify.scaffold import write_project

pytest.importorskip("mcp")

import anyio
from mcp import Client, MCPError, StdioServerParameters


@asynccontextmanager
async def connected(root: Path, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of a server of its own over ``root``."""
    # What names the tools of this machine (Java, the jar) is not among what the client passes on by itself.
    env = {name: value for name, value in os.environ.items() if name.startswith(("VSTACK_", "JAVA_"))}
    server = StdioServerParameters(
        command=sys.executable, args=["-P", "-m", "vstack", "mcp", "--root", str(root)], env=env, cwd=str(root)
    )
    async with Client(server, mode=mode, read_timeout_seconds=90) as client:
        yield client


def with_client(root: Path, work: Callable[[Client], Coroutine[Any, Any, None]], mode: str = "auto") -> None:
    async def main() -> None:
        async with connected(root, mode) as client:
            await work(client)

    anyio.run(main)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with the starting project in `page`."""
    write_project(tmp_path / "page", "page")
    return tmp_path


def test_the_tools_are_the_verbs_and_approving_is_none(root: Path) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == list(VERBS)
        assert not any("approve" in name for name in tools)
        assert tools["spec_draft"].input_schema["required"] == ["name", "english"]
        assert "approve" in (client.instructions or "")
        with pytest.raises(MCPError, match="There is no tool `spec_approve`"):
            await client.call_tool("spec_approve", {"yes": True})

    with_client(root, work)


def test_bad_arguments_and_unknown_projects_are_one_paragraph(root: Path) -> None:
    async def work(client: Client) -> None:
        for name, arguments, said in [
            ("verify", {"project": "page", "goals": ["Isolation"]}, "`verify` takes no argument `goals`. The nearest is `goal`."),
            ("verify", {"project": "page", "goal": "Isolation"}, "The argument `goal` of `verify` must be a list"),
            ("verify", {"project": "page", "jobs": 0}, "must lie between 1 and 64"),
            ("spec_draft", {"project": "page", "name": "X"}, "`spec_draft` needs the argument `english`"),
            ("check", {"project": "nowhere"}, "No vstack.yaml here"),
            ("spec_show", {"project": "nowhere"}, "No vstack.yaml here"),
            ("spec_show", {"project": "page", "goal": "Isolaton"}, "Did you mean Isolation?"),
            ("verify", {"project": "page", "variant": "befor", "wait": 60}, "Did you mean `before`"),
            ("status", {"project": "page", "name": "../../etc"}, "is not the id of a run"),
            ("status", {"project": "page", "name": "20200101-000000-0000"}, "No detached run of that name"),
        ]:  # fmt: skip
            result = await client.call_tool(name, arguments)
            assert result.is_error, name
            answer = result.structured_content
            assert said in answer["error"], answer
            assert answer["exit_code"] == 2 and answer["meaning"] == "could not run: nothing was decided"
            assert "\n" not in answer["error"] and "Traceback" not in json.dumps(answer)
            assert json.loads(result.content[0].text)["error"] == answer["error"]

    with_client(root, work)


def test_a_goal_is_drafted_shown_and_decided(root: Path) -> None:
    async def work(client: Client) -> None:
        drafted = await client.call_tool(
            "spec_draft",
            {
                "project": "page",
                "name": "Quiet",
                "english": "A free page has no transfer.",
                "formula": 'page = "free" => transfer = "none"',
                "source": ["https://example.org/issues/1"],
            },
        )
        assert drafted.structured_content["data"]["approved"] is False
        assert "NOT approved" in drafted.structured_content["meaning"]
        shown = (await client.call_tool("spec_show", {"project": "page", "goal": "Quiet"})).structured_content
        assert "A free page has no transfer." in shown["text"] and "not approved" in shown["text"]
        refused = (await client.call_tool("spec_check", {"project": "page"})).structured_content
        assert refused["exit_code"] == 1 and refused["data"]["findings"][0]["rule"] == "no-lock"
        arguments = {"project": "page", "variant": "before", "goal": ["Quiet"], "wait": 90}
        answer = (await client.call_tool("verify", arguments)).structured_content
        verdicts = {record["subject"]["environment"]: record["verdict"] for record in answer["data"]}
        assert verdicts == {"calm": "holds", "aborts": "violated"} and answer["exit_code"] == 1

    with_client(root, work)


def test_a_long_run_goes_on_and_is_asked_for_until_done(root: Path) -> None:
    async def work(client: Client) -> None:
        begun = (await client.call_tool("validate", {"project": "page", "wait": 0})).structured_content
        assert begun["exit_code"] is None and begun["meaning"].startswith("still running: nothing is decided yet")
        name = begun["run"]["id"]
        listed = (await client.call_tool("status", {"project": "page"})).structured_content
        assert [run["id"] for run in listed["data"]] == [name]
        asked = begun
        for _ in range(60):
            asked = (await client.call_tool("status", {"project": "page", "name": name, "wait": 3})).structured_content
            if asked["exit_code"] is not None:
                break
        assert asked["verb"] == "validate" and asked["exit_code"] == 0, asked
        assert asked["data"]["outcome"] == "as expected" and asked["run"]["state"] == "ended (exit 0)"
        told = (
            await client.call_tool("explain", {"project": "page", "cell": "before/aborts/Isolation"})
        ).structured_content
        assert told["exit_code"] == 0 and "aborts request" in told["text"]

    with_client(root, work)


def test_a_run_can_be_stopped_and_is_not_called_decided(root: Path) -> None:
    async def work(client: Client) -> None:
        begun = (await client.call_tool("validate", {"project": "page", "wait": 0})).structured_content
        await anyio.sleep(1)
        stop = {"project": "page", "name": begun["run"]["id"], "stop": True, "wait": 30}
        stopped = (await client.call_tool("status", stop)).structured_content
        assert stopped["exit_code"] == 130
        assert stopped["meaning"] == "stopped before it ended: nothing was decided"

    with_client(root, work)


def test_clients_of_the_handshake_era_are_served_too(root: Path) -> None:
    async def work(client: Client) -> None:
        assert client.protocol_version.startswith("2025-")
        assert (await client.call_tool("status", {"project": "page"})).structured_content["data"] == []

    with_client(root, work, mode="legacy")


def test_a_module_beside_the_project_is_not_imported_in_ours_place(root: Path) -> None:
    (root / "click.py").write_text("raise SystemExit('imported')\n")
    (root / "vstack.py").write_text("raise SystemExit('imported')\n")

    async def work(client: Client) -> None:
        shown = (await client.call_tool("spec_show", {"project": "page"})).structured_content
        assert shown["exit_code"] == 0, shown
        checked = (await client.call_tool("scope", {"project": "page", "wait": 60})).structured_content
        assert checked["exit_code"] in (0, 1, 3) and "imported" not in json.dumps(checked), checked

    with_client(root, work)


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys, importlib.util as u\nfind = u.find_spec\n"
    code += "u.find_spec = lambda name, *more: None if name == 'mcp' else find(name, *more)\n"
    code += "sys.argv = ['vstack', 'mcp']\nimport vstack.cli\nvstack.cli.main()\n"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "Error: The MCP server needs the package mcp. Install it: pip install 'vstack[mcp]'.\n"


def test_the_end_of_input_ends_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "vstack", "mcp", "--root", str(tmp_path)]
    ended = subprocess.run(command, input="not json\n", capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 0 and "Traceback" not in ended.stderr
