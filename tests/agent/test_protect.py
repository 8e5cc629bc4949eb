"""What a headless model can't write or reach, under every name of it; and what it must be able to."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.agent.protect import pinned_files, refuse_write
from vstack.agent.tools import Outcome, Toolbox
from vstack.commands.spec_approve import run as approve
from vstack.specify.scaffold import write_project

Z3_GOAL = """\
  Small:
    kind: z3
    script: goals/small.py
    english: Small.
    sources: [x]
environment_actions:"""


SCRIPT = """\
from z3 import Int
from vstack.verify.z3_api import Obligation

def goal():
    return Obligation("positive", Int("x") + 1 > 0, {"natural": Int("x") >= 0})
"""


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an approved project in `page` (its key thrown away) and one without a lock in `draft`."""
    root = tmp_path_factory.mktemp("root")
    write_project(root / "page", "page")
    (root / "page" / "goals" / "small.py").write_text(SCRIPT)
    text = (root / "page" / "vstack.yaml").read_text().replace("environment_actions:", Z3_GOAL, 1)
    (root / "page" / "vstack.yaml").write_text(text)
    approve(root / "page", key=None, principal=None, demo=True, yes=True, as_json=True, environ={})
    write_project(root / "draft", "draft")
    return root


@pytest.fixture
def box(approved: Path) -> Toolbox:
    return Toolbox(approved, {})


def refused(outcome: Outcome, said: str) -> None:
    assert outcome.is_error and said in outcome.text, outcome.text


@pytest.mark.parametrize(
    "name",
    [
        "page/goals/Goals.tla",
        "page/goals/GOALS.TLA",
        "page/../page/goals/./Goals.tla",
        "page/goals/small.py",
        "page/vstack.lock",
        "page/Vstack.Lock",
        "page/vstack.approvers",
        "page/.vstack/report.json",
        "page/.VSTACK/evidence/a.json",
        "page/\uff0evstack/x.json",
        "page/.git/hooks/pre-commit",
        ".github/workflows/ci.yml",
        ".claude/settings.json",
        "hooks/hooks.json",
        "draft/model/run.sh",
        "draft/model/Override.class",
        "draft/click.py",
        "draft/reproduce/driver.py",
        "draft/conftest.py",
        ".",
        "../outside.tla",
        "/etc/passwd",
        "page/goals/Goals.tla\0.md",
    ],
)
def test_is_refused(box: Toolbox, approved: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in approved.rglob("*") if path.is_file()}
    outcome = box.use("write_file", {"path": name, "text": "x"})
    assert outcome.is_error and outcome.text.count("\n") == 0
    assert {path: path.read_bytes() for path in approved.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "name",
    [
        "page/model/Handover.tla",  # holds pinned Init and Abort too: `spec check` compares these
        "page/model/New.tla",
        "page/traces/log.jsonl",
        "page/README.md",
        "page/goals/Notes.md",
        "draft/goals/Goals.tla",  # nothing of it is approved yet
        "draft/goals/offsets.py",
    ],
)
def test_may_be_written(approved: Path, name: str) -> None:
    assert refuse_write(approved, name, drive=False) == (approved / name).resolve()


def test_a_link_to_a_pinned_file_is_that_file(box: Toolbox, approved: Path, tmp_path: Path) -> None:
    (approved / "draft" / "link.tla").symlink_to(approved / "page" / "goals" / "Goals.tla")
    (approved / "draft" / "away").symlink_to(tmp_path)
    refused(box.use("write_file", {"path": "draft/link.tla", "text": "x"}), "was approved")
    refused(box.use("write_file", {"path": "draft/away/x.tla", "text": "x"}), "outside")
    refused(box.use("read_file", {"path": "draft/away/x.tla"}), "outside")


def test_a_damaged_lock_opens_nothing(approved: Path, tmp_path: Path) -> None:
    write_project(tmp_path / "page", "page")
    (tmp_path / "page" / "vstack.lock").write_text("<<<<<<< ours\n")
    refused(Toolbox(tmp_path, {}).use("write_file", {"path": "page/goals/Goals.tla", "text": "x"}), "conflict markers")
    assert len(pinned_files(approved / "page")) == 2


def test_naming_another_model_frees_no_goals(box: Toolbox, approved: Path) -> None:
    old = "module: model/Handover.tla"
    path = approved / "page" / "vstack.yaml"
    text = path.read_text()
    assert not box.use("edit_file", {"path": "page/vstack.yaml", "old": old, "new": "module: goals/Goals.tla"}).is_error
    refused(box.use("write_file", {"path": "page/goals/Goals.tla", "text": "x"}), "was approved")
    path.write_text(text)


@pytest.mark.parametrize(
    "added",
    [
        "tools: {java: ./x}",
        "distributed: {launch: [sh, -c, id]}",
        "reproduce: {repo: x, driver: d.py}",
    ],
)
def test_settings_that_name_programs_are_a_person_s(box: Toolbox, approved: Path, added: str) -> None:
    text = (approved / "draft" / "vstack.yaml").read_text() + added + "\n"
    refused(box.use("write_file", {"path": "draft/vstack.yaml", "text": text}), "a person's to write")
    moved = text.replace("software_keys: false", "software_keys: true").replace(added, "")
    refused(box.use("write_file", {"path": "draft/vstack.yaml", "text": moved}), "`policy`")
    refused(box.use("write_file", {"path": "draft/vstack.yaml", "text": "a: [\n"}), "This is not YAML")


def test_paths_in_arguments_of_verbs_stay_inside(box: Toolbox) -> None:
    for name, arguments in [
        ("report", {"project": "page", "output": "page/vstack.lock"}),
        ("report", {"project": "page", "output": "../page.html"}),
        ("check", {"project": "page", "report": "page/.vstack/report.json"}),
        ("spec_show", {"project": "../.."}),
        ("trace_check", {"project": "page", "log": "/etc/passwd"}),
        ("spec_draft", {"project": "page", "name": "X", "english": "x", "formula": "TRUE", "module": "../../X.tla"}),
        ("spec_draft", {"project": "page", "name": "X", "english": "x", "kind": "z3", "script": "../../x.py"}),
    ]:
        outcome = box.use(name, arguments)
        assert outcome.is_error and outcome.answer is None, (name, outcome.text)


def test_a_draft_may_be_added_to_a_pinned_module_and_is_not_approved(tmp_path: Path) -> None:
    write_project(tmp_path, "page")
    approve(tmp_path, key=None, principal=None, demo=True, yes=True, as_json=True, environ={})
    box = Toolbox(tmp_path, {})
    formula = 'page = "free" => transfer = "none"'
    drafted = box.use("spec_draft", {"name": "Quiet", "english": "A free page has no transfer.", "formula": formula})
    assert drafted.answer and drafted.answer.exit_code == 0 and "NOT approved" in drafted.answer.meaning
    checked = box.use("spec_check", {})
    assert checked.answer and checked.answer.exit_code == 1
    assert {found["rule"] for found in checked.answer.data["findings"]} == {"unapproved-change"}
