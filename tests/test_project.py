"""`vstack.yaml`: what is read, and how each fault is told."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from vstack.errors import VstackError
from vstack.project import load_project

GOOD = """version: 1
project: lease
goals:
  Isolation: {english: No page has two owners., formula: Isolation}
model: {module: Lease.tla}
environments:
  calm: {english: nothing fails}
guards:
  G1: {constant: G1, english: waits}
variants:
  buggy: {english: before}
  fixed: {english: after, guards: [G1]}
matrix:
  buggy: {calm: {Isolation: violated}}
  fixed: {calm: {Isolation: holds}}
kills:
  - {guard: G1, variant: fixed, environment: calm, violates: [Isolation]}
"""


def write(folder: Path, text: str) -> Path:
    (folder / "vstack.yaml").write_text(text)
    return folder


def test_a_project_is_read_from_its_folder_or_file(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    for place in (tmp_path, tmp_path / "vstack.yaml"):
        project = load_project(place)
        assert project.root == tmp_path.resolve()
        assert project.file.variants["fixed"].guards == ["G1"]
        assert project.model_path == tmp_path.resolve() / "Lease.tla"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("formula:", "formla:", r"Unknown key `goals.Isolation.formla`.*vstack.yaml:4\). The nearest known key is `formula`"),
        ("english: waits", "english: waits, constants: {}", r"Unknown key `guards.G1.constants`.*nearest known key is `constant`"),
        ("variants:", "varients:", r"Unknown key `varients`.*nearest known key is `variants`"),
        ("guards: [G1]}", "guards: [G2]}", r"variants.fixed.guards: `G2` is not declared; did you mean `G1`\?"),
        ("{calm: {Isolation: holds}}", "{clam: {Isolation: holds}}", r"matrix.fixed: `clam` is not declared; did you mean `calm`\?"),
        ("Isolation: holds", "Isolation: yes", r"matrix.fixed.calm.Isolation: Input should be 'holds' or 'violated'"),
        ("variant: fixed, env", "variant: buggy, env", r"kills\[0\]: variant buggy does not have guard G1"),
        ("violates: [Isolation]", "violates: []", r"a guard that no goal needs must have an `excuse`"),
        (", formula: Isolation", "", r"goals.Isolation: a goal of kind invariant needs `formula`"),
        ("version: 1", "version: 2", r"version: Input should be 1"),
        ("project: lease", "project: a b", r"project: String should match"),
        ("project: lease", "project: lease\nproject: other", r"the key `project` stands twice \(.*vstack.yaml:3\)"),
        ("goals:", "goals: [", r"not valid YAML"),
        ("goals:", "title: 2026-13-45\ngoals:", r"`2026-13-45` is no date or time \(month must be .*vstack.yaml:3\)"),
        ("goals:", "title: 2026-02-30\ngoals:", r"`2026-02-30` is no date or time \(day .*vstack.yaml:3\)"),
        ("goals:", "title: !!bool perhaps\ngoals:", r"`perhaps` is no value of the kind bool .*vstack.yaml:3\)"),
        ("goals:", "title: !!timestamp soon\ngoals:", r"`soon` is no date or time .*vstack.yaml:3\)"),
        ("goals:", "? [a, b]\n: c\ngoals:", r"a key must be a single value .*vstack.yaml:3\)"),
    ],
)
def test_each_fault_is_one_paragraph_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(VstackError, match=message) as caught:
        load_project(tmp_path)
    assert "\n" not in caught.value.paragraph()
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "section",
    [
        "budget: {seconds: -5}",
        "budget: {seconds: 0}",
        "budget: {seconds: .nan}",
        "budget: {seconds: .inf}",
        "budget: {heap_mb: -1}",
        "budget: {heap_mb: 0}",
        "budget: {heap_mb: 99999999}",
        "floors: {distinct_states: -1}",
        "floors: {mutants: -1}",
        "floors: {states: {fixed: {calm: -1}}}",
        "distributed: {local_workers: -2}",
        "distributed: {local_workers: 100000}",
        "repos: {r: {url: u}}\nreproduce: {repo: r, driver: d.py, seconds: .nan}",
        "repos: {r: {url: u}}\nreproduce: {repo: r, driver: d.py, seconds: -1}",
        "apalache: {goals: {}, length: 0}",
    ],
)
def test_a_limit_without_sense_is_refused(tmp_path: Path, section: str) -> None:
    write(tmp_path, f"{GOOD}{section}\n")
    with pytest.raises(VstackError, match=r"Input should be .*vstack.yaml:\d+\)") as caught:
        load_project(tmp_path)
    assert "\n" not in caught.value.paragraph()


def test_limits_with_sense_are_taken(tmp_path: Path) -> None:
    write(tmp_path, GOOD + "budget: {seconds: 0.05, heap_mb: 3}\nfloors: {distinct_states: 0, mutants: 150}\n")
    file = load_project(tmp_path).file
    assert (file.budget.seconds, file.budget.heap_mb, file.floors.mutants) == (0.05, 3, 150)


WAIVED = (
    GOOD
    + "waivers:\n  - {variant: fixed, environment: calm, goal: Isolation, state: S, steps: [A], reason: r, until: %s}\n"
)


@pytest.mark.parametrize("day", ["20270101", "99999999999", "soon", "2027-1-1", "2027-01-01T00:00:00Z", "1e9"])
def test_a_waivers_end_that_is_no_day_says_how_to_write_one(tmp_path: Path, day: str) -> None:
    write(tmp_path, WAIVED % day)
    with pytest.raises(VstackError, match=r"waivers.0.until: .* is no day; write YYYY-MM-DD"):
        load_project(tmp_path)


@pytest.mark.parametrize("day", ["2027-01-31", "'2027-01-31'"])
def test_a_waivers_end_is_a_day(tmp_path: Path, day: str) -> None:
    write(tmp_path, WAIVED % day)
    assert load_project(tmp_path).file.waivers[0].until == date(2027, 1, 31)


def test_a_pipe_for_a_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "vstack.yaml")
    with pytest.raises(VstackError, match="named pipe, not a regular file"):
        load_project(tmp_path)


def test_nesting_without_end_is_told_in_words(tmp_path: Path) -> None:
    write(tmp_path, "version: " + "[" * 20_000 + "]" * 20_000)
    with pytest.raises(VstackError, match="nested too deeply|nesting depth"):
        load_project(tmp_path)


def test_a_missing_file_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(VstackError, match="No vstack.yaml here.*vstack init"):
        load_project(tmp_path)


@pytest.mark.parametrize("text", ["", "- 1\n", "just text\n"])
def test_something_that_is_no_mapping_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(VstackError, match="must be a mapping"):
        load_project(write(tmp_path, text))


def test_text_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "vstack.yaml").write_bytes(b"project: \xff\n")
    with pytest.raises(VstackError, match="not UTF-8"):
        load_project(tmp_path)
