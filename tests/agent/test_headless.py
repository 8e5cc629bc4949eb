"""`vstack agent` with the real SDK against a server that speaks the Messages API: tools, faults, budgets, resumption."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import click
import pytest

from tests.agent.messages_api import Fail, FailInside, Say, Script, serving
from vstack.cli import main_group, report_error
from vstack.errors import VstackError
from vstack.specify.scaffold import write_project

pytest.importorskip("anthropic")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The starting project, in a folder of its own."""
    write_project(tmp_path / "work", "work")
    return tmp_path / "work"


@dataclass
class Ended:
    """How a command ended, by itself or in this process."""

    returncode: int
    stdout: str
    stderr: str


def environment(script: Script | None, key: str | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC")}
    return kept | ({"ANTHROPIC_BASE_URL": script.url} if script else {}) | ({"ANTHROPIC_API_KEY": key} if key else {})


def agent(script: Script | None, root: Path, *arguments: str, key: str | None = "secret-key") -> Ended:
    """Run the command here, where the SDK is imported already."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, environment(script, key), clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            code = main_group.main(["agent", "--root", str(root), *arguments], standalone_mode=False)
        except VstackError as error:
            code = report_error(error)
        except click.UsageError as error:
            error.show()
            code = 2
    return Ended(code, out.getvalue(), err.getvalue())


def agent_alone(script: Script, root: Path, *arguments: str) -> Ended:
    """Run the command in a process of its own."""
    command = [sys.executable, "-P", "-m", "vstack", "agent", "--root", str(root), *arguments]
    env = environment(script, "secret-key")
    ended = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def results(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool results in the last message of a request."""
    return [block for block in request["messages"][-1]["content"] if block["type"] == "tool_result"]


def test_a_task_is_done_with_verbs_and_files(project: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    with serving(
        Say(
            "I look.", (("spec_show", {"goal": "Isolation"}), ("read_file", {"path": "model/Handover.tla", "last": 3}))
        ),
        Say("", (("verify", {"variant": "before", "environment": "aborts", "goal": ["Isolation"], "wait": 60}),)),
        Say("", (("edit_file", {"path": "model/Handover.tla", "old": "EXTENDS Goals", "new": "EXTENDS  Goals"}),)),
        Say("It holds, believe me."),
    ) as script:
        ended = agent_alone(script, project, "look at Isolation", "--transcript", str(transcript))
    assert ended.returncode == 0, ended.stderr
    shown, read = results(script.requests[1])
    assert "A transfer that is on its way writes only to a page of its own request" in shown["content"]
    assert "MODULE Handover" in read["content"]
    (verified,) = results(script.requests[2])
    answer = json.loads(verified["content"])
    assert (answer["exit_code"], answer["meaning"]) == (1, "violated, refused or not as expected")
    assert answer["data"][0]["verdict"] == "violated" and answer["data"][0]["violated"] == "Isolation"
    assert "EXTENDS  Goals" in (project / "model" / "Handover.tla").read_text()
    # The model's word is shown as its word; the harness's stands beside it, with what it no longer covers.
    assert "The model's own words, which decide nothing:\nIt holds, believe me." in ended.stdout
    assert "violated, refused or not as expected; files were changed after that" in ended.stdout
    assert [line["kind"] for line in lines(transcript)] == [
        "start", "user", "assistant", "tool", "tool", "assistant", "tool", "assistant", "tool", "assistant", "end",
    ]  # fmt: skip
    assert "secret-key" not in transcript.read_text()
    assert set(script.keys) == {"Bearer secret-key"}


def test_there_is_no_approval_no_shell_and_no_driving_unless_given(project: Path) -> None:
    with serving(Say("", (("spec_approve", {"yes": True}), ("bash", {"command": "id"}))), Say("Well.")) as script:
        assert agent(script, project, "approve it", "--json").returncode == 0
    names = {tool["name"] for tool in script.requests[0]["tools"]}
    assert {"check", "spec_draft", "status", "write_file"} <= names
    assert not names & {"spec_approve", "bash", "reproduce", "read_code", "mcp", "agent"}
    for result in results(script.requests[1]):
        assert result["is_error"] and "There is no tool" in result["content"]
    properties = {name for tool in script.requests[0]["tools"] for name in tool["input_schema"]["properties"]}
    assert not properties & {"java", "jar", "python", "prepare", "repo", "fetch", "detach"}


def test_faults_of_the_service_are_asked_again_and_written_down(project: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    at_once = (("retry-after", "0"),)
    with serving(
        Say("half of a rep", cut=4),
        FailInside("overloaded_error"),
        Fail(429, "rate_limit_error", "slow down", at_once),
        Fail(529, "overloaded_error", "busy", at_once),
        Say("Done."),
    ) as script:
        ended = agent(script, project, "say something", "--transcript", str(transcript))
    assert ended.returncode == 0, ended.stderr
    assert len(script.requests) == 5
    assert all(request["messages"] == script.requests[0]["messages"] for request in script.requests)
    faults = [line["fault"] for line in lines(transcript) if line["kind"] == "fault"]
    assert len(faults) == 4 and faults[2:] == ["429: slow down", "529: busy"]
    assert "half of a rep" not in transcript.read_text()
    assert "asking again" in ended.stderr


def test_a_service_that_keeps_failing_ends_the_run_and_it_can_be_resumed(project: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    at_once = (("retry-after", "0"),)
    with serving(Say("", (("list_files", {}),)), *[Fail(529, "overloaded_error", "busy", at_once)] * 6) as script:
        ended = agent(script, project, "list", "--transcript", str(transcript))
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith(
        "Error: The Messages API could not answer, after 6 tries; the last one came to 529: busy"
    )
    assert str(transcript) in ended.stderr and "Traceback" not in ended.stderr
    with serving(Say("There they are.")) as script:
        resumed = agent(script, project, "--resume", str(transcript))
    assert resumed.returncode == 0, resumed.stderr
    (listed,) = results(script.requests[0])
    assert "model/Handover.tla" in listed["content"]
    with serving() as script:
        again = agent(script, project, "--resume", str(transcript))
    assert again.returncode == 2 and "nothing is left to resume" in again.stderr and not script.requests


def test_a_run_killed_between_a_call_and_its_result_says_so_to_the_model(project: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    with serving(Say("", (("list_files", {}), ("list_files", {"folder": "goals"}))), Say("Ended.")) as script:
        agent(script, project, "list", "--transcript", str(transcript))
    kept = transcript.read_text().splitlines(keepends=True)[:4]  # start, user, assistant, the first result
    transcript.write_text("".join(kept) + '{"kind": "tool", "na')
    with serving(Say("I look again.")) as script:
        assert agent(script, project, "--resume", str(transcript)).returncode == 0
    first, second = results(script.requests[0])
    assert "is_error" not in first and "goals/Goals.tla" in first["content"]
    assert second["is_error"] and "not known whether this ran" in second["content"]
    assert [line["kind"] for line in lines(transcript)][3:] == ["tool", "assistant", "end"]


def test_budgets_of_tokens_and_of_time_end_a_run(project: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    spend = Say("", (("list_files", {}),), read=900, written=100)
    with serving(spend, spend, spend) as script:
        ended = agent(script, project, "list", "--tokens", "2100", "--transcript", str(transcript), "--json")
    assert ended.returncode == 3
    told = json.loads(ended.stdout)
    assert (told["ended"], told["tokens"]) == ("tokens", {"read": 1800, "written": 200})
    assert [request["max_tokens"] for request in script.requests] == [2100, 1100]
    with serving(Fail(429, "rate_limit_error", headers=(("retry-after", "30"),))) as script:
        late = agent(script, project, "--resume", str(transcript), "--seconds", "5", "--json")
    assert late.returncode == 3 and json.loads(late.stdout)["ended"] == "time"


def test_a_reply_that_was_cut_off_is_gone_on_with(project: Path) -> None:
    with serving(
        Say("a long wo", stop="max_tokens"),
        Say("", (("list_files", {}), ("write_file", {"path": "model/X.tla", "text": "cut"})), stop="max_tokens"),
        Say("Done."),
    ) as script:
        assert agent(script, project, "write").returncode == 0
    assert script.requests[1]["messages"][-1]["content"][0]["text"].startswith("Your reply was cut off")
    whole, cut = results(script.requests[2])
    assert "is_error" not in whole
    assert cut["is_error"] and "not carried out" in cut["content"]
    assert not (project / "model" / "X.tla").exists()


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, "authentication_error", "Set ANTHROPIC_API_KEY"),
        (404, "not_found_error", "--model"),
        (400, "invalid_request_error", "Mend"),
    ],
)
def test_what_the_service_refuses_is_not_asked_again(project: Path, status: int, kind: str, said: str) -> None:
    with serving(Fail(status, kind, "no")) as script:
        ended = agent(script, project, "anything", "--quiet")
    assert ended.returncode == 2 and len(script.requests) == 1
    assert said in ended.stderr and len(ended.stderr.splitlines()) == 1


def test_a_missing_key_a_missing_folder_and_a_bad_transcript_are_errors(project: Path, tmp_path: Path) -> None:
    none = agent(None, project, "task", key=None)
    assert none.returncode == 2
    assert (
        none.stderr
        == "Error: No key for the Messages API: ANTHROPIC_API_KEY is not set. Set it, then run the command again.\n"
    )
    assert "There is no such folder" in agent(None, tmp_path / "nowhere", "task").stderr
    (tmp_path / "bad.jsonl").write_text("{}\n")
    assert "not a line of a transcript" in agent(None, project, "--resume", str(tmp_path / "bad.jsonl")).stderr
    assert "Give either a task" in agent(None, project).stderr


def test_nothing_that_a_verb_starts_sees_the_key(project: Path, tmp_path: Path) -> None:
    spy = tmp_path / "java"
    spy.write_text(f"#!/bin/sh\nenv > {tmp_path}/seen\nexit 1\n")
    spy.chmod(0o755)
    text = (project / "vstack.yaml").read_text() + f"tools: {{java: {spy}}}\n"
    (project / "vstack.yaml").write_text(text)
    with serving(Say("", (("verify", {"wait": 60}),)), Say("Ended.")) as script:
        assert agent_alone(script, project, "verify").returncode == 0
    seen = (tmp_path / "seen").read_text()
    assert "PATH=" in seen and "secret-key" not in seen
