"""Guard constants only enable steps or choose branches: a bug wired in by hand is found, honest uses are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.validate.buffer_project import GOALS, MODEL, PROJECT, write_project
from vstack.project import load_project
from vstack.results import Finding
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tools.find import Tools, find_tools
from vstack.validate.guard_rule import check_guard_constants

# Every action of the model with an anchor; history that no action reads.
ANCHORED = (
    MODEL.replace(
        "vars == <<phase, writing, total, box>>", "VARIABLE seen\nvars == <<phase, writing, total, box, seen>>"
    )
    .replace("/\\ box = <<>>\n\nAsk", '/\\ box = <<>> /\\ seen = "nothing"\n\nAsk')
    .replace("UNCHANGED <<", "UNCHANGED <<seen, ")
    .replace("UNCHANGED phase", "UNCHANGED <<seen, phase>>")
    .replace("\nFree ==", "\n\\* @anchor engine:buffer.py:3-9@" + "0" * 40 + " sha256:0123456789abcdef\nFree ==")
)


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def _check(folder: Path, tools: Tools, model: str, goals: str = GOALS, project: str = PROJECT) -> tuple[Finding, ...]:
    loaded = load_project(write_project(folder, model=model, goals=goals, project=project))
    spec = load(loaded.model_path, search=loaded.module_folders, java=tools.java, jar=tools.jar)
    return check_guard_constants(loaded, spec, split_next(spec, "Next"))


FREE_UPDATE = '/\\ phase\' = "idle"\n    /\\ UNCHANGED <<seen, writing, total, box>>'

HONEST = {
    "as it is": ANCHORED,
    "condition of a branch between values": ANCHORED.replace(
        FREE_UPDATE,
        '/\\ phase\' = IF G1 THEN "idle" ELSE phase\n    /\\ UNCHANGED <<seen, writing, total, box>>',
    ),
    "condition of a branch between steps": ANCHORED.replace(
        FREE_UPDATE,
        '/\\ IF G1 /\\ writing THEN phase\' = "held" ELSE phase\' = "idle"\n    /\\ UNCHANGED <<seen, writing, total, box>>',
    ),
    "condition of CASE": ANCHORED.replace(
        FREE_UPDATE,
        '/\\ phase\' = CASE G1 -> "idle" [] OTHER -> "held"\n    /\\ UNCHANGED <<seen, writing, total, box>>',
    ),
    "in a helper that is a condition": ANCHORED.replace("\nAsk ==", "\nMayFree == G1 => ~writing\n\nAsk ==").replace(
        "/\\ G1 => ~writing\n    /\\ phase'", "/\\ MayFree\n    /\\ phase'"
    ),
    "branch inside a helper that gives a value": ANCHORED.replace(
        "\nAsk ==", '\nAfter(b) == IF b THEN "idle" ELSE "held"\n\nAsk =='
    ).replace(FREE_UPDATE, "/\\ phase' = After(G1)\n    /\\ UNCHANGED <<seen, writing, total, box>>"),
    "fairness of the actions themselves": ANCHORED.replace("WF_vars(Next)", "WF_vars(Free) /\\ WF_vars(Ask \\/ Grant)"),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest(tmp_path: Path, tools: Tools, name: str) -> None:
    assert _check(tmp_path, tools, HONEST[name]) == ()


CHEATS = {
    "in Init": (
        ANCHORED.replace('Init == phase = "idle"', 'Init == phase = (IF G1 THEN "idle" ELSE "asked")'),
        "used in Init",
    ),
    "in an environment action": (
        ANCHORED.replace("    /\\ Lossy\n", "    /\\ Lossy \\/ ~G1\n"),
        "environment action Lose",
    ),
    "in a helper of an environment action": (
        ANCHORED.replace("\nLose ==", "\nMayLose == Lossy \\/ ~G1\n\nLose ==").replace(
            "    /\\ Lossy\n", "    /\\ MayLose\n"
        ),
        "environment action Lose",
    ),
    "in ASSUME": (ANCHORED.replace("\nAsk ==", "\nASSUME G1 \\in BOOLEAN\n\nAsk =="), "used in an ASSUME"),
    "in fairness": (
        ANCHORED.replace("WF_vars(Next)", "WF_vars(Next /\\ G1)"),
        "used in a fairness condition",
    ),
    "as a value": (
        ANCHORED.replace(
            FREE_UPDATE, "/\\ phase' = \"idle\" /\\ writing' = ~G1\n    /\\ UNCHANGED <<seen, total, box>>"
        ),
        "part of what is written in action Free",
    ),
    "inside a value, through a helper": (
        ANCHORED.replace("\nAsk ==", "\nBad == {G1}\n\nAsk ==").replace(
            FREE_UPDATE, "/\\ phase' = \"idle\" /\\ writing' = (FALSE \\in Bad)\n    /\\ UNCHANGED <<seen, total, box>>"
        ),
        "part of what is written in action Free",
    ),
    "equal to a primed condition": (
        ANCHORED.replace(
            FREE_UPDATE, "/\\ phase' = \"idle\" /\\ (writing' <=> ~G1)\n    /\\ UNCHANGED <<seen, total, box>>"
        ),
        "neither an enabling condition nor that of a branch",
    ),
    "branch that only history shows": (
        ANCHORED.replace(
            FREE_UPDATE,
            '/\\ phase\' = "idle" /\\ seen\' = IF G1 THEN seen ELSE "corrupt"\n    /\\ UNCHANGED <<writing, total, box>>',
        ),
        "only goals see it",
    ),
    "history with a reading that decides nothing": (
        ANCHORED.replace(
            FREE_UPDATE,
            '/\\ phase\' = "idle" /\\ seen\' = IF G1 THEN seen ELSE "corrupt"\n    /\\ UNCHANGED <<writing, total, box>>',
        ).replace("    /\\ Lossy\n", "    /\\ Lossy\n    /\\ seen = seen \\/ box = <<>>\n    /\\ TRUE \\/ seen = box\n"),
        "only goals see it",
    ),
    "history read by an IF with one branch": (
        ANCHORED.replace(
            FREE_UPDATE,
            '/\\ phase\' = (IF seen = "nothing" THEN "idle" ELSE "idle") /\\ seen\' = IF G1 THEN seen ELSE "corrupt"\n'
            "    /\\ UNCHANGED <<writing, total, box>>",
        ),
        "only goals see it",
    ),
    "action that only corrupts history": (
        ANCHORED.replace(
            "\nLose ==",
            "\n\\* @anchor engine:buffer.py:3-9@" + "0" * 40 + " sha256:0123456789abcdef\n"
            'Corrupt == /\\ ~G1\n           /\\ seen\' = "corrupt"\n           /\\ UNCHANGED <<phase, writing, total, box>>\n\nLose ==',
        ).replace("    \\/ Lose\n", "    \\/ Lose\n    \\/ Corrupt\n"),
        "only goals see it",
    ),
    "in an action without an anchor": (
        ANCHORED.replace("Grant ==\n    /\\ phase", "Grant ==\n    /\\ G1 \\/ ~writing\n    /\\ phase"),
        "action Grant, which carries no anchor",
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_cheat(tmp_path: Path, tools: Tools, name: str) -> None:
    model, said = CHEATS[name]
    findings = _check(tmp_path, tools, model)
    assert any(said in finding.message and "G1" in finding.message for finding in findings), findings
    file, line = findings[0].where.rsplit(":", 1)
    assert "G1" in Path(file).read_text(encoding="utf-8").split("\n")[int(line) - 1]


def test_goal(tmp_path: Path, tools: Tools) -> None:
    goals = GOALS.replace("VARIABLES phase", "CONSTANT G1\nVARIABLES phase").replace(
        'writing => phase = "held"', '(G1 /\\ writing) => phase = "held"'
    )
    model = ANCHORED.replace("    G1,      \\* free waits for the write\n", "")
    (finding,) = _check(tmp_path, tools, model, goals)
    assert finding.message == "Guard wait's constant G1 is used in goal isolation"
    assert finding.where.endswith("BufferGoals.tla:7")


def test_override(tmp_path: Path, tools: Tools) -> None:
    project = PROJECT.replace('constants: {Most: "2"}', 'constants: {Most: "2"}\n  overrides: {G1: Quiet}')
    (finding,) = _check(tmp_path, tools, ANCHORED, project=project)
    assert "overridden" in finding.message
