"""The hook as hosts call it: denials, honest edits, bad payloads, and every path that leads to a pinned file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.guard.world import COMMAND, GUARD, ROOT, call, denied, edits, git, runs, vstack


@pytest.mark.parametrize(
    "name",
    [
        "goals/Goals.tla",
        "vstack.lock",
        "vstack.approvers",
        ".vstack/report.json",
        ".vstack/evidence/ab/cd.json",
        ".git/hooks/pre-commit",
        ".claude/settings.json",
        ".cursor/hooks.json",
        "./model/../goals/Goals.tla",
        "GOALS/goals.TLA",
        "Vstack.Lock",
        str(GUARD),
        str(ROOT / "hooks" / "hooks.json"),
    ],
)
@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_an_edit_of_what_is_protected_is_denied(project: Path, name: str, tool: str) -> None:
    assert denied(call("pre", edits(name, tool), cwd=project))
    assert denied(call("pre", edits(project / name, tool), cwd=project.parent))


@pytest.mark.parametrize(
    "name",
    [
        "model/Handover.tla",
        "model/New.tla",
        "vstack.yaml",
        "README.md",
        "reproduce/driver.py",
        "traces/one.ndjson",
        ".claude/notes.md",
    ],
)
def test_an_honest_edit_passes_in_silence(project: Path, name: str) -> None:
    # Silence: `allow` would leave out the user's own prompts.
    ended = call("pre", edits(name), cwd=project)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_reason_tells_the_honest_way(project: Path) -> None:
    reason = denied(call("pre", edits("goals/Goals.tla"), cwd=project))
    assert reason and "spec draft" in reason and "spec approve" in reason and "goals/Goals.tla" in reason


def test_settings_that_run_vstack_are_a_persons(project: Path) -> None:
    workflows = project / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "check.yml").write_text("run: vstack ci --base origin/main\n")
    (workflows / "lint.yml").write_text("run: ruff check\n")
    assert denied(call("pre", edits(workflows / "check.yml"), cwd=project))
    assert denied(call("pre", edits(workflows / "lint.yml"), cwd=project)) is None


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"   \n",
        b"not json",
        b"[]",
        b'"x"',
        b'{"tool_name": "Edit", ',
        b'{"a": 1} {"b": 2}',
        b"\xff\xfe\x00",
        b"{}",
        b'{"tool_name": 5}',
        b'{"tool_name": "Bash", "tool_input": {"command": 5}}',
        b'{"tool_name": "Bash", "tool_input": {}}',
        b'{"tool_name": "Edit", "tool_input": {}}',
        b'{"hook_event_name": "preToolUse"}',
        b"\xc3\x28",
        b"[" * 200_000,
        b'{"tool_input": {"file_path": "goals/Goals.tla\\u0000"}}',
        b" " * ((64 << 20) + 1),
    ],
    ids=["empty", "blank", "text", "list", "string", "cut", "two", "utf16", "object", "name", "command", "shell", "edit", "event", "bytes", "deep", "nul", "huge"],
)
@pytest.mark.parametrize("host", ["claude", "cursor"])
def test_what_is_not_understood_is_denied(project: Path, payload: bytes, host: str) -> None:
    ended = call("pre", payload, cwd=project, host=host)
    assert denied(ended), "let through"
    assert ended.returncode == 2


@pytest.mark.parametrize(
    "payload",
    [
        b"\xef\xbb\xbf" + json.dumps(edits("goals/Goals.tla")).encode(),
        json.dumps(edits("goals/Goals.tla")).encode("utf-16"),
        {"tool_input": {"file_path": "goals/Goals.tla"}},
        {"tool_name": "write_file", "tool_input": {"path": "goals/Goals.tla", "content": "x"}},
        {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "goals/Goals.tla"}},
        {"tool_name": "Edit", "tool_input": json.dumps({"file_path": "goals/Goals.tla"})},
        {"tool_name": "Edit", "tool_input": {"file_path": "file://{project}/goals/Goals.tla"}},
        {"tool_name": "Write", "tool_input": {"file_path": "goals/Goals.tla", "content": "x" * 5_000_000}},
        {"tool_name": "mcp__files__write_file", "tool_input": {"path": "goals/Goals.tla"}},
        {"tool_name": "mcp__files__move_file", "tool_input": {"source": "goals/Goals.tla", "destination": "x"}},
        {"tool_name": "mcp__shell__run", "tool_input": {"command": ["bash", "-c", "rm goals/Goals.tla"]}},
        {"tool_name": "Some", "tool_input": {"edits": [{"file": "README.md"}, {"file": "goals/Goals.tla"}]}},
        {"path": "goals/Goals.tla", "content": "x"},
        {"tool_name": "Delete", "tool_input": {"file_path": "goals"}},
        {"tool_name": "mcp__files__move_file", "tool_input": {"source": "goals", "destination": "x"}},
        {"tool_name": "Shell", "tool_input": {"command": "rm Goals.tla", "working_directory": "{project}/goals"}},
        {
            "tool_name": "Write",
            "tool_input": {"path": "goals/Goals.tla"},
            "cwd": "{project}/model",
            "workspace_roots": ["{project}"],
        },
        {
            "hook_event_name": "beforeMCPExecution",
            "tool_name": "write_file",
            "tool_input": json.dumps({"path": "goals/Goals.tla"}),
            "command": "npx server",
        },
        {"command": "rm goals/Goals.tla", "cwd": "{project}"},
        {
            "tool_name": "apply_patch",
            "tool_input": {"input": "*** Begin Patch\n*** Delete File: goals/Goals.tla\n*** End Patch"},
        },
        b"*** Begin Patch\n*** Update File: goals/Goals.tla\n@@\n*** End Patch\n",
        b"--- a/goals/Goals.tla\n+++ b/goals/Goals.tla\n@@ -1 +1 @@\n",
    ],
)
def test_payloads_of_other_shapes_are_understood(project: Path, payload: object) -> None:
    if isinstance(payload, dict):
        payload = json.loads(json.dumps(payload).replace("{project}", str(project)))
    assert denied(call("pre", payload, cwd=project))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "payload",
    [
        {"tool_name": "Read", "tool_input": {"file_path": "goals/Goals.tla"}},
        {"tool_name": "Grep", "tool_input": {"path": "goals", "pattern": "x"}},
        {"tool_name": "mcp__files__read_file", "tool_input": {"path": "goals/Goals.tla"}},
        {
            "hook_event_name": "beforeMCPExecution",
            "tool_name": "read_file",
            "tool_input": json.dumps({"path": "goals/Goals.tla"}),
        },
        {"tool_name": "Delete", "tool_input": {"file_path": "model/Old.tla"}},
        {"tool_name": "mcp__vstack__spec_draft", "tool_input": {"path": "goals/Goals.tla"}},
        {
            "tool_name": "Write",
            "tool_input": {"file_path": "notes.md", "content": "*** Begin Patch\n*** Update File: goals/Goals.tla"},
        },
        {"tool_name": "Write", "tool_input": {"file_path": "big.txt", "content": "x" * 5_000_000}},
        b"*** Begin Patch\n*** Update File: model/Handover.tla\n*** End Patch\n",
    ],
)
def test_reading_and_honest_payloads_pass(project: Path, payload: object) -> None:
    assert denied(call("pre", payload, cwd=project)) is None  # type: ignore[arg-type]


def test_links_lead_to_the_pinned_file(project: Path) -> None:
    (project / "alias.tla").symlink_to("goals/Goals.tla")
    (project / "folder").symlink_to("goals")
    os.link(project / "goals" / "Goals.tla", project / "hard.tla")
    for name in ("alias.tla", "folder/Goals.tla", "hard.tla", "folder/../goals/Goals.tla"):
        assert denied(call("pre", edits(name), cwd=project)), name
    (project / "other.tla").symlink_to("model/Handover.tla")
    assert denied(call("pre", edits("other.tla"), cwd=project)) is None


def test_a_pinned_file_that_became_a_link_is_pinned_still(project: Path) -> None:
    goals = project / "goals" / "Goals.tla"
    goals.rename(project / "model" / "Away.tla")
    goals.symlink_to("../model/Away.tla")
    assert denied(call("pre", edits("goals/Goals.tla"), cwd=project))
    assert denied(call("pre", edits("model/Away.tla"), cwd=project))


def test_a_module_that_would_be_read_instead_of_a_pinned_one_is_denied(project: Path) -> None:
    # SANY looks in the folder of the model before the others.
    assert denied(call("pre", edits("model/Goals.tla", "Write"), cwd=project))
    assert denied(call("pre", runs("cp goals/Goals.tla model/"), cwd=project))
    assert denied(call("pre", edits("notes/Goals.tla", "Write"), cwd=project)) is None
    assert denied(call("pre", edits("model/MyGoals.tla", "Write"), cwd=project)) is None
    shutil.copy(project / "goals" / "Goals.tla", project / "model" / "Goals.tla")
    assert "read instead of the pinned goals/Goals.tla" in call("post", runs("python x.py"), cwd=project).stdout


def test_names_in_another_unicode_form_are_the_same(project: Path) -> None:
    # The lock pins a module in a folder whose name has an accent; its decomposed spelling is no way round.
    lock = (project / "vstack.lock").read_text()
    composed = unicodedata.normalize("NFC", "zi\u00e9le/Goals.tla")
    (project / "vstack.lock").write_text(lock.replace("goals/Goals.tla", composed))
    (project / "zi\u00e9le").mkdir()
    shutil.copy(project / "goals" / "Goals.tla", project / composed)
    for form in ("NFC", "NFD"):
        for name in (composed, composed.upper()):
            assert denied(call("pre", edits(unicodedata.normalize(form, name)), cwd=project)), (form, name)
    assert denied(call("pre", edits("zi\u00e9le/Other.tla"), cwd=project)) is None


def test_a_file_that_was_deleted_and_made_anew_is_pinned_still(project: Path) -> None:
    goals = project / "goals" / "Goals.tla"
    goals.unlink()
    assert denied(call("pre", edits("goals/Goals.tla", "Write"), cwd=project))
    goals.write_text("new")
    assert denied(call("pre", edits("goals/Goals.tla"), cwd=project))


def test_a_renamed_folder_takes_its_project_along(project: Path) -> None:
    shutil.rmtree(project / ".vstack")
    moved = project / "moved"
    moved.mkdir()
    for name in ("goals", "model", "vstack.yaml", "vstack.lock", "vstack.approvers"):
        (project / name).rename(moved / name)
    assert denied(call("pre", edits("moved/goals/Goals.tla"), cwd=project))
    assert denied(call("pre", runs("rm moved/goals/Goals.tla"), cwd=project))
    assert denied(call("pre", edits("moved/model/Handover.tla"), cwd=project)) is None


def test_worktrees_and_submodules_are_guarded_as_well(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"), "HEAD")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", str(project), "inner")
    for folder in (tmp_path / "tree", outer / "inner"):
        for cwd in (folder, tmp_path, outer):
            assert denied(call("pre", edits(folder / "goals" / "Goals.tla"), cwd=cwd)), (folder, cwd)
            assert denied(call("pre", runs(f"sed -i s/a/b/ {folder}/goals/Goals.tla"), cwd=cwd)), (folder, cwd)
            assert denied(call("pre", edits(folder / "model" / "Handover.tla"), cwd=cwd)) is None
    # A worktree shares the hooks of its repository.
    assert denied(call("pre", edits(project / ".git" / "hooks" / "pre-commit"), cwd=tmp_path / "tree"))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda raw: raw.replace(b"\n", b"\r\n"), "CRLF"),
        (lambda raw: raw.replace(b"pins:\n", b"<<<<<<< HEAD\npins:\n=======\n>>>>>>> x\n"), "conflict markers"),
        (lambda raw: raw[: len(raw) // 2] + b"\n'", "not as vstack wrote it"),
        (lambda raw: b"\xff" + raw, "not UTF-8"),
    ],
)
@pytest.mark.parametrize("indexed", [True, False])
def test_a_damaged_lock_is_said_and_nothing_pinned_gets_through(
    project: Path, damage: object, words: str, indexed: bool
) -> None:
    lock = project / "vstack.lock"
    lock.write_bytes(damage(lock.read_bytes()))  # type: ignore[operator]
    if not indexed:
        shutil.rmtree(project / ".vstack")
    for name in ("goals/Goals.tla", "goals/New.tla") if not indexed else ("goals/New.tla",):
        reason = denied(call("pre", edits(name), cwd=project))
        assert reason and words in reason
    assert denied(call("pre", edits("goals/Goals.tla"), cwd=project))
    assert denied(call("pre", edits("README.md"), cwd=project)) is None
    assert denied(call("pre", edits("vstack.yaml"), cwd=project)) is None
    assert denied(call("pre", runs("git checkout HEAD -- vstack.lock"), cwd=project)) is None
    assert denied(call("pre", runs("echo x > vstack.lock"), cwd=project))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 1, "files": {"vstack.lock": 3}}', '{"format": 99}']
)
def test_a_damaged_index_is_made_anew(project: Path, text: str) -> None:
    index = project / ".vstack" / "guard-index.json"
    index.write_text(text)
    assert denied(call("pre", edits("goals/Goals.tla"), cwd=project))
    assert json.loads(index.read_text())["files"]["goals/Goals.tla"]


def test_a_state_folder_that_cannot_be_written_changes_nothing(project: Path) -> None:
    shutil.rmtree(project / ".vstack")
    (project / ".vstack").write_text("a file")
    assert denied(call("pre", edits("goals/Goals.tla"), cwd=project))
    assert denied(call("pre", edits("model/Handover.tla"), cwd=project)) is None


def test_without_a_project_nothing_is_denied_but_what_approves(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert denied(call("pre", edits("goals/Goals.tla"), cwd=tmp_path)) is None
    assert denied(call("pre", runs("git commit --no-verify -m x"), cwd=tmp_path)) is None
    assert denied(call("pre", edits("vstack.lock", "Write"), cwd=tmp_path))


def test_several_projects_of_a_repository_are_known_from_its_top(project: Path) -> None:
    second = project / "cases" / "second"
    second.mkdir(parents=True)
    shutil.copytree(project / "goals", second / "goals")
    shutil.copytree(project / "model", second / "model")
    for name in ("vstack.yaml", "vstack.lock", "vstack.approvers"):
        shutil.copy(project / name, second / name)
    (project / ".git" / "vstack-projects.json").unlink()
    assert denied(call("pre", runs("find . -name 'Goals.tla' -delete"), cwd=project))
    listed = json.loads((project / ".git" / "vstack-projects.json").read_text())["projects"]
    assert sorted(listed) == [".", "cases/second"]
    assert denied(call("pre", runs("cd cases/second && rm -r goals"), cwd=project))


def test_cursor_is_answered_in_its_own_words(project: Path) -> None:
    ended = call(
        "pre",
        {"hook_event_name": "beforeShellExecution", "command": "rm goals/Goals.tla", "cwd": str(project)},
        cwd=project,
        host="cursor",
    )
    answer = json.loads(ended.stdout)
    assert answer["permission"] == "deny" and answer["user_message"] and answer["agent_message"]
    ended = call("pre", {"command": "ls", "workspace_roots": [str(project)]}, cwd=project.parent, host="cursor")
    assert json.loads(ended.stdout) == {"permission": "allow"}
    ended = call("post", {"hook_event_name": "afterFileEdit", "file_path": "x"}, cwd=project, host="cursor")
    assert json.loads(ended.stdout) == {"permission": "allow"}
    assert call("stop", {"status": "completed", "loop_count": 0}, cwd=project, host="cursor").stdout.strip() == "{}"


def test_every_write_and_every_command_reaches_the_guard() -> None:
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"PreToolUse", "PostToolUse", "Stop"}
    for moment in ("PreToolUse", "PostToolUse"):
        (entry,) = hooks[moment]
        for tool in ("Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "mcp__files__write_file"):
            assert re.fullmatch(entry["matcher"], tool), (moment, tool)
        assert not re.fullmatch(entry["matcher"], "Read")
    (before,) = hooks["PreToolUse"][0]["hooks"]
    assert before["command"].endswith("|| exit 2") and before["onFailure"] == "block"
    cursor = json.loads((ROOT / "hooks" / "hooks-cursor.json").read_text())
    assert cursor["version"] == 1
    for moment in ("preToolUse", "beforeShellExecution", "beforeMCPExecution"):
        (before,) = cursor["hooks"][moment]
        assert before["failClosed"] is True and before["command"].endswith("pre --host cursor || exit 2")
    assert {"afterFileEdit", "afterShellExecution", "stop"} < set(cursor["hooks"])


def test_both_hosts_may_call_at_once(project: Path) -> None:
    shutil.rmtree(project / ".vstack")

    def one(number: int) -> bool:
        host = ("claude", "cursor")[number % 2]
        if number % 4 < 2:
            return bool(denied(call("pre", edits("goals/Goals.tla"), cwd=project, host=host)))
        return denied(call("pre", edits("model/Handover.tla"), cwd=project, host=host)) is None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(24)))
    json.loads((project / ".vstack" / "guard-index.json").read_text())
    assert not list((project / ".vstack").glob("*.tmp"))


def test_a_fault_of_the_guard_denies(project: Path) -> None:
    # A folder where the lock should be: reading it is an error that nobody foresaw.
    shutil.rmtree(project / ".vstack")
    (project / "vstack.lock").unlink()
    (project / "vstack.lock").mkdir()
    assert denied(call("pre", edits("goals/Goals.tla"), cwd=project))
    ended = subprocess.run([*COMMAND, "pre", "--host", "nobody"], input=b"{}", capture_output=True, check=False)
    assert ended.returncode == 2 and b"usage" in ended.stderr


def test_a_closed_standard_output_does_not_let_through(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*COMMAND, "pre", "--host", "claude"],
        cwd=project,
        input=json.dumps(edits("goals/Goals.tla")).encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert ended.returncode == 2


def test_it_runs_from_a_copy_of_the_plugin_with_nothing_installed(project: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(ROOT / "hooks", plugin / "hooks")
    for name in ("guard", "errors.py", "files.py", "__init__.py"):
        source = ROOT / "vstack" / name
        (shutil.copytree if source.is_dir() else shutil.copy)(
            source, plugin / "vstack" / name
        ) if name == "guard" else None
        if not source.is_dir():
            shutil.copy(source, plugin / "vstack" / name)
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "CLAUDE_PLUGIN_ROOT": str(plugin)}
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    for payload, expected in ((edits("goals/Goals.tla"), True), (edits("model/Handover.tla"), False)):
        (entry,) = hooks["PreToolUse"]
        command = entry["hooks"][0]["command"]
        ended = subprocess.run(
            ["sh", "-c", command],
            cwd=project,
            env=environment,
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            check=False,
        )
        assert bool(denied(ended)) is expected
    cursor = json.loads((plugin / "hooks" / "hooks-cursor.json").read_text())["hooks"]["preToolUse"][0]["command"]
    for name in ("CURSOR_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"):
        environment = {"PATH": environment["PATH"], name: str(plugin)}
        ended = subprocess.run(
            ["sh", "-c", cursor],
            cwd=project,
            env=environment,
            input=json.dumps(edits("goals/Goals.tla")),
            capture_output=True,
            text=True,
            check=False,
        )
        assert json.loads(ended.stdout)["permission"] == "deny"
    # No python3, no guard: then the tool is not run either.
    tools = tmp_path / "bin"
    tools.mkdir()
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=project,
        env={"PATH": str(tools), "CLAUDE_PLUGIN_ROOT": str(plugin)},
        input="{}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2


def test_only_the_standard_library_is_loaded(project: Path) -> None:
    for payload in (edits("model/Handover.tla"), runs("git status | head")):
        ended = subprocess.run(
            [sys.executable, "-X", "importtime", *COMMAND[1:], "pre", "--host", "claude"],
            cwd=project,
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = {line.split("|")[-1].strip() for line in ended.stderr.splitlines()}
        assert "vstack.guard.protect" in loaded
        assert not loaded & {
            "click",
            "pydantic",
            "yaml",
            "git",
            "rich",
            "vstack.cli",
            "vstack.project",
            "re",
            "typing",
            "subprocess",
            "dataclasses",
        }


def test_what_spec_draft_writes_is_the_harness_own_work(project: Path) -> None:
    ended = vstack(project, "spec", "draft", "Quiet", "--english", "x", "--formula", "page = page")
    assert ended.returncode == 0, ended.stderr
    assert call("post", runs("vstack spec draft"), cwd=project).stdout == ""
    note = json.loads(call("stop", {"session_id": "s"}, cwd=project).stdout)
    assert "decision" not in note and "draft" in note["systemMessage"] and "goals" in note["systemMessage"]


@pytest.mark.parametrize("words", [["sed", "-i", "s/a/b/", "goals/Goals.tla"], ["tee", "goals/Goals.tla"]])
@pytest.mark.parametrize("key", ["args", "argv", "command"])
def test_a_list_of_words_is_a_command_line(project: Path, words: list[str], key: str) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": "mcp__shell__run", "tool_input": {key: words}}
    assert denied(call("pre", payload, cwd=project))
    honest = {**payload, "tool_input": {key: ["cat", "goals/Goals.tla"]}}
    assert denied(call("pre", honest, cwd=project)) is None


@pytest.mark.parametrize(
    ("given", "honest"),
    [
        ({"command": "rm", "args": ["goals/Goals.tla"]}, {"command": "wc", "args": ["goals/Goals.tla"]}),
        ({"code": "open('goals/Goals.tla', 'w')"}, {"code": "open('goals/Goals.tla').read()"}),
    ],
)
def test_a_call_in_parts_is_taken_as_one(project: Path, given: dict, honest: dict) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": "mcp__shell__run", "tool_input": given}
    assert denied(call("pre", payload, cwd=project))
    assert denied(call("pre", {**payload, "tool_input": honest}, cwd=project)) is None
