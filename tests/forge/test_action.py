"""The composite action: its own shell steps, run as GitHub would, without the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.specify.keys import make_key
from vstack.keep.bundle import NAMESPACE
from vstack.specify.sshkey import is_genuine
from vstack.specify.sshsig import parse_signature

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def run_step(name: str, folder: Path, **values: str) -> subprocess.CompletedProcess[str]:
    """One step's script with its `env`, an expression that ``values`` does not give being empty."""
    step = STEPS[name]
    defaults = {key: ACTION["inputs"].get(key.lower().replace("_", "-"), {}).get("default", "") for key in step.get("env", {})}
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "GITHUB_ENV": str(folder / "env"), "RUNNER_TEMP": str(folder)}
    return subprocess.run(
        ["bash", "-c", step["run"]], cwd=folder, env={**environ, **defaults, **values}, capture_output=True, text=True
    )


def test_every_step_names_its_shell_and_takes_inputs_through_the_environment() -> None:
    for step in STEPS.values():
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input inside a script is a script"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "no pull request"),
        ({"BASE": "main", "FETCH": "yes"}, "must be true or false"),
        ({"BASE": "main", "JOBS": "two"}, "must be a number"),
        ({"TRUSTED": "new", "BASE_REF": "main"}, "is not the target branch"),
        ({"BASE": "main", "FIRST_ADOPTION": "1"}, "the input first-adoption is '1'"),
    ],
)
def test_inputs_are_checked(tmp_path: Path, values: dict[str, str], said: str) -> None:
    ended = run_step("Find the base", tmp_path, **values)
    assert ended.returncode == 2 and ended.stdout.startswith("::error::vstack") and said in ended.stdout


def test_the_base_is_the_tip_of_the_target_branch(tmp_path: Path) -> None:
    def git(folder: Path, *arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    upstream, clone = tmp_path / "upstream", tmp_path / "clone"
    upstream.mkdir()
    git(upstream, "init", "-q", "-b", "main")
    git(upstream, "commit", "-q", "--allow-empty", "-m", "one")
    git(tmp_path, "clone", "-q", str(upstream), str(clone))
    git(upstream, "commit", "-q", "--allow-empty", "-m", "two")
    ended = run_step("Find the base", clone, BASE_REF="main")
    assert ended.returncode == 0, ended.stderr
    assert (clone / "env").read_text() == "VSTACK_BASE=origin/main\n"
    assert git(clone, "rev-parse", "origin/main") == git(upstream, "rev-parse", "main")


def test_the_command_gets_what_the_inputs_say(tmp_path: Path) -> None:
    """A program in the place of vstack writes its arguments down."""
    place = tmp_path / "vstack" / "bin" / "vstack"
    place.parent.mkdir(parents=True)
    place.write_text(f'#!{sys.executable}\nimport sys\nprint("\\n".join(sys.argv[1:]))\n')
    place.chmod(0o755)
    ended = run_step(
        "Check", tmp_path, VSTACK_BASE="origin/main", REPOS="a=/x y\nb=/z", FOLDERS="one two", FETCH="true", JOBS="3", FIRST_ADOPTION="true"
    )
    assert ended.returncode == 0, ended.stderr
    assert run_step("Check", tmp_path, VSTACK_BASE="HEAD", FOLDERS="", CACHE="/a b", TRUSTED="/new").stdout.splitlines()[4:8] == [
        "--cache", "/a b", "--trusted", "/new",
    ]  # fmt: skip
    assert run_step("Check", tmp_path, VSTACK_BASE="HEAD", SHARD="2/4", PARTS="p", JUNIT="j").stdout.splitlines()[4:] == [
        "--shard", "2/4", "--parts", "p", "--",
    ]  # fmt: skip
    assert ended.stdout.splitlines() == [
        "ci", "--base", "origin/main", "--quiet", "--repo", "a=/x y", "--repo", "b=/z", "--fetch", "--first-adoption",
        "--jobs", "3",
        "--sarif", "vstack.sarif", "--", "one", "two",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["templates/vstack.workflow.yml", ".github/workflows/vstack.yml"])
def test_workflows_parse_and_ask_for_little(path: str) -> None:
    workflow = yaml.safe_load((ROOT / path).read_text())
    assert workflow["permissions"]["contents"] == "read"
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 90
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)


def test_the_target_branchs_vstack_judges_this_project() -> None:
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "vstack.yml").read_text())["jobs"]["examples"]["steps"]
    assert [step["uses"] for step in steps if step.get("uses", "").startswith("./")] == ["./target"]
    (checkout,) = [step["with"] for step in steps if step.get("with", {}).get("path") == "target"]
    assert checkout["ref"] == "${{ github.base_ref }}"


def test_the_key_is_in_one_step_alone_and_signs_what_vstack_checks(tmp_path: Path) -> None:
    assert [name for name, step in STEPS.items() if "SIGNING_KEY" in step.get("env", {})] == ["Sign the evidence"]
    assert list(STEPS)[-1] == "Sign the evidence"
    key = make_key(tmp_path / "key")
    new = tmp_path / "new"
    new.mkdir()
    (new / "a b.json").write_text("{}")
    ended = run_step("Sign the evidence", tmp_path, TRUSTED=str(new), SIGNING_KEY=key.read_text().strip(), TMPDIR=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    signature = parse_signature((new / "a b.json.sig").read_text())
    assert signature.namespace == NAMESPACE and is_genuine(signature, b"{}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key", "key.pub", "new"], "the key is taken away again"
    (tmp_path / "empty").mkdir()
    assert run_step("Sign the evidence", tmp_path, TRUSTED=str(tmp_path / "empty"), SIGNING_KEY="x").returncode == 0


def test_a_trusted_run_is_of_the_commit_that_is_checked_out(tmp_path: Path) -> None:
    assert run_step("Find the base", tmp_path, TRUSTED="new").returncode == 0
    assert (tmp_path / "env").read_text() == "VSTACK_BASE=HEAD\n"


def test_the_template_gives_a_pull_request_no_key_and_nowhere_to_write() -> None:
    (job,) = yaml.safe_load((ROOT / "templates" / "vstack.workflow.yml").read_text())["jobs"].values()
    assert "push" in job["environment"]
    saves = [step for step in job["steps"] if "cache/save" in step.get("uses", "")]
    assert [step["if"] for step in saves] == ["github.event_name == 'push'"]
    (action,) = [step["with"] for step in job["steps"] if step.get("uses", "").startswith("OWNER/vstack@")]
    assert set(action) <= set(ACTION["inputs"]) and action["cache"] != action["trusted"]
