"""Theorem goals: pinned by their statement, attested by a recorded run, proved where tlapm is installed."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.redteam.proofs import LEMMAS, MODEL, PROOFS, TRANSCRIPT, without_tlapm, write
from vstack.errors import RefusedError, VstackError
from vstack.guard.listing import listing
from vstack.project import Project, load_project
from vstack.reading import read_spec
from vstack.report.words import verdict_word
from vstack.specify.compute import compute_pins
from vstack.specify.pins import Pins
from vstack.verdicts import Strength, Verdict
from vstack.verify.tlaps_control import control_of
from vstack.verify.tlaps_goal import run_theorem
from vstack.verify.tlaps_rules import check_proofs
from vstack.verify.tlaps_spec import read_proof, theorem_of
from vstack.verify.tlaps_tool import find_tlapm

TLAPM = os.environ.get("VSTACK_TLAPM") or shutil.which("tlapm")


@pytest.fixture(autouse=True)
def no_tlapm(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tlapm, unless a test asks for it: the same on every machine."""
    for name, value in without_tlapm().items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    write(tmp_path)
    return load_project(tmp_path)


def edit(project: Project, file: str, before: str, after: str) -> Project:
    path = project.root / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    return load_project(project.root)


def pins(project: Project) -> Pins:
    return compute_pins(project, read_spec(project))


def test_the_statement_and_what_it_rests_on_are_pinned_and_the_proof_is_free(project: Project) -> None:
    before = pins(project)
    assert set(before.assumptions) == {"Safety: LimitIsNatural"}
    assert before.goals["Safety"].definitions[0] == "CounterProofs!Safety"
    assert before.definitions["CounterProofs!Safety"].text == "THEOREM Safety == Spec => []Bounded"
    changed = edit(project, PROOFS, "    BY <2>2, ResetKeeps", "    BY <2>2, LimitIsNatural DEF Reset, Bounded")
    assert pins(changed) == before
    changed = edit(project, LEMMAS, "LEMMA UpKeeps", "LEMMA More == TRUE\n  OBVIOUS\n\nLEMMA UpKeeps")
    assert pins(changed).goals == before.goals
    changed = edit(project, MODEL, "Up == x < Limit", "Up == x <= Limit")
    assert pins(changed).goals != before.goals


def test_an_assumption_anywhere_is_pinned_named_or_not(project: Project) -> None:
    edit(project, LEMMAS, "LEMMA UpKeeps", "ASSUME Limit > 2\nAXIOM Free == Limit < 9\n\nLEMMA UpKeeps")
    names = set(pins(project).assumptions)
    assert {"Safety: LimitIsNatural", "Safety: Free"} < names
    assert len(names) == 3


@pytest.mark.parametrize("kinds", [("CONSTANT", "VARIABLE"), ("STATE", "ACTION"), ("VARIABLE", "STATE")])
def test_the_level_of_a_declared_symbol_is_part_of_the_statement(project: Project, kinds: tuple[str, str]) -> None:
    stated = "THEOREM Safety == ASSUME NEW {} y PROVE (Spec /\\ y = y) => []Bounded"
    first = pins(edit(project, PROOFS, "THEOREM Safety == Spec => []Bounded", stated.format(kinds[0])))
    second = pins(edit(project, PROOFS, f"NEW {kinds[0]}", f"NEW {kinds[1]}"))
    assert first.goals["Safety"].digest != second.goals["Safety"].digest


def test_a_recorded_run_is_attested_and_decides_nothing(project: Project) -> None:
    record = run_theorem(project, "Safety")
    assert (record.verdict, record.strength) == (Verdict.UNDECIDED, Strength.ATTESTED)
    assert verdict_word(record) == "attested"
    assert "attested, not proved here" in record.reason
    assert "ASSUME LimitIsNatural == Limit \\in Nat" in record.reason
    assert record.detail["obligations"] == 23


def test_without_a_recorded_run_the_goal_is_undecided(tmp_path: Path) -> None:
    write(tmp_path, recorded=False)
    record = run_theorem(load_project(tmp_path), "Safety")
    assert (record.verdict, record.strength) == (Verdict.UNDECIDED, None)
    assert "tlapm is not installed here" in record.reason


def test_what_is_no_transcript_is_an_error(project: Project) -> None:
    (project.root / TRANSCRIPT).write_text("{}")
    record = run_theorem(project, "Safety")
    assert record.verdict is Verdict.ERROR
    assert "no transcript" in record.reason


def test_a_run_recorded_with_failures_is_undecided_with_its_reason(project: Project) -> None:
    data = json.loads((project.root / TRANSCRIPT).read_text())
    run = data["runs"][0]
    run["stderr"] = run["stderr"].replace(
        "@!!status:proved\n@!!prover:ls4", "@!!status:failed\n@!!prover:ls4\n@!!reason:false"
    )
    run["returncode"] = 10
    (project.root / TRANSCRIPT).write_text(json.dumps(data))
    record = run_theorem(project, "Safety")
    assert (record.verdict, record.strength) == (Verdict.UNDECIDED, None)
    assert "the first at CounterProofs.tla:19 (no proof found, ls4)" in record.reason


def test_honest_proofs_pass_every_rule(project: Project) -> None:
    assert check_proofs(project) == ()


def test_recursive_operators_leave_the_goal_undecided(project: Project) -> None:
    edit(
        project,
        MODEL,
        "Init == x = 0",
        "RECURSIVE Sum(_)\nSum(n) == IF n = 0 THEN 0 ELSE n + Sum(n - 1)\nInit == x = 0",
    )
    record = run_theorem(project, "Safety")
    assert record.verdict is Verdict.UNDECIDED
    assert "RECURSIVE" in record.reason


def test_two_readings_of_one_file_are_refused(project: Project) -> None:
    text = (project.root / PROOFS).read_text()
    real = text.replace("---- MODULE CounterProofs ----", "----\nMODULE CounterProofs ----")
    other = "---- MODULE CounterProofs ----\nTHEOREM Safety == TRUE\n  OBVIOUS\n====\n"
    (project.root / PROOFS).write_text(real + other)
    found = {finding.rule for finding in check_proofs(project)}
    assert "tlaps-readings" in found


def test_a_library_name_is_refused(project: Project) -> None:
    (project.root / "proofs" / "NaturalsInduction.tla").write_text(
        "---- MODULE NaturalsInduction ----\nLEMMA Easy == TRUE\n  OBVIOUS\n====\n"
    )
    changed = edit(project, PROOFS, "CounterLemmas, TLAPS", "CounterLemmas, TLAPS, NaturalsInduction")
    with pytest.raises(RefusedError, match="tlaps-shadow"):
        check_proofs(changed)


def test_a_tool_that_was_named_and_is_not_there_is_an_error(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VSTACK_TLAPM", str(project.root / "nowhere"))
    with pytest.raises(VstackError, match="not a program"):
        find_tlapm(project)


@pytest.mark.skipif(TLAPM is None, reason="tlapm is not installed: name it in VSTACK_TLAPM")
def test_tlapm_proves_it_and_refuses_what_says_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VSTACK_TLAPM", str(TLAPM))
    record = run_theorem(project, "Safety")
    assert (record.verdict, record.strength) == (Verdict.HOLDS, Strength.PROVED), record.reason
    assert record.detail["obligations"] == 23
    assert "assumed: ASSUME LimitIsNatural" in record.reason
    vacuous = edit(project, MODEL, "Init == x = 0", "Init == x = 0 /\\ x = 1")
    assert "proves FALSE" in run_theorem(vacuous, "Safety").reason
    false = edit(project, MODEL, "Init == x = 0 /\\ x = 1", "Init == x = 0 - 1")
    record = run_theorem(false, "Safety")
    assert record.verdict is Verdict.UNDECIDED
    assert "CounterProofs.tla:6" in record.reason


def test_the_agents_guard_lets_a_proof_be_edited_and_keeps_its_statement(project: Project) -> None:
    found = listing({"pins": pins(project).model_dump(mode="json", exclude_defaults=True)})
    assert PROOFS not in found.whole
    assert found.parts[PROOFS] == [["CounterProofs!Safety", "THEOREM Safety == Spec => []Bounded"]]
    assert MODEL in found.whole


def test_a_list_of_backends_names_operators_of_tlaps(project: Project) -> None:
    edit(
        project, "vstack.yaml", "      obligations: 23\n", "      obligations: 23\n      backends: [Z3, Zennon, PTL]\n"
    )
    found = check_proofs(load_project(project.root))
    assert [finding.rule for finding in found] == ["tlaps-backend"]
    assert "Zennon" in found[0].message


def test_the_control_finds_hypotheses_through_names_and_has_a_name_of_its_own(project: Project) -> None:
    edit(project, PROOFS, "THEOREM Safety == Spec => []Bounded", "Claim == Spec => []Bounded\nTHEOREM Safety == Claim")
    edit(project, PROOFS, "PTL DEF Spec", "PTL DEF Spec, Claim")
    spec = read_proof(project, "Safety")
    theorem = theorem_of(spec, "Safety", project.file.goals["Safety"])
    control = control_of(spec, theorem)
    first, second = control.theorems
    lines = [line.strip() for line in control.text.splitlines()]
    assert lines[first[0] : first[1] - 1] == ["(", "Spec", ") => FALSE"]
    assert lines[second[0] : second[1] - 1] == ["(", "Init", ") => FALSE"]
    assert "Init" in lines[second[1] - 1] and "LimitIsNatural" in lines[second[1] - 1]
    edit(project, LEMMAS, "LEMMA UpKeeps", f"{lines[first[0] - 1].split()[1]} == TRUE\n\nLEMMA UpKeeps")
    again = read_proof(project, "Safety")
    assert lines[first[0] - 1] not in control_of(again, theorem_of(again, "Safety", project.file.goals["Safety"])).text
