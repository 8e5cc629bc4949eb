"""Goals checked by Apalache, through a stand-in over TLC: what is asked, what its answers come to, and what a record is worth."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.verify.apalache_stand_in import install
from vstack.context import open_project
from vstack.errors import VstackError
from vstack.keep.evidence import EvidenceStore
from vstack.report.words import verdict_word
from vstack.results import Cell
from vstack.specify.compute import compute_pins
from vstack.validate.cells import Setting
from vstack.verdicts import Strength, Verdict
from vstack.verify.apalache import open_engine, run_apalache
from vstack.verify.apalache_job import make_job
from vstack.verify.attested import read_transcript, write_transcript

MODEL = """---- MODULE Count ----
EXTENDS Naturals
CONSTANTS
  \\* @type: Int;
  Top,
  \\* @type: Bool;
  Guard
VARIABLES
  \\* @type: Int;
  x
Init == x = 0
Up == (Guard => x < Top) /\\ x < Top + 2 /\\ x' = x + 1
Turn == x >= Top /\\ x' = 0
Next == Up \\/ Turn
Spec == Init /\\ [][Next]_x
Below == x <= Top
IndInv == x \\in 0..Top
Nothing == x \\in {}
Loose == x \\in 0..Top + 1
====
"""
YAML = """version: 1
project: count
model: {module: Count.tla, constants: {Top: "2"}}
goals:
  Below: {kind: invariant, formula: Below, english: It stays below.}
environments: {any: {english: Any.}}
guards: {guard: {constant: Guard, english: It stops.}}
variants:
  before: {english: Before., ours: true}
  after: {english: After., ours: true, guards: [guard]}
matrix:
  before: {any: {Below: violated}}
  after: {any: {Below: holds}}
apalache: APALACHE
"""
_FIXED = YAML.replace("  before: {any: {Below: violated}}\n", "")
Ask = Callable[..., tuple[Cell, ...]]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """``ask(section, model=MODEL, tool=True)``: the cells; without ``tool`` Apalache is missing."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    def run(section: str, *, model: str = MODEL, tool: bool = True, yaml: str = YAML) -> tuple[Cell, ...]:
        monkeypatch.delenv("VSTACK_APALACHE", raising=False)
        if tool:
            monkeypatch.setenv("VSTACK_APALACHE", str(install(tmp_path)))
        (tmp_path / "Count.tla").write_text(model)
        (tmp_path / "vstack.yaml").write_text(yaml.replace("APALACHE", section))
        context = open_project(tmp_path)
        engine = open_engine(context.project)
        cells = run_apalache(engine, context.spec, EvidenceStore(tmp_path / "evidence"), lambda text: None)
        if engine.recorded:
            write_transcript(tmp_path / "transcript.json", engine.transcribed())
        return cells

    return run


def test_a_bounded_check_holds_and_finds_the_known_fault(ask: Ask, tmp_path: Path) -> None:
    before, after = ask("{goals: {Below: {length: 5}}}")
    assert (before.evidence.verdict, before.as_expected) == (Verdict.VIOLATED, True)
    assert [step["state"]["x"] for step in before.evidence.trace["steps"]] == ["0", "1", "2", "3"]
    assert (after.evidence.verdict, after.evidence.strength) == (Verdict.HOLDS, Strength.BOUNDED)
    assert after.evidence.bounds == {"Top": "2", "Guard": "TRUE", "length": "5"}
    assert after.evidence.command == [
        "check", "--config=vstack.cfg", "--init=Init", "--next=Next", "--inv=Below", "--length=5", "--run-dir=run", "Count.tla"
    ]  # fmt: skip
    # What was recorded is shown where the tool is missing, and decides nothing there.
    cells = ask("{goals: {Below: {length: 5}}, transcript: transcript.json}", tool=False)
    assert {(cell.evidence.verdict, verdict_word(cell.evidence)) for cell in cells} == {(Verdict.UNDECIDED, "attested")}
    assert "a record says holds (bounded)" in cells[1].evidence.reason
    # A record of other options, or of another model, is none of this run.
    for section, model in (
        ("{goals: {Below: {length: 6}}, transcript: transcript.json}", MODEL),
        ("{goals: {Below: {length: 5}}, transcript: transcript.json}", MODEL.replace("x < Top + 2", "x < Top + 3")),
    ):
        (_, after) = ask(section, model=model, tool=False)
        assert (after.evidence.verdict, after.evidence.strength) == (Verdict.UNDECIDED, None)
        assert "[apalache-record]" in after.evidence.reason
    # One that was edited says what it says: attested still.
    transcript = read_transcript(tmp_path / "transcript.json")
    forged = json.loads(transcript.model_dump_json())
    for run in forged["runs"]:
        run["stdout"] = run["stdout"].replace("Error", "NoError")
    (tmp_path / "transcript.json").write_text(json.dumps(forged))
    cells = ask("{goals: {Below: {length: 5}}, transcript: transcript.json}", tool=False)
    assert Verdict.HOLDS not in {cell.evidence.verdict for cell in cells}


def test_a_search_that_is_too_short_does_not_find_the_known_fault(ask: Ask) -> None:
    (before,) = ask("{goals: {Below: {length: 2}}}", yaml=YAML.replace("  after: {any: {Below: holds}}\n", ""))
    assert (before.evidence.verdict, before.as_expected) == (Verdict.HOLDS, False)


def test_an_inductive_invariant(ask: Ask) -> None:
    (after,) = ask("{goals: {Below: {mode: inductive, invariant: IndInv}}}", yaml=_FIXED)
    assert (after.evidence.verdict, after.evidence.strength) == (Verdict.HOLDS, Strength.INDUCTIVE)
    assert [run["name"] for run in after.evidence.detail["runs"]] == ["init", "base", "some", "step", "goal"]


@pytest.mark.parametrize(
    ("invariant", "model", "verdict", "why"),
    [
        ("Nothing", MODEL.replace("Init == x = 0", "Init == x \\in {}"), Verdict.REFUSED, "apalache-empty] no initial state"),
        ("Nothing", MODEL, Verdict.UNDECIDED, "an initial state does not meet Nothing"),
        ("Loose", MODEL.replace("Guard => x < Top", "Guard => x # Top"), Verdict.UNDECIDED, "leads out of Loose"),
    ],
)
def test_an_inductive_argument_that_does_not_go_through(ask: Ask, invariant: str, model: str, verdict: Verdict, why: str) -> None:
    section = f"{{length: 5, goals: {{Below: {{mode: inductive, invariant: {invariant}}}}}}}"
    (after,) = ask(section, model=model, yaml=_FIXED)
    assert (after.evidence.verdict, why in after.evidence.reason) == (verdict, True), after.evidence.reason


def test_without_the_tool_nothing_is_decided(ask: Ask) -> None:
    cells = ask("{goals: {Below: {}}}", tool=False)
    assert {cell.evidence.verdict for cell in cells} == {Verdict.UNDECIDED}
    assert "not installed" in cells[0].evidence.reason


def test_what_the_section_names_must_be_there(ask: Ask) -> None:
    for section in ("{goals: {Below: {mode: inductive, invariant: Next}}}", "{goals: {Below: {}}, cinit: Missing}", "{goals: {Below: {mode: inductive}}}", "{goals: {Other: {}}}", "{goals: {Below: {length: 0}}}"):
        with pytest.raises(VstackError):
            ask(section, tool=False)


def test_type_annotations_and_operators_are_pinned(ask: Ask, tmp_path: Path) -> None:
    section = "{goals: {Below: {mode: inductive, invariant: IndInv}}}"

    def pins(model: str) -> tuple[dict[str, str], list[str]]:
        ask("{goals: {}}", model=model, tool=False)
        (tmp_path / "vstack.yaml").write_text(YAML.replace("APALACHE", section))
        context = open_project(tmp_path)
        found = compute_pins(context.project, context.spec)
        digests = {"operator": found.operators["inductive invariant IndInv"].digest, "section": found.settings["apalache"].digest}
        return digests, found.settings["apalache"].value["annotations"]["Count"]

    digests, listed = pins(MODEL)
    assert listed == ["Top: @type: Int;".rstrip(";"), "Guard: @type: Bool", "x: @type: Int"]
    assert pins(MODEL.replace("EXTENDS", "\\* A comment.\nEXTENDS"))[0] == digests
    assert pins(MODEL.replace("@type: Int;\n  x", "@type: Bool;\n  x"))[0]["section"] != digests["section"]
    assert pins(MODEL.replace("x \\in 0..Top\n", "x \\in 0..Top /\\ x # 9\n"))[0]["operator"] != digests["operator"]


def test_what_is_asked_of_an_action_goal_and_of_chosen_constants(tmp_path: Path) -> None:
    model = MODEL.replace("Below ==", "Grows == [][x' > x]_x\nChosen == Top \\in 1..3\nBelow ==")
    (tmp_path / "Count.tla").write_text(model)
    yaml = YAML.replace("Below: {kind: invariant, formula: Below", "Below: {kind: action, formula: Grows")
    (tmp_path / "vstack.yaml").write_text(yaml.replace("APALACHE", "{goals: {Below: {length: 4}}, cinit: Chosen}"))
    context = open_project(tmp_path)
    section = context.project.file.apalache
    assert section is not None
    job = make_job(context.project, context.spec, section, "Below", Setting("after", "any"), inductive=False)
    (first, search) = job.questions
    assert (first.options["--inv"], first.wanted) == ("vs_none", "violated")
    assert search.options["--inv"] == "vs_step_Grows" and search.options["--cinit"] == "Chosen"
    assert re.search(r"vs_step_Grows ==\s+\[x' > x\]_x", job.files["Count.tla"])
    assert "vs_none == x # x" in job.files["Count.tla"]
    assert job.files["vstack.cfg"].split() == ["CONSTANTS", "Guard", "=", "TRUE"]
