"""What goes into the pins: fairness without the model, assumptions, configuration, Z3 scripts; and no JVM when nothing changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vstack.errors import VstackError
from vstack.project import Project, load_project
from vstack.reading import read_spec
from vstack.specify.changes import compare
from vstack.specify.check import check_lock
from vstack.specify.compute import compute_pins
from vstack.specify.pins import Pins
from vstack.specify.scaffold import write_project

BASE = r"""---- MODULE M ----
EXTENDS Integers
CONSTANTS N, Limit
VARIABLES x, y, up
pair == <<y, up>>
vars == <<x, pair>>
ASSUME Positive == N > 0
ASSUME Limit \in Nat
Small == x < Limit
Bound == x <= N
Init == x = 0 /\ y = 0 /\ up = TRUE
Inc == up /\ x' = x + 1 /\ UNCHANGED pair
Dec == ~up /\ x' = x - 1 /\ UNCHANGED pair
Flip == up' = ~up /\ UNCHANGED <<x, y>>
Work == Inc \/ Dec
Next == Work \/ Flip \/ (y' = 1 - y /\ UNCHANGED <<x, up>>)
Fair == WF_vars(Work) /\ SF_vars(Dec /\ Small)
Spec == Init /\ [][Next]_vars /\ Fair
Narrow == 5
====
"""
YAML = """\
version: 1
project: m
model:
  module: M.tla
  config: m.cfg
  constraints: [Bound]
environment_actions: [Flip]
goals:
  Safe: {english: x stays small, formula: Small}
"""
CFG = "CONSTANTS N = 3\n  Limit <- Narrow\n"


def project_of(folder: Path, module: str = BASE, cfg: str = CFG, yaml: str = YAML) -> Project:
    folder.mkdir(exist_ok=True)
    (folder / "M.tla").write_text(module)
    (folder / "m.cfg").write_text(cfg)
    (folder / "vstack.yaml").write_text(yaml)
    return load_project(folder)


def pins_of(project: Project) -> Pins:
    return compute_pins(project, read_spec(project))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Pins:
    return pins_of(project_of(tmp_path_factory.mktemp("base")))


def test_the_sections_of_the_pins(base: Pins) -> None:
    assert base.goals["Safe"].definitions == ("M!Small", "M!Narrow")
    assert list(base.environment) == ["Init", "Flip", "Next"]
    assert base.environment["Next"].definitions == ("M!Next", "M!Work")
    assert base.environment["Flip"].definitions == ("M!Flip",)
    assert sorted(key.partition(" ")[0] for key in base.assumptions) == ["M", "Positive"]
    assert list(base.operators) == ["constraint Bound", "override Narrow"]
    assert base.fairness["Spec"].definitions[0] == "M!Spec"
    assert {"M!Fair", "M!Work", "M!Small"} <= set(base.fairness["Spec"].definitions)
    assert not {"M!Inc", "M!Dec"} & set(base.definitions)
    assert base.settings["actions"].value == ["Dec", "Flip", "Inc", "Next, unnamed disjunct 1"]
    assert base.definitions["M!Small"].text == "Small == x < Limit" and base.definitions["M!Small"].place == "M.tla:9"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # The model's own work: bodies of actions, a line more above, more in a tuple of all variables.
        ("Inc == up /\\ x' = x + 1", "\n\nInc == up /\\ x' = x + 2", []),
        ("pair == <<y, up>>", "pair == <<up, y>>", []),
        # Fairness: which actions, under which condition, over which variables.
        ("Work == Inc \\/ Dec", "Work == Inc \\/ Dec \\/ Flip", ["environment", "fairness"]),
        ("SF_vars(Dec /\\ Small)", "SF_vars(Dec)", ["fairness"] * 3),  # two definitions are behind it no more
        ("SF_vars(Dec /\\ Small)", "WF_vars(Dec /\\ Small)", ["fairness"]),
        ("vars == <<x, pair>>", "vars == <<x, y>>", ["fairness"]),
        ("/\\ Fair\n", "/\\ Fair /\\ []<>(x = 0)\n", ["fairness"]),
        # Assumptions, and what the configuration names.
        ("ASSUME Positive == N > 0", "ASSUME Positive == N > 0 /\\ N < 0", ["assumptions"]),
        ("ASSUME Limit \\in Nat", "ASSUME Limit \\in {}", ["assumptions", "assumptions"]),
        ("Bound == x <= N", "Bound == x <= 0", ["operators"]),
        # The override's operator stands behind the goal, the assumption and the fairness too.
        ("Narrow == 5", "Narrow == 500", ["assumptions", "assumptions", "fairness", "goals", "operators"]),
        ("Next == Work \\/ Flip \\/ (y' = 1 - y /\\ UNCHANGED <<x, up>>)", "Next == Work \\/ Flip", ["actions", "environment"]),
        # The environment tamed by what stands around its call.
        ("Next == Work \\/ Flip", "Next == Work \\/ (IF x > 0 THEN Flip ELSE Inc)", ["environment"]),
    ],
)  # fmt: skip
def test_which_pin_a_change_of_the_model_moves(
    base: Pins, tmp_path: Path, before: str, after: str, expected: list[str]
) -> None:
    assert BASE.count(before) == 1
    now = pins_of(project_of(tmp_path / "p", BASE.replace(before, after)))
    changes = compare(base, now, place=lambda path: "vstack.yaml:1")
    assert sorted(change.section for change in changes) == expected, [change.words for change in changes]


def test_a_change_of_the_models_own_configuration_is_seen(base: Pins, tmp_path: Path) -> None:
    for cfg in ("CONSTANTS N = 2\n Limit <- Narrow\n", "CONSTANTS N = 3\n Limit = 7\n", CFG + "CHECK_DEADLOCK FALSE\n"):
        now = pins_of(project_of(tmp_path / "p", cfg=cfg))
        assert "config" in [change.section for change in compare(base, now, place=lambda path: "x:1")]
    layout = pins_of(project_of(tmp_path / "p", cfg="\\* the bounds\nCONSTANT N = 3 CONSTANT Limit <- Narrow\n"))
    assert compare(base, layout, place=lambda path: "x:1") == ()


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        (YAML.replace("formula: Small", "formula: Smal"), "Smal is not defined.*Small"),
        (YAML.replace("[Flip]", "[Flop]"), "Flop is not defined.*Flip"),
        (YAML.replace("[Bound]", "[Bond]"), "Bond is not defined.*Bound"),
        (
            YAML.replace("formula: Small", "formula: Inc"),
            "Goal Safe is an invariant, but Inc is an action formula.*M.tla:12",
        ),
        (YAML.replace("formula: Small", "formula: Inc, kind: action"), "bare action"),
    ],
)
def test_names_that_lead_nowhere_are_errors_with_the_nearest(tmp_path: Path, yaml: str, said: str) -> None:
    with pytest.raises(VstackError, match=said):
        pins_of(project_of(tmp_path / "p", yaml=yaml))


def test_a_z3_goal_is_pinned_by_its_script(tmp_path: Path) -> None:
    (tmp_path / "vstack.yaml").write_text(
        "version: 1\nproject: z\ngoals:\n  Fits: {kind: z3, english: it fits, script: fits.py}\n"
    )
    project = load_project(tmp_path)
    with pytest.raises(VstackError, match="script of goal Fits does not exist"):
        pins_of(project)
    script = """import z3
from vstack.verify.z3_api import Obligation
def goal():
    page, slot, size = z3.Ints("page slot size")
    return Obligation("fits", page * size + slot < (page + 1) * size, {"in_page": z3.And(slot >= 0, slot < size)})
"""
    (tmp_path / "fits.py").write_text(script)
    before = pins_of(project)
    assert set(before.goals["Fits"].value["obligations"]) == {"fits/goal", "fits/assume in_page"}
    assert check_lock(project, before)[1][0].where.endswith("fits.py")
    (tmp_path / "fits.py").write_text(script.replace("slot < size)", "slot < size, size < 5)"))
    found = compare(before, pins_of(project), place=lambda path: ":".join(path))
    assert {change.name for change in found} == {"Fits.script sha256", "Fits.obligations.fits/assume in_page"}


def test_a_jar_that_the_project_names_is_pinned_by_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "fits.py").write_text(
        "import z3\nfrom vstack.verify.z3_api import Obligation\n"
        "def goal():\n    x = z3.Int('x')\n    return Obligation('fits', x + 1 > x, {})\n"
    )
    (tmp_path / "tla.jar").write_bytes(b"a jar")
    yaml = "version: 1\nproject: z\ngoals:\n  Fits: {kind: z3, english: it fits, script: fits.py}\n"
    (tmp_path / "vstack.yaml").write_text(yaml + "tools: {tlc_jar: tla.jar}\n")
    before = pins_of(load_project(tmp_path))
    (tmp_path / "tla.jar").write_bytes(b"another jar")
    found = compare(before, pins_of(load_project(tmp_path)), place=lambda path: ":".join(path))
    assert [(change.section, change.name) for change in found] == [("tools", "tlc_jar sha256")]


def test_an_unchanged_project_is_read_without_a_jvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, "p")
    project = load_project(tmp_path)
    first = pins_of(project)
    started: list[list[str]] = []
    popen = subprocess.Popen

    def watched(argv: list[str], **options: object) -> object:
        started.append(list(argv))
        return popen(argv, **options)  # type: ignore[call-overload]

    monkeypatch.setattr("subprocess.Popen", watched)
    assert pins_of(project) == first and started == []
    (tmp_path / "goals" / "Goals.tla").write_text((tmp_path / "goals" / "Goals.tla").read_text() + "\n")
    assert pins_of(project) == first and len(started) == 1
    compute_pins(project, read_spec(project, fresh=True))
    assert len(started) == 2
