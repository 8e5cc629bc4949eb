"""Operators that depend on TLC's evaluation or act on TLC are refused wherever a run reaches them, and only those."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.project import load_project
from vstack.results import Finding
from vstack.tla.sany import load
from vstack.tools.find import Tools, find_tools
from vstack.validate.side_effects import check_side_effects

ROOT = Path(__file__).parents[2]
REAL = [
    *sorted(path.parent for path in ROOT.glob("examples/upstream/*/vstack.yaml")),
    ROOT / "tests/validate/traces/pool",
    ROOT / "benchmarks/ledger",
]

GOALS = """---- MODULE CountGoals ----
EXTENDS Naturals, TLC
VARIABLE n

Small == n < 3
Rises == [][n' >= n]_n
====
"""

MODEL = """---- MODULE Count ----
EXTENDS CountGoals
CONSTANT Most

Pick(S) == CHOOSE x \\in S : TRUE
Twice(F(_), S) == F(S)
Bound == n <= Most

Init == n = 0
Step ==
    /\\ n < Most
    /\\ n' = n + 1
Stay == UNCHANGED n
Next == Step \\/ Stay
Spec == Init /\\ [][Next]_n
====
"""

PROJECT = """version: 1
project: count
model:
  module: Count.tla
  constants: {Most: "2"}
  constraints: [Bound]
goals:
  small: {formula: Small, english: Few.}
  rises: {kind: action, formula: Rises, english: It rises.}
"""

HELPER = """---- MODULE Helper ----
CONSTANT Limit
LOCAL INSTANCE TLC
R == INSTANCE Randomization
Lucky(S) == RandomElement(S) = Limit
====
"""


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def _check(folder: Path, tools: Tools, **files: str) -> tuple[Finding, ...]:
    texts = {"Count.tla": MODEL, "CountGoals.tla": GOALS, "vstack.yaml": PROJECT} | files
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    project = load_project(folder)
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    return check_side_effects(project, spec)


def _model(guard: str, extra: str = "") -> str:
    return MODEL.replace("    /\\ n < Most\n", f"    /\\ n < Most\n    /\\ {guard}\n").replace(
        "\nInit ==", f"\n{extra}\n\nInit =="
    )


def test_honest_twin(tmp_path: Path, tools: Tools) -> None:
    guard = (
        "LET f == 1 :> 2 @@ 2 :> 3 IN f[1] > 0 /\\ TLCEval(n) < 9 /\\ Permutations({1, 2}) # {} /\\ ToString(n) # <<>>"
    )
    unused = "Trial == RandomElement({1, 2}) + TLCGet(1)\nAssert3 == Twice(Pick, {1}) = 1"
    assert _check(tmp_path, tools, **{"Count.tla": _model(guard + " /\\ Assert3", unused)}) == ()


@pytest.mark.parametrize(
    ("operator", "guard"),
    [
        ("RandomElement", "RandomElement(1..100000) = 1"),
        ("TLCGet", 'TLCGet("distinct") > 1000000'),
        ("TLCSet", 'TLCSet("exit", TRUE)'),
        ("Assert", 'Assert(n < 2, "too far")'),
        ("Print", 'Print("seen", TRUE)'),
        ("PrintT", 'PrintT("seen")'),
        ("JavaTime", "JavaTime > 5"),
        ("Any", "n \\in Any"),
        ("RandomElement", "Twice(RandomElement, {1, 2}) = 1"),
        ("RandomElement", "Twice(LAMBDA s : RandomElement(s), {1, 2}) = 1"),
        ("TLCGet", "LET f[i \\in {1}] == TLCGet(i) IN f[1] = 0"),
        ("TLCGet", "\\E k \\in {TLCGet(1)} : k = 0"),
    ],
)
def test_in_an_action(tmp_path: Path, tools: Tools, operator: str, guard: str) -> None:
    model = _model(guard)
    (finding,) = _check(tmp_path, tools, **{"Count.tla": model})
    line = model.split("\n").index(f"    /\\ {guard}") + 1
    assert finding.where == f"{tmp_path / 'Count.tla'}:{line}"
    assert finding.message.startswith("Next, in ") and f" uses {operator} of module TLC: " in finding.message
    assert (finding.rule, finding.outcome) == ("side-effect", "refused")
    assert finding.todo


def test_through_helpers_each_use_once(tmp_path: Path, tools: Tools) -> None:
    extra = "Inner == RandomElement(1..9) = 1\nOuter == Inner /\\ n >= 0"
    model = _model("Outer", extra).replace("Stay ==", "Stay == Outer /\\")
    (finding,) = _check(tmp_path, tools, **{"Count.tla": model})
    assert finding.message.startswith("Next, in Inner, uses RandomElement")


@pytest.mark.parametrize(
    ("said", "model"),
    [
        ("RandomSubset of module Randomization", _model("R!RandomSubset(1, {1}) = {1}", "R == INSTANCE Randomization")),
        ("RandomElement of module TLC", _model("H!Lucky({1, 2})", "H == INSTANCE Helper WITH Limit <- 1")),
        ("RandomElement of module TLC", _model("H(2)!Lucky({2})", "H(Limit) == INSTANCE Helper")),
        (
            "RandomSubset of module Randomization",
            _model("H!R!RandomSubset(1, {1, 2}) = {1}", "H == INSTANCE Helper WITH Limit <- 1"),
        ),
        ("RandomElement of module TLC", _model("T!RandomElement({1, 2}) = 1", "T == INSTANCE TLC")),
        ("TLCGet of module TLC", _model("H!Lucky({1})", "H == INSTANCE Helper WITH Limit <- TLCGet(1)")),
    ],
)
def test_through_an_instance(tmp_path: Path, tools: Tools, said: str, model: str) -> None:
    findings = _check(tmp_path, tools, **{"Count.tla": model, "Helper.tla": HELPER})
    assert any(said in finding.message for finding in findings), findings
    for finding in findings:
        file, line = finding.where.rsplit(":", 1)
        used = finding.message.split(" uses ")[1].split(" of module ")[0]
        assert used in Path(file).read_text(encoding="utf-8").split("\n")[int(line) - 1]


@pytest.mark.parametrize(
    ("root", "file", "old", "new"),
    [
        ("Small", "CountGoals.tla", "Small == n < 3", "Small == n < 3 \\/ TLCGet(1) = 0"),
        ("Rises", "CountGoals.tla", "[][n' >= n]_n", "[][n' >= n \\/ TLCGet(1) = 0]_n"),
        ("Bound", "Count.tla", "Bound == n <= Most", "Bound == n <= Most /\\ TLCGet(1) = 0"),
        ("Init", "Count.tla", "Init == n = 0", "Init == n = TLCGet(1)"),
        ("Spec", "Count.tla", "[][Next]_n\n", "[][Next]_n /\\ WF_n(Step /\\ TLCGet(1) = 0)\n"),
        ("An ASSUME", "CountGoals.tla", "VARIABLE n", "VARIABLE n\nASSUME TLCGet(1) = 0"),
        ("Calm", "Count.tla", "Bound ==", "ASSUME Calm == TLCGet(1) = 0\nBound =="),
    ],
)
def test_elsewhere(tmp_path: Path, tools: Tools, root: str, file: str, old: str, new: str) -> None:
    text = {"Count.tla": MODEL, "CountGoals.tla": GOALS}[file].replace(old, new)
    (finding,) = _check(tmp_path, tools, **{file: text})
    assert finding.message.startswith(f"{root} uses TLCGet")
    line = next(number for number, line in enumerate(text.split("\n"), 1) if "TLCGet" in line)
    assert finding.where == f"{tmp_path / file}:{line}"


@pytest.mark.parametrize("key", ["view", "symmetry"])
def test_view_and_symmetry(tmp_path: Path, tools: Tools, key: str) -> None:
    project = PROJECT.replace("  constraints:", f"  {key}: Seen\n  constraints:")
    model = _model("TRUE", "Seen == <<n, TLCGet(1)>>")
    (finding,) = _check(tmp_path, tools, **{"Count.tla": model, "vstack.yaml": project})
    assert finding.message.startswith("Seen uses TLCGet")


def test_override(tmp_path: Path, tools: Tools) -> None:
    project = PROJECT.replace("  constraints:", "  overrides: {Pick: Draw}\n  constraints:")
    model = _model("Pick({1, 2}) = 1", "Draw(S) == RandomElement(S)")
    (finding,) = _check(tmp_path, tools, **{"Count.tla": model, "vstack.yaml": project})
    assert finding.message.startswith("Draw uses RandomElement")


@pytest.mark.parametrize("in_config", [False, True])
def test_override_by_the_operator_itself(tmp_path: Path, tools: Tools, in_config: bool) -> None:
    files = {"Count.tla": _model("Pick({1, 2}) = 1")}
    if in_config:
        files["Count.cfg"] = "CONSTANTS\n  Pick <- RandomElement\n"
        files["vstack.yaml"] = PROJECT.replace("  constraints:", "  config: Count.cfg\n  constraints:")
    else:
        files["vstack.yaml"] = PROJECT.replace("  constraints:", "  overrides: {Pick: RandomElement}\n  constraints:")
    (finding,) = _check(tmp_path, tools, **files)
    assert finding.message.startswith("The configuration names RandomElement of module TLC")
    assert finding.where == (f"{tmp_path / 'Count.cfg'}:2" if in_config else f"{tmp_path / 'vstack.yaml'}:6")


def test_a_copy_of_a_module_with_java_behind_it(tmp_path: Path, tools: Tools) -> None:
    copy = "---- MODULE IOUtils ----\nIOEnv == [x |-> 1]\n====\n"
    model = _model("IO!IOEnv.x = 1", "IO == INSTANCE IOUtils")
    (finding,) = _check(tmp_path, tools, **{"Count.tla": model, "IOUtils.tla": copy})
    assert "uses IOEnv of module IOUtils" in finding.message


@pytest.mark.parametrize("folder", REAL, ids=lambda folder: folder.name)
def test_real_models_pass(folder: Path, tools: Tools) -> None:
    project = load_project(folder)
    spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
    assert check_side_effects(project, spec) == ()
