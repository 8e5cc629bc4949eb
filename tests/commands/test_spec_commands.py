"""The commands of stage 1 from start to end on the starting project, with real keys, SANY and TLC."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.specify.keys import make_key
from vstack.commands import init, spec_approve, spec_check, spec_diff, spec_draft, spec_show
from vstack.errors import RefusedError, VstackError
from vstack.files import exclusive
from vstack.specify.draft import Draft

NO_CI: dict[str, str] = {}


def approve(folder: Path, **changes: object) -> int:
    options: dict[str, object] = {
        "key": None,
        "principal": None,
        "demo": False,
        "yes": True,
        "as_json": False,
        "environ": NO_CI,
    }
    return spec_approve.run(folder, **{**options, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_key(tmp_path_factory.mktemp("keys") / "id")


def test_from_an_empty_folder_to_an_approved_goal_and_its_diff(
    tmp_path: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a próject"
    assert init.run(folder, name=None, as_json=False) == 0
    assert "project: a-pr-ject" in (folder / "vstack.yaml").read_text()
    assert spec_check.run(folder, base_ref=None, as_json=False) == 1
    assert "[VS102 no-lock]" in capsys.readouterr().out
    assert approve(folder, key=key, principal="you@example.org") == 0
    shown = capsys.readouterr().out
    assert "GOAL Isolation" in shown and "MATRIX" in shown and "you@example.org (software key" in shown
    assert spec_check.run(folder, base_ref=None, as_json=False) == 0
    assert "says nothing about whether the goals hold" in capsys.readouterr().out

    quiet = Draft(
        "Quiet",
        "invariant",
        "A free page: no transfer.",
        ("https://example.org/1",),
        None,
        'page = "free" =>\n  transfer = "none"',
    )
    before = (folder / "vstack.yaml").read_text()
    assert spec_draft.run(folder, quiet, module_name=None, as_json=False) == 0
    assert set(before.splitlines()) < set((folder / "vstack.yaml").read_text().splitlines())
    capsys.readouterr()
    assert spec_check.run(folder, base_ref=None, as_json=True) == 1
    report = json.loads(capsys.readouterr().out)
    assert [finding["rule"] for finding in report["findings"]] == ["unapproved-change"]
    assert report["findings"][0]["where"].endswith("goals/Goals.tla:19")
    assert {row["name"]: row["approved"] for row in report["goals"]} == {
        "Isolation": True,
        "Finality": True,
        "Quiet": False,
    }

    assert spec_show.run(folder, goal="Quiet", as_json=False) == 0
    shown = capsys.readouterr().out
    assert "A free page: no transfer." in shown and "not approved" in shown and "GOAL Isolation" not in shown
    assert approve(folder, key=key) == 0
    shown = capsys.readouterr().out
    assert "goal Quiet was added" in shown and "GOAL Finality" not in shown and "Sequence 2 approved" in shown

    goals = folder / "goals" / "Goals.tla"
    goals.write_text(goals.read_text().replace('page = "free" =>', 'page = "free" /\\ transfer # "none" =>'))
    assert spec_diff.run(folder, base_ref=None, seconds=60, compare=True, as_json=False) == 1
    told = capsys.readouterr().out
    assert "THE SAME" in told and "- Quiet ==" not in told and '-   page = "free" =>' in told


def test_the_demo_key_never_passes_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init.run(tmp_path / "p", name="p", as_json=True)
    assert approve(tmp_path / "p", demo=True, as_json=True) == 0
    assert json.loads(capsys.readouterr().out.partition("}\n")[2])["demo"] is True
    assert spec_show.run(tmp_path / "p", goal="Isolation", as_json=False) == 0
    assert "demo key: no person approved this" in capsys.readouterr().out


def test_approving_needs_a_person(tmp_path: Path, key: Path) -> None:
    init.run(tmp_path / "p", name="p", as_json=True)
    with pytest.raises(RefusedError, match="CI job"):
        approve(tmp_path / "p", demo=True, environ={"CI": "true"})
    asked: list[str] = []
    assert approve(tmp_path / "p", demo=True, yes=False, confirm=lambda question: bool(asked.append(question))) == 1
    assert "sequence 1 of p" in asked[0] and not (tmp_path / "p" / "vstack.lock").exists()
    with pytest.raises(RefusedError, match="terminal"):
        approve(tmp_path / "p", demo=True, yes=False)
    (tmp_path / "p" / "vstack.approvers").write_text("# nobody\n")
    with pytest.raises(VstackError, match="not in the approvers file"):
        approve(tmp_path / "p", key=key)


def test_init_overwrites_nothing_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    init.run(tmp_path, name="p", as_json=True)
    (tmp_path / "vstack.yaml").unlink()
    init.run(tmp_path, name="p", as_json=True)
    (tmp_path / "goals" / "Goals.tla").write_text("mine")
    (tmp_path / "vstack.yaml").unlink()
    with pytest.raises(VstackError, match="goals/Goals.tla"):
        init.run(tmp_path, name="p", as_json=True)
    assert (tmp_path / "goals" / "Goals.tla").read_text() == "mine" and not (tmp_path / "vstack.yaml").exists()
    with pytest.raises(VstackError, match="not a project name"):
        init.run(tmp_path / "other", name="a b", as_json=True)


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (Draft("Bad", "invariant", "x", (), None, "page ="), "SANY"),
        (Draft("Bad", "invariant", "x", (), None, '[](page = "free")'), "temporal formula"),
        (Draft("Bad", "invariant", "x", (), None, None), "not defined"),
        (Draft("Isolation", "invariant", "x", (), None, "TRUE"), "there already"),
        (Draft("vars", "invariant", "x", (), None, "TRUE"), "defined already"),
        (Draft("Bad-name", "invariant", "x", (), None, "TRUE"), "not a name"),
        (Draft("Z", "z3", "x", (), None, None, "missing.py"), "script"),
    ],
)
def test_a_draft_that_does_not_fit_leaves_everything_as_it_was(tmp_path: Path, draft: Draft, said: str) -> None:
    init.run(tmp_path, name="p", as_json=True)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(VstackError, match=said) as caught:
        spec_draft.run(tmp_path, draft, module_name=None, as_json=False)
    assert "vstack-draft" not in caught.value.paragraph()
    assert {path: path.read_bytes() for path in before} == before


def test_there_is_nothing_to_compare_before_the_first_approval(tmp_path: Path) -> None:
    init.run(tmp_path, name="p", as_json=True)
    with pytest.raises(VstackError, match="Nothing is approved yet"):
        spec_diff.run(tmp_path, base_ref=None, seconds=None, compare=True, as_json=False)


def test_the_starting_project_comes_out_as_expected(tmp_path: Path) -> None:
    """What a newcomer gets from `init` passes all stages once it is approved, and not before."""
    from vstack.context import open_project
    from vstack.keep.check import Options, check_project

    init.run(tmp_path, name="p", as_json=True)
    assert check_project(open_project(tmp_path), Options(), lambda text: None).outcome == "refused"
    assert approve(tmp_path, demo=True, as_json=True) == 0
    report = check_project(open_project(tmp_path), Options(), lambda text: None)
    assert (report.outcome, report.reasons) == ("as expected", ())
    assert [row.killed_by for row in report.kills] == [("Isolation",)]


def test_two_writers_at_once_are_told_of_each_other(tmp_path: Path) -> None:
    init.run(tmp_path, name="p", as_json=True)
    with (
        exclusive(tmp_path / ".vstack" / "spec.lock", what="it"),
        pytest.raises(VstackError, match="Another run is at work"),
    ):
        approve(tmp_path, demo=True)
    assert not (tmp_path / "vstack.lock").exists()


def test_a_witness_is_drafted_defined_and_pinned_with_its_goal(tmp_path: Path) -> None:
    init.run(tmp_path, name="toy", as_json=False)
    used = ("Used", 'page # "free" /\\ transfer # "none"')
    draft = Draft("Quiet", "invariant", "A page is somebody's.", (), formula="page = page", witnesses=(used, ("Isolation", None)))
    assert spec_draft.run(tmp_path, draft, module_name=None, as_json=False) == 0
    text = (tmp_path / "goals" / "Goals.tla").read_text()
    assert f"Quiet == page = page\n\nUsed == {used[1]}\n====" in text
    assert "    witnesses:\n    - Used\n    - Isolation\n" in (tmp_path / "vstack.yaml").read_text()
    assert approve(tmp_path, demo=True) == 0
    module = tmp_path / "goals" / "Goals.tla"
    module.write_text(text.replace(used[1], "TRUE"))
    assert spec_check.run(tmp_path, base_ref=None, as_json=False) == 1
    steps = Draft("Later", "invariant", "A witness of the wrong kind.", (), formula="TRUE", witnesses=(("Moves", "page' = page"),))
    with pytest.raises(VstackError, match="witness Moves is an invariant, but Moves is an action formula"):
        spec_draft.run(tmp_path, steps, module_name=None, as_json=False)
