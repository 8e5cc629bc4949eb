"""Conditions cut out of formulas as SANY reads them, and the runs that come to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.context import open_project
from vstack.keep.check import Options, make_runner
from vstack.specify.scaffold import write_project
from vstack.validate.antecedents import antecedents
from vstack.validate.witnesses import run_witnesses, witness_findings

GOALS = """
Loads(r) == phase[r] = "loading"
Listed ==
  /\\ \\A r \\in Requests :
       \\/ phase[r] = "ready"
       \\/ phase[r] = "done"
      => page # "none"
  /\\ LET busy == page # "free"
         mine == page
     IN busy =>
          /\\ mine = page
          /\\ transfer # "none" => mine = transfer
Named == Isolation
Steps == [][\\A r \\in Requests : (Loads(r) /\\ ~Loads(r)') => transfer # "gone"]_<<page, transfer, phase>>
Never == \\A r \\in Requests : phase[r] = "laoding" => page = r
Box == [](\\A q, r \\in Requests : (page = q /\\ q # r) => page # r)
Other == page = "free" \\/ transfer = "none"
Ready == \\E r \\in Requests : phase[r] = "ready"
Gone == page = "gone"
LOCAL Away(x) == x # "none"
Hidden == Away(transfer) => page # "gone"
"""
KINDS = {
    "Listed": "invariant",
    "Named": "invariant",
    "Steps": "action",
    "Never": "invariant",
    "Box": "temporal",
    "Other": "invariant",
    "Hidden": "invariant",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("antecedents")
    write_project(folder, "toy")
    module, file = folder / "goals" / "Goals.tla", folder / "vstack.yaml"
    module.write_text(module.read_text().replace("\n=====", f"{GOALS}=====", 1))
    goals = "".join(f"  {name}: {{kind: {kind}, formula: {name}, english: A goal.}}\n" for name, kind in KINDS.items())
    text = file.read_text().replace("\n# Faults and freedom", f"\n{goals}\n# Faults and freedom")
    stated = ", ".join(f"{name}: holds" for name in KINDS)
    text = text.replace("Finality: holds}", f"Finality: holds, {stated}}}")
    text = text.replace("    formula: Finality\n", "    formula: Finality\n    witnesses: [Ready, Gone]\n")
    file.write_text(text)
    return folder


def test_conditions_are_those_before_the_arrows(root: Path) -> None:
    spec = open_project(root).spec
    found = {name: [(one.words, one.step, one.inner) for one in antecedents(spec, name)] for name in KINDS}
    assert found["Listed"] == [
        ('\\/ phase[r] = "ready" \\/ phase[r] = "done"', False, False),
        ("busy", False, False),
        ('transfer # "none"', False, True),
    ]
    assert found["Named"] == [('transfer # "none"', False, False)]
    assert [(step, inner) for _, step, inner in found["Steps"]] == [(True, False)]
    assert len(found["Box"]) == 1 and found["Other"] == []
    assert found["Hidden"] == [], "the root module can't say a LOCAL name"


def test_runs_come_to_each_but_the_typo_and_the_impossible(root: Path) -> None:
    context = open_project(root)
    runner = make_runner(context, Options(), lambda text: None)
    rows = run_witnesses(runner, context.spec)
    missed = {row.text for row in rows if not row.reached}
    assert missed == {'phase[r] = "laoding"', "Gone"} and not any(row.undecided for row in rows)
    findings = witness_findings(runner, rows)
    assert {finding.outcome for finding in findings} == {"refused"} and len(findings) == 2
    assert "`Gone`, so Finality holds there for nothing" in findings[0].message
    # All of it is at hand now: nothing is run again.
    assert run_witnesses(make_runner(context, Options(), lambda text: pytest.fail(text)), context.spec) == rows
