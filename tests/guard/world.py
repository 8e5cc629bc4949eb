"""The guard as a host runs it: a process of its own, started by path, with a payload on standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
GUARD = ROOT / "vstack" / "guard" / "__main__.py"
COMMAND = [sys.executable, "-I", "-S", str(GUARD)]


def vstack(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """vstack's command line in ``folder``."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "vstack", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def git(folder: Path, *arguments: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
    """git in ``folder``, which must succeed unless it ``fails``."""
    identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "protocol.file.allow=always",
    ]
    ended = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode != 0) == fails, ended.stdout + ended.stderr
    return ended


def call(
    moment: str, payload: bytes | str | dict[str, Any], *, cwd: Path, host: str = "claude"
) -> subprocess.CompletedProcess[str]:
    """One call of the guard."""
    text = json.dumps(payload) if isinstance(payload, dict) else payload
    raw = text.encode() if isinstance(text, str) else text
    environment = {key: value for key, value in os.environ.items() if not key.endswith("PROJECT_DIR")}
    ended = subprocess.run(
        [*COMMAND, moment, "--host", host], cwd=cwd, env=environment, input=raw, capture_output=True, check=False
    )
    return subprocess.CompletedProcess(ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def denied(ended: subprocess.CompletedProcess[str]) -> str | None:
    """The reason of a denial, or None; a call that neither denies nor passes cleanly fails the test."""
    if ended.returncode == 2:
        assert ended.stderr.startswith("vstack guard: "), ended.stderr
        assert "Traceback" not in ended.stderr
        return ended.stderr
    assert ended.returncode == 0, ended.stderr
    if not ended.stdout.strip():
        return None
    answer = json.loads(ended.stdout)
    if "permission" in answer:
        return str(answer["agent_message"]) if answer["permission"] == "deny" else None
    decision = answer["hookSpecificOutput"]
    assert decision["permissionDecision"] == "deny" and decision["hookEventName"] == "PreToolUse"
    return str(decision["permissionDecisionReason"])


def edits(path: Path | str, tool: str = "Edit") -> dict[str, Any]:
    """What Claude Code sends before an edit."""
    return {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": {"file_path": str(path), "old_string": "a", "new_string": "b"},
    }


def runs(command: str) -> dict[str, Any]:
    """What Claude Code sends before a shell command."""
    return {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
