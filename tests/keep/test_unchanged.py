"""The fast path of `check`: only the very same bytes are recalled."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.keep.unchanged import Remembered, check_key, recall, remember

OUTCOME = Remembered(0, "table\n", '{"outcome": "holds"}')


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "model").mkdir()
    (tmp_path / "vstack.yaml").write_text("project: x\n")
    (tmp_path / "model" / "M.tla").write_text("---- MODULE M ----\n====\n")
    return tmp_path


def test_the_same_bytes_are_recalled(project: Path) -> None:
    key = check_key(project, {"width": 80}, [])
    assert recall(project / ".vstack", key) is None
    remember(project / ".vstack", key, OUTCOME, [])
    assert check_key(project, {"width": 80}, []) == key
    assert recall(project / ".vstack", key) == OUTCOME


def test_any_change_gives_another_key(project: Path) -> None:
    jar = project.parent / "tool.jar"
    jar.write_bytes(b"jar")
    key = check_key(project, {"width": 80}, [jar])
    assert check_key(project, {"width": 81}, [jar]) != key
    jar.write_bytes(b"JAR")
    assert check_key(project, {"width": 80}, [jar]) != key
    jar.write_bytes(b"jar")
    assert check_key(project, {"width": 80}, [jar]) == key
    module = project / "model" / "M.tla"
    text = module.read_text()
    module.write_text(text + " ")
    assert check_key(project, {"width": 80}, [jar]) != key
    module.write_text(text)
    module.rename(project / "model" / "N.tla")
    assert check_key(project, {"width": 80}, [jar]) != key


def test_a_file_outside_that_changed_forgets(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "Shared.tla"
    outside.write_text("one")
    key = check_key(project, {}, [])
    remember(project / ".vstack", key, OUTCOME, [outside])
    assert recall(project / ".vstack", key) == OUTCOME
    outside.write_text("two")
    assert recall(project / ".vstack", key) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 1}', '{"key": "KEY", "code": "x", "text": "", "report": {}, "outside": {}}'])
def test_a_broken_record_is_as_if_absent(project: Path, text: str) -> None:
    key = check_key(project, {}, [])
    remember(project / ".vstack", key, OUTCOME, [])
    (project / ".vstack" / "checks" / f"{key}.json").write_text(text.replace("KEY", key))
    assert recall(project / ".vstack", key) is None
