"""`vstack audit`: every rule that needs no engine run is asked, and what was not looked at is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from vstack.audit.catalog import RULES
from vstack.commands.audit import cli, find_rule
from vstack.context import open_project
from vstack.errors import VstackError
from vstack.keep.audit import Audit, audit_project
from vstack.keep.check import Options, make_runner
from vstack.reading import read_spec
from vstack.specify.approve import approve_for_demo, lock_to_sign
from vstack.specify.compute import compute_pins
from vstack.specify.scaffold import write_project
from vstack.validate.cells import Setting
from vstack.validate.runs import Run


def approve(root: Path) -> None:
    project = open_project(root).project
    approve_for_demo(project, lock_to_sign(project, compute_pins(project, read_spec(project))))


def audit(root: Path) -> Audit:
    return audit_project(open_project(root), Options(), lambda text: None)


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An approved project with one record at hand: the bug that the matrix expects."""
    root = tmp_path_factory.mktemp("audit") / "toy"
    write_project(root, "toy")
    approve(root)
    context = open_project(root)
    make_runner(context, Options(), lambda text: None).run([Run(Setting("before", "aborts"), ("Isolation",))])
    return root


@pytest.fixture
def root(approved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(approved, tmp_path / "toy"))


def test_an_honest_project_has_no_finding_and_what_needs_runs_is_said(root: Path) -> None:
    found = audit(root)
    assert found.outcome == "nothing found" and (found.cells, found.asked) == (1, 8)
    rows = {row.rule: row for row in found.rules}
    assert set(rows) == set(RULES)
    assert rows["side-effect"].state == rows["unapproved-change"].state == "clean"
    assert rows["cell"].state == "open" and "1 of 8 cells" in rows["cell"].why
    assert "--base" in rows["lock-not-newer"].why and rows["mutant-survived"].state == "open"


def test_rules_on_the_lock_and_on_the_tree_fire(root: Path) -> None:
    edit(root / "model" / "Handover.tla", '  /\\ transfer # "none"\n', '  /\\ transfer # "none" /\\ TLCSet(1, 2)\n')
    edit(root / "model" / "Handover.tla", "EXTENDS Goals", "EXTENDS Goals, TLC")
    edit(root / "vstack.yaml", "distinct_states: 10", "distinct_states: 2")
    found = audit(root)
    assert found.outcome == "refused"
    assert {finding.rule for finding in found.findings} == {"side-effect", "unapproved-change"}
    answer = CliRunner().invoke(cli, ["-p", str(root), "--json"], standalone_mode=False)
    data = json.loads(answer.output)
    assert answer.return_value == 1 and data["outcome"] == "refused"
    assert {one["id"] for one in data["findings"]} == {"VS101", "VS302"}
    assert "vstack.yaml:" in next(one["where"] for one in data["findings"] if one["id"] == "VS101")


def test_a_record_at_hand_that_is_not_as_stated_is_found(root: Path) -> None:
    # A required run has another key, so the cell is asked as a kill's: the matrix expects the bug of a variant like it.
    edit(
        root / "vstack.yaml",
        "  before:\n    calm: {Isolation: holds",
        "  other:\n    aborts: {Isolation: violated}\n  before:\n    calm: {Isolation: holds",
    )
    edit(
        root / "vstack.yaml",
        "  after:\n    english",
        "  other:\n    english: Another.\n    ours: true\n    guards: [wait]\n  after:\n    english",
    )
    approve(root)
    context = open_project(root)
    make_runner(context, Options(), lambda text: None).run([Run(Setting("other", "aborts"), ("Isolation",))])
    found = audit(root)
    assert found.outcome == "refused" and found.cells == 2
    wrong = [finding for finding in found.findings if finding.rule == "cell"]
    assert (
        len(wrong) == 1
        and "other / aborts / Isolation: the record at hand says holds, expected violated" in wrong[0].message
    )


def test_rules_are_listed_and_explained() -> None:
    listed = CliRunner().invoke(cli, ["--rules"], standalone_mode=False)
    assert len(listed.output.splitlines()) == len(RULES)
    told = CliRunner().invoke(cli, ["vs301"], standalone_mode=False).output
    assert "VS301 guard-constant" in told and "vstack/validate/guard_rule.py" in told


@pytest.mark.parametrize("asked", ["VS999", "vs3010", "guard-constnat", "nothing like it"])
def test_a_rule_that_does_not_exist_gets_only_names_of_those_that_do(asked: str) -> None:
    with pytest.raises(VstackError, match="There is no rule") as caught:
        find_rule(asked)
    todo = caught.value.todo or ""
    near = todo.removeprefix("The nearest: ").split(", ") if "nearest" in todo else []
    assert set(near) <= {rule.id for rule in RULES.values()} | RULES.keys()
    assert bool(near) == (asked != "nothing like it")
    assert asked != "guard-constnat" or near[0] == "guard-constant"


@pytest.mark.parametrize("name", RULES)
def test_every_rule_says_where_it_is_checked(name: str) -> None:
    places = RULES[name].checked_in
    assert places and all((Path(__file__).parents[2] / place).is_file() for place in places)
