"""SANY is run in a folder of its own; its complaints come with file and line."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.tla.conftest import Read
from vstack.errors import VstackError
from vstack.tla.sany import load
from vstack.tools.find import Tools

COUNTER = "---- MODULE Counter ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n====\n"


def test_reads_a_module_in_a_folder_with_blanks_and_other_letters(tools: Tools, tmp_path: Path) -> None:
    folder = tmp_path / "Zähler und Größen 测试"
    folder.mkdir()
    (folder / "Counter.tla").write_text(COUNTER)
    spec = load(folder / "Counter.tla", search=[], java=tools.java, jar=tools.jar)
    assert spec.root.path == folder / "Counter.tla"
    assert spec.sources() == (folder / "Counter.tla",)
    assert spec.root.extends == ("Naturals",)


def test_finds_modules_in_search_folders_and_maps_them_back(tools: Tools, tmp_path: Path) -> None:
    goals, models = tmp_path / "goals", tmp_path / "models"
    goals.mkdir()
    models.mkdir()
    (models / "Model.tla").write_text("---- MODULE Model ----\nVARIABLE x\nInit == x = 1\n====\n")
    (goals / "Goal.tla").write_text("---- MODULE Goal ----\nEXTENDS Model\nSafe == x = 1\n====\n")
    spec = load(goals / "Goal.tla", search=[models], java=tools.java, jar=tools.jar)
    assert set(spec.sources()) == {goals / "Goal.tla", models / "Model.tla"}
    assert spec.definition("Init").module == "Model"
    assert spec.modules["Model"].path == models / "Model.tla"


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("VARIABLE x\nF == x /\\ \n", 5, "Encountered"),
        ("VARIABLE x\nF == x + 1\n", 3, "+"),
        ("VARIABLE x\nF == zz\n", 3, "Unknown operator: `zz'"),
        ("F(a) == a\nG == F\n", 3, "operator F requires 1 argument"),
        ('F == "never closed\nG == 1\n', 2, ""),
    ],
)
def test_tells_what_does_not_parse_with_file_and_line(
    read: Read, tmp_path: Path, body: str, line: int, says: str
) -> None:
    with pytest.raises(VstackError) as caught:
        read(Broken=body)
    assert caught.value.where == f"{tmp_path / 'Broken.tla'}:{line}"
    assert says in caught.value.what
    assert "Traceback" not in str(caught.value) and "Exception in thread" not in str(caught.value)


def test_names_the_module_that_is_broken_not_the_one_that_was_asked_for(read: Read, tmp_path: Path) -> None:
    with pytest.raises(VstackError) as caught:
        read(Top="EXTENDS Lower\nF == G", helpers={"Lower": "G == undefined"})
    assert caught.value.where == f"{tmp_path / 'Lower.tla'}:2"


def test_tells_every_error_of_several(read: Read) -> None:
    with pytest.raises(VstackError) as caught:
        read(Two="F == one\nG == two")
    assert "`one'" in caught.value.what and "`two'" in caught.value.what


def test_a_missing_module_is_named_with_its_line_and_the_nearest_name(read: Read, tmp_path: Path) -> None:
    with pytest.raises(VstackError) as caught:
        read(Lost="\\* EXTENDS Nothing\nEXTENDS Sequences,\n  Natrals\nF == 1")
    assert caught.value.where == f"{tmp_path / 'Lost.tla'}:4"
    assert caught.value.todo == "The nearest name is Naturals"


def test_no_name_is_suggested_that_is_not_near(read: Read, tmp_path: Path) -> None:
    with pytest.raises(VstackError, match="no module Goals") as caught:
        read(Lost="EXTENDS Goals\nF == 1")
    assert caught.value.todo == "Put it next to the module, or name its folder"


def test_a_module_that_is_a_pipe_is_told_so(read: Read, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "Goals.tla")
    with pytest.raises(VstackError, match="named pipe, not a regular file .*Goals.tla"):
        read(Lost="EXTENDS Goals\nF == 1")


@pytest.mark.parametrize("name", ["Naturals", "TLC", "Sequences"])
def test_a_local_file_may_not_shadow_a_standard_module(read: Read, tmp_path: Path, name: str) -> None:
    with pytest.raises(VstackError, match=f"shadows the standard module {name}") as caught:
        read(Top=f"EXTENDS {name}\nF == 1", helpers={name: "Nat == {1}"})
    assert caught.value.where == str(tmp_path / f"{name}.tla")


def test_a_shadow_behind_an_instance_or_in_a_search_folder_is_refused_too(tools: Tools, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "FiniteSets.tla").write_text("---- MODULE FiniteSets ----\nCardinality(S) == 0\n====\n")
    (tmp_path / "Top.tla").write_text("---- MODULE Top ----\nLOCAL INSTANCE FiniteSets\nF == 1\n====\n")
    with pytest.raises(VstackError, match="shadows"):
        load(tmp_path / "Top.tla", search=[away], java=tools.java, jar=tools.jar)


def test_the_cache_saves_the_jvm_and_is_keyed_by_every_reached_text(tools: Tools, tmp_path: Path) -> None:
    lower, top, kept = tmp_path / "Lower.tla", tmp_path / "Top.tla", tmp_path / "kept"
    lower.write_text("---- MODULE Lower ----\nG == 1\n====\n")
    top.write_text("---- MODULE Top ----\nEXTENDS Lower\nF == G\n====\n")
    load(top, search=[], java=tools.java, jar=tools.jar, cache=kept)
    no_java = [str(tmp_path / "no-java")]
    assert load(top, search=[], java=no_java, jar=tools.jar, cache=kept).definition("G").span.line == 2
    lower.write_text("---- MODULE Lower ----\n\nG == 1\n====\n")
    with pytest.raises(VstackError, match="Java can't be started"):
        load(top, search=[], java=no_java, jar=tools.jar, cache=kept)


def test_a_damaged_cache_entry_is_made_anew(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    kept = tmp_path / "kept"
    for damage in ("<modules", "<modules><RootModule>Other</RootModule><context/></modules>"):
        load(tmp_path / "Counter.tla", search=[], java=tools.java, jar=tools.jar, cache=kept)
        (entry,) = kept.iterdir()
        entry.write_text(damage)
        assert load(tmp_path / "Counter.tla", search=[], java=tools.java, jar=tools.jar, cache=kept).has("Init")


def test_the_environment_steers_no_jvm(tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dnot.an.option=1 -javaagent:/nowhere.jar")
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / "Text.tla").write_text('---- MODULE Text ----\nF == "é"\nG == 1\n====\n', encoding="utf-8")
    spec = load(tmp_path / "Text.tla", search=[], java=tools.java, jar=tools.jar)
    assert spec.definition("F").body.value == "é"  # type: ignore[union-attr]


def test_runs_at_once_do_not_disturb_each_other(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    results: list[object] = []

    def work() -> None:
        try:
            results.append(load(tmp_path / "Counter.tla", search=[], java=tools.java, jar=tools.jar).root.name)
        except VstackError as error:
            results.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["Counter"] * 4


def test_a_temp_folder_that_cannot_be_written(tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(VstackError, match="temp folder can't be used") as caught:
        load(tmp_path / "Counter.tla", search=[], java=tools.java, jar=tools.jar)
    assert caught.value.where == str(tmp_path / "gone")


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "does not exist"), (b"\xff\xfe", "not UTF-8"), (b"", "holds no module"), (b"words", "holds no module"), (b"# MODULE Odd\n", "holds no module")],
)
def test_a_file_that_is_no_module(tools: Tools, tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "Odd.tla"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VstackError, match=says):
        load(path, search=[], java=tools.java, jar=tools.jar)


def test_a_module_whose_name_is_not_its_files(read: Read) -> None:
    with pytest.raises(VstackError, match="name"):
        read(Here="---- MODULE There ----\nF == 1\n====\n")


def test_an_undefined_name_gets_the_nearest(read: Read) -> None:
    spec = read(Names="VARIABLE count\nTypeOK == count = 1")
    with pytest.raises(VstackError, match="TypeOk is not defined in module Names") as caught:
        spec.definition("TypeOk")
    assert caught.value.todo == "The nearest name is TypeOK"
    with pytest.raises(VstackError, match="count is a VARIABLE"):
        spec.definition("count")
