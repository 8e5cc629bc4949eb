"""Two guards that stand in for each other: neither removal shows, both together do; and a guard that hides another."""

from __future__ import annotations

from pathlib import Path

from vstack.context import open_project
from vstack.keep.evidence import EvidenceStore
from vstack.validate.cells import module_inputs
from vstack.validate.guards import kill_findings, run_kills
from vstack.validate.pairs import run_pairs
from vstack.validate.runs import Runner

MODULE = """---- MODULE Door ----
EXTENDS Naturals
CONSTANTS Lock, Bolt, Bell
VARIABLES open, rung
Init == open = FALSE /\\ rung = FALSE
\\* @ours a thief
Break == ~open /\\ ~Lock /\\ ~Bolt /\\ open' = TRUE /\\ UNCHANGED rung
\\* @ours the bell
Ring == ~rung /\\ Bell /\\ rung' = TRUE /\\ UNCHANGED open
\\* @ours someone knocks
Knock == UNCHANGED <<open, rung>>
Next == Break \\/ Ring \\/ Knock
Spec == Init /\\ [][Next]_<<open, rung>>
Shut == ~open
====
"""
YAML = """version: 1
project: door
modules: ["."]
model: {module: Door.tla}
goals:
  Shut: {english: nobody gets in, formula: Shut}
environments:
  night: {english: a thief comes}
guards:
  lock: {constant: Lock, english: a lock}
  bolt: {constant: Bolt, english: a bolt}
  bell: {constant: Bell, english: a bell}
variants:
  house: {english: the house, ours: true, guards: [lock, bolt, bell], lacks: [Break]}
matrix:
  house: {night: {Shut: holds}}
kills:
  - {guard: lock, variant: house, environment: night, violates: [], excuse: the bolt does the same}
  - {guard: bolt, variant: house, environment: night, violates: [], excuse: the lock does the same}
  - {guard: bell, variant: house, environment: night, violates: [], excuse: it only rings}
"""


def runner(folder: Path, yaml: str = YAML) -> Runner:
    (folder / "vstack.yaml").write_text(yaml)
    (folder / "Door.tla").write_text(MODULE)
    context = open_project(folder)
    project = context.project
    store = EvidenceStore(folder / "evidence")
    return Runner(project, context.tools, store, context.actions, modules=module_inputs(project))


def test_guards_that_stand_in_for_each_other_are_named(tmp_path: Path) -> None:
    found = runner(tmp_path)
    spec = open_project(tmp_path).spec
    (row,) = run_pairs(found, spec)
    assert set(row.guards) == {"lock", "bolt"}
    assert row.alone == {"lock": (), "bolt": ()}
    assert row.together == ("Shut",)
    assert row.note == "only without both: Shut"
    records = [record for record in found.store.find("") if record.engine == "tlc" and "goals" in record.subject]
    broken = [record for record in records if record.verdict == "violated"]
    assert len(records) == 6
    assert [record.trace is not None for record in broken] == [True]
    assert run_pairs(found, spec) == (row,)


def test_a_guard_that_kills_nothing_must_not_be_said_to_kill(tmp_path: Path) -> None:
    found = runner(tmp_path, YAML.replace("violates: [], excuse: the bolt does the same", "violates: [Shut]"))
    rows = run_kills(found)
    assert [finding.rule for finding in kill_findings(found, rows)] == ["guard-kills-nothing"]
    assert rows[0].killed_by == ()


def test_a_guard_that_nobody_takes_away_is_a_finding(tmp_path: Path) -> None:
    line = "  - {guard: bell, variant: house, environment: night, violates: [], excuse: it only rings}\n"
    found = runner(tmp_path, YAML.replace(line, ""))
    assert [finding.message for finding in kill_findings(found, run_kills(found))] == ["No entry of `kills` takes guard bell away"]
