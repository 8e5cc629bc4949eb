"""After a tool and at stop: what any program did to pinned files is found by their bytes, told once, and can be mended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.guard.world import call, git, runs, vstack
from vstack.guard.index import stat_of
from vstack.guard.watch import look


def told(project: Path, moment: str, session: str = "s", host: str = "claude") -> str:
    """What the guard says at a moment; empty where it says nothing."""
    ended = call(moment, {"session_id": session, "cwd": str(project)}, cwd=project, host=host)
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout or "{}")
    return str(
        answer.get("reason")
        or answer.get("followup_message")
        or answer.get("systemMessage")
        or answer.get("agent_message")
        or ""
    )


def blocks(project: Path, session: str = "s", host: str = "claude") -> bool:
    """Whether a stop is refused."""
    answer = json.loads(call("stop", {"session_id": session}, cwd=project, host=host).stdout or "{}")
    return answer.get("decision") == "block" or "followup_message" in answer


def test_an_untouched_project_is_passed_over_in_silence(project: Path) -> None:
    assert told(project, "post") == "" and told(project, "stop") == ""
    (project / "model" / "Handover.tla").open("a").write("\\* a note below the module\n")
    assert told(project, "post") == "" and told(project, "stop") == ""


@pytest.mark.parametrize("name", ["goals/Goals.tla", "vstack.lock", "vstack.approvers"])
def test_a_change_by_any_program_is_found_and_the_command_restores_it(project: Path, name: str) -> None:
    with (project / name).open("a") as stream:
        stream.write("# x\n")
    reason = told(project, "post")
    assert name in reason and "restore it with `" in reason
    command = reason.partition("restore it with `")[2].partition("`")[0]
    assert call("pre", runs(command), cwd=project).stdout == "", "the guard denies what it advises"
    subprocess.run(command, shell=True, cwd=project, check=True)
    assert told(project, "stop", "t") == ""


def test_one_state_is_told_once_and_stops_once_a_session(project: Path) -> None:
    goals = project / "goals" / "Goals.tla"
    goals.write_text("weaker")
    assert told(project, "post") and not told(project, "post")
    assert blocks(project) and not blocks(project)
    assert "Goals.tla" in told(project, "stop"), "a person is told each time"
    assert blocks(project, host="cursor", session="another")
    goals.write_text("weaker still")
    assert blocks(project) and not blocks(project)


def test_a_stop_ends_even_where_nothing_can_be_noted(project: Path) -> None:
    (project / "goals" / "Goals.tla").write_text("weaker")
    (project / ".vstack" / "guard-told").write_text("a file where a folder should be")
    assert not blocks(project)
    assert "Goals.tla" in told(project, "stop")


def test_a_deleted_file_and_a_removed_folder_are_found(project: Path) -> None:
    (project / "goals" / "Goals.tla").unlink()
    assert "is gone" in told(project, "post")
    (project / "goals").rmdir()
    assert "is gone" in told(project, "stop")


def test_stat_alone_does_not_decide_at_stop(project: Path) -> None:
    # The index says that the file has not been touched: after a tool that is believed, at stop it is not.
    goals = project / "goals" / "Goals.tla"
    assert told(project, "post") == ""
    before = goals.stat()
    goals.write_bytes(goals.read_bytes().replace(b"page = transfer", b"page = 'ransfer"))
    os.utime(goals, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "Goals.tla" in told(project, "post"), "the time of the inode tells, whatever the file's own says"
    index = project / ".vstack" / "guard-index.json"
    data = json.loads(index.read_text())
    data["files"]["goals/Goals.tla"][1] = stat_of(str(goals))
    index.write_text(json.dumps(data))
    assert told(project, "post", "t") == ""
    assert "Goals.tla" in told(project, "stop")


def test_the_same_bytes_written_again_are_no_change(project: Path) -> None:
    goals = project / "goals" / "Goals.tla"
    raw = goals.read_bytes()
    goals.unlink()
    goals.write_bytes(raw)
    assert told(project, "post") == "" and told(project, "stop") == ""


def test_a_pinned_definition_of_the_model_that_changes_is_told(project: Path) -> None:
    model = project / "model" / "Handover.tla"
    text = model.read_text()
    lock = (project / "vstack.lock").read_text()
    assert "Handover!Init" in lock
    line = next(line for line in text.splitlines() if line.startswith("Init =="))
    model.write_text(text.replace(line, line + " /\\ TRUE"))
    assert "Handover!Init" in told(project, "post")
    model.write_text(text.replace(line, line.replace("Init ==", "Init  ==")))
    assert told(project, "post") == "", "layout is no change"


def test_changed_sections_of_the_project_are_named_at_stop_and_block_nothing(project: Path) -> None:
    place = project / "vstack.yaml"
    text = place.read_text()
    place.write_text("# a comment\n" + text.replace("software_keys: false", "software_keys: true"))
    assert told(project, "post") == ""
    assert not blocks(project)
    said = told(project, "stop")
    assert "policy" in said and "goals" not in said.partition("approval:")[2]
    place.write_text("# a comment\n" + text)
    assert told(project, "stop") == ""


def test_an_approval_and_a_branch_switch_are_no_tampering(project: Path) -> None:
    # A person approves another goal on a branch; going there and back is silent, and so is the approval.
    git(project, "checkout", "-q", "-b", "work")
    goals = project / "goals" / "Goals.tla"
    goals.write_text(goals.read_text().replace("page = transfer", "transfer = page"))
    assert vstack(project, "spec", "approve", "--demo", "--yes").returncode == 0
    assert told(project, "post", "a") == "" and told(project, "stop", "a") == ""
    git(project, "commit", "-q", "-a", "-m", "approved")
    for branch in ("main", "work", "main"):
        git(project, "checkout", "-q", branch)
        assert told(project, "post", branch) == "", branch
        assert told(project, "stop", branch) == "", branch


def test_an_unapproved_goal_that_was_committed_is_told_all_the_same(project: Path) -> None:
    goals = project / "goals" / "Goals.tla"
    goals.write_text(goals.read_text().replace("page = transfer", "TRUE"))
    git(project, "commit", "-q", "--no-verify", "-a", "-m", "weaker")
    assert "Goals.tla" in told(project, "post")
    (project / ".vstack" / "guard-index.json").unlink()
    assert "Goals.tla" in told(project, "stop")


def test_a_lock_changed_while_no_index_stood_is_told(project: Path) -> None:
    (project / ".vstack" / "guard-index.json").unlink()
    lock = project / "vstack.lock"
    lock.write_text(lock.read_text().replace("sequence: 1", "sequence: 2"))
    assert "vstack.lock" in told(project, "post")
    assert "vstack.lock" in told(project, "stop")


def test_a_damaged_lock_is_told(project: Path) -> None:
    lock = project / "vstack.lock"
    lock.write_bytes(lock.read_bytes().replace(b"\n", b"\r\n"))
    assert "CRLF" in told(project, "post")
    assert "CRLF" in told(project, "stop")


@pytest.mark.parametrize("payload", [b"", b"nonsense"])
def test_a_payload_that_is_not_understood_is_said_and_stops_nobody_for_ever(project: Path, payload: bytes) -> None:
    ended = call("post", payload, cwd=project)
    assert ended.returncode == 2 and "spec check" in ended.stderr
    ended = call("stop", payload, cwd=project)
    assert ended.returncode == 0 and "spec check" in json.loads(ended.stdout)["systemMessage"]


def test_every_project_of_the_repository_is_looked_at(project: Path) -> None:
    second = project / "second"
    for name in ("goals", "model", "vstack.yaml", "vstack.lock", "vstack.approvers"):
        subprocess.run(
            ["cp", "-r", str(project / name), f"{second}/"] if second.mkdir(exist_ok=True) is None else [], check=True
        )
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "second")
    assert look([str(project)], every_byte=True) == ()
    (second / "goals" / "Goals.tla").write_text("weaker")
    found = look([str(project)], every_byte=True)
    assert [Path(one.root).name for one in found] == ["second"]


def test_a_project_without_a_lock_is_left_as_it_is(project: Path) -> None:
    (project / "vstack.lock").unlink()
    git(project, "commit", "-q", "-a", "-m", "no lock")
    shutil.rmtree(project / ".vstack")
    assert told(project, "stop") == "" and told(project, "post") == ""
    assert not (project / ".vstack").exists()
