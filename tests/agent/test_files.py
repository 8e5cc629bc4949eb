"""Reading and editing files, and reading code of a repository that a person named."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from vstack.abstract.git_objects import GitRepo
from vstack.agent.tools import Toolbox
from vstack.agent.verbs import VERBS, input_schema, to_argv


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    """A folder with two files, and a repository `engine` with two commits."""
    root, code = tmp_path / "work", tmp_path / "engine"
    (root / "model").mkdir(parents=True)
    (root / "model" / "A.tla").write_text("one\ntwo\ntwo\nthree\n")
    (root / ".hidden").mkdir()
    (root / ".hidden" / "x.tla").write_text("two\n")
    code.mkdir()

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(code), *identity, *arguments], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (code / "sched.py").write_text("def free(r):\n    pool.free(r)\n")
    git("add", ".")
    git("commit", "-q", "-m", "before")
    git("tag", "before")
    (code / "sched.py").write_text("def free(r):\n    wait(r)\n    pool.free(r)\n")
    git("commit", "-q", "-am", "after")
    return Toolbox(root, {"engine": GitRepo("engine", code)})


def test_files_are_listed_read_and_searched_but_for_hidden_ones(box: Toolbox) -> None:
    assert box.use("list_files", {}).text == "model/A.tla"
    assert box.use("read_file", {"path": "model/A.tla", "first": 2, "last": 3}).text == "    2  two\n    3  two"
    assert box.use("search_files", {"text": "two"}).text == "model/A.tla:2: two\nmodel/A.tla:3: two"
    assert "There is no line 9" in box.use("read_file", {"path": "model/A.tla", "first": 9}).text


def test_an_edit_must_be_of_one_place(box: Toolbox) -> None:
    for old, count in (("two", 2), ("four", 0), ("", 0)):
        outcome = box.use("edit_file", {"path": "model/A.tla", "old": old, "new": "x"})
        assert outcome.is_error and f"stands {count} times" in outcome.text
    assert not box.use("edit_file", {"path": "model/A.tla", "old": "three\n", "new": "3\r\n"}).is_error
    assert (box.root / "model" / "A.tla").read_bytes() == b"one\ntwo\ntwo\n3\r\n"
    assert "does not exist" in box.use("edit_file", {"path": "model/B.tla", "old": "a", "new": "b"}).text


def test_code_comes_with_the_anchor_of_its_lines(box: Toolbox) -> None:
    text = box.use(
        "read_code", {"repo": "engine", "revision": "before", "path": "sched.py", "first": 2, "last": 2}
    ).text
    digest = hashlib.sha256(b"    pool.free(r)\n").hexdigest()[:16]
    commit = box.repos["engine"].resolve("before")
    assert text == f"    2      pool.free(r)\nAnchor of lines 2-2: engine:sched.py:2-2@{commit} sha256:{digest}"
    assert (
        box.use("search_code", {"repo": "engine", "revision": "main", "text": "wait("}).text == "sched.py:2:    wait(r)"
    )
    diff = box.use("diff_code", {"repo": "engine", "before": "before", "after": "main"}).text
    assert "+    wait(r)" in diff


@pytest.mark.parametrize("revision", ["--output=/tmp/x", "nowhere", "", "-h", "main:sched.py", "$(id)"])
def test_a_revision_is_a_revision(box: Toolbox, revision: str) -> None:
    outcome = box.use("search_code", {"repo": "engine", "revision": revision, "text": "x"})
    assert outcome.is_error and "has no revision" in outcome.text


def test_a_repository_that_was_not_given_is_refused(box: Toolbox) -> None:
    outcome = box.use("read_code", {"repo": "other", "revision": "main", "path": "sched.py"})
    assert outcome.is_error and "must be one of engine" in outcome.text


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_s_schema_is_its_command_s(name: str) -> None:
    schema = input_schema(name)
    assert set(schema["required"]) <= set(schema["properties"])
    for key, value in schema["properties"].items():
        assert value.get("description"), f"{name}: {key}"
    assert not set(schema["properties"]) & {"json", "as_json", "quiet", "detach", "yes", "key"}
    command = VERBS[name].command
    sample = {"string": "x", "boolean": True, "integer": 1, "number": 2.0}
    arguments = {
        key: value["enum"][0] if "enum" in value else ["-x"] if value["type"] == "array" else sample[value["type"]]
        for key, value in schema["properties"].items()
    }
    argv = to_argv(name, arguments)
    # click itself takes what was made of the arguments.
    with command.make_context(name, argv[len(VERBS[name].path) :]) as context:
        given = {key for key, value in context.params.items() if value}
    wanted = {parameter.name for parameter in command.params} - {
        "as_json",
        "quiet",
        "detach",
        "jar",
        "java",
        "fetch",
        "compare",
    }
    assert wanted <= given | {"help"}, wanted - given
