"""CHOOSE in a step: refused where several values may fit, free where the form leaves one, or where a reason is approved."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.project import load_project
from vstack.results import Finding
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tools.find import Tools, find_tools
from vstack.validate.choices import check_choices
from vstack.validate.stutters import check_stutters

MODEL = """---- MODULE Pick ----
EXTENDS Naturals, Sequences
CONSTANT S
VARIABLES x, seen
vars == <<x, seen>>
Least(T) == CHOOSE n \\in T : \\A m \\in T : n <= m
Greatest(T) == CHOOSE n \\in T : n \\in Nat /\\ \\A m \\in T : m =< n
AnyOf(T) == CHOOSE n \\in T : TRUE
Init == x \\in S /\\ seen = <<>>
Take == x' = {value} /\\ seen' = Append(seen, x)
Rest == {rest}
Next == Take \\/ Rest
Spec == Init /\\ [][Next]_vars
Fine == \\E n \\in S : n = CHOOSE m \\in S : TRUE
====
"""
YAML = """version: 1
project: pick
model: {{module: Pick.tla, constants: {{S: "{{1, 2}}"}}, check_deadlock: true{more}}}
goals:
  Fine: {{formula: Fine, english: fine}}
environments:
  all: {{english: everything may happen}}
environment_actions: [{environment}]
"""


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


def _project(folder: Path, value: str, more: str = "", rest: str = "x = 0 /\\ x' = 1 /\\ UNCHANGED seen", environment: str = ""):  # type: ignore[no-untyped-def]
    (folder / "Pick.tla").write_text(MODEL.replace("{value}", value).replace("{rest}", rest))
    (folder / "vstack.yaml").write_text(YAML.format(more=more, environment=environment))
    return load_project(folder)


def _choices(folder: Path, tools: Tools, value: str, more: str = "") -> tuple[Finding, ...]:
    project = _project(folder, value, more)
    return check_choices(project, load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar))


@pytest.mark.parametrize(
    "value", ["Least(S)", "Greatest({n \\in S : n > 0})", "CHOOSE n \\in {x} : TRUE", "CHOOSE n \\in S : n > 0 /\\ x = n"]
)
def test_one_value_is_no_choice(tmp_path: Path, tools: Tools, value: str) -> None:
    assert _choices(tmp_path, tools, value) == ()


@pytest.mark.parametrize(
    ("value", "holder"),
    [
        ("CHOOSE n \\in S : n > 0", "Take"),
        ("AnyOf(S)", "AnyOf"),
        ("LET f(T) == CHOOSE n \\in T : TRUE IN f(S)", "Take"),
        ("(CHOOSE n \\in S : \\A m \\in {1} : n >= m)", "Take"),
        ("(CHOOSE n \\in S : n = n)", "Take"),
        ("(CHOOSE n \\in S : \\A m \\in S : n # m \\/ n = m)", "Take"),
    ],
)
def test_a_choice_is_refused_where_it_stands(tmp_path: Path, tools: Tools, value: str, holder: str) -> None:
    (finding,) = _choices(tmp_path, tools, value)
    assert finding.rule == "choice-narrowed" and finding.message.startswith(f"{holder} chooses with `CHOOSE n")
    file, line = finding.where.rsplit(":", 1)
    assert "CHOOSE" in Path(file).read_text().splitlines()[int(line) - 1]


def test_an_excuse_frees_its_definition_and_an_idle_one_is_told(tmp_path: Path, tools: Tools) -> None:
    assert _choices(tmp_path, tools, "AnyOf(S)", ", choices: {AnyOf: a sum does not depend on the order}") == ()
    (finding,) = _choices(tmp_path, tools, "Least(S)", ", choices: {AnyOf: a sum does not depend on the order}")
    assert "nothing is chosen" in finding.message


def test_a_step_that_changes_nothing_hides_deadlocks_unless_its_body_is_pinned(tmp_path: Path, tools: Tools) -> None:
    for rest in ("UNCHANGED vars", "x' = x /\\ UNCHANGED seen", "x' = x /\\ seen' = [seen EXCEPT ![1] = @]"):
        for environment, count in (("", 1), ("Rest", 0)):
            project = _project(tmp_path, "x", rest=rest, environment=environment)
            spec = load(project.model_path, search=project.module_folders, java=tools.java, jar=tools.jar)
            found = check_stutters(project, spec, split_next(spec, "Next"))
            assert len(found) == count, (rest, environment)
            assert all("Rest changes no variable" in finding.message for finding in found)
