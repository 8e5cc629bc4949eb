"""Constants of the environment and of guards are set where they belong; text is what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.project import Project, load_project
from vstack.specify.knobs import check_knobs
from vstack.specify.plain_text import check_plain_text

YAML = """version: 1
project: p
title: {title}
model: {{module: M.tla, constants: {{N: "2"{model}}}}}
goals:
  Fine: {{formula: Fine, english: fine}}
environments:
  calm: {{english: nothing happens, constants: {{Faults: "FALSE"{world}}}}}
guards:
  wait: {{constant: Waits, english: it waits}}
variants:
  before: {{english: before}}
  after: {{english: after, guards: [wait], constants: {{Limit: "3"{variant}}}}}
kills:
  - {{guard: wait, variant: after, environment: calm, violates: [Fine], constants: {{N: "3"{kill}}}}}
"""
NONE = {"title": "t", "model": "", "world": "", "variant": "", "kill": ""}


def _project(folder: Path, **changes: str) -> Project:
    (folder / "vstack.yaml").write_text(YAML.format(**{**NONE, **changes}), encoding="utf-8")
    return load_project(folder)


def test_constants_where_they_belong_are_fine(tmp_path: Path) -> None:
    assert check_knobs(_project(tmp_path)) == ()


@pytest.mark.parametrize(
    ("place", "constant", "said"),
    [
        ("variant", "Faults", "Variant after sets Faults, which the environment calm decides"),
        ("model", "Waits", "model.constants sets Waits, which switches guard wait"),
        ("world", "Waits", "environments.calm.constants sets Waits"),
        ("variant", "Waits", "variants.after.constants sets Waits"),
        ("kill", "Waits", "kills.wait / after / calm.constants sets Waits"),
    ],
)
def test_a_constant_set_elsewhere_is_refused_at_its_line(tmp_path: Path, place: str, constant: str, said: str) -> None:
    (finding,) = check_knobs(_project(tmp_path, **{place: f', {constant}: "TRUE"'}))
    assert finding.rule == "knob-elsewhere" and said in finding.message
    file, line = finding.where.rsplit(":", 1)
    assert constant in Path(file).read_text().splitlines()[int(line) - 1]


@pytest.mark.parametrize("title", ['"a\\e[2Kb"', '"a\\u202eb"', "a\u2066b", "a\u200bb", '"a\\x08b"'])
def test_a_character_that_shows_other_text_is_refused(tmp_path: Path, title: str) -> None:
    (finding,) = check_plain_text(_project(tmp_path, title=title), None)
    assert finding.rule == "deceiving-text" and "U+" in finding.message


@pytest.mark.parametrize("title", ["Übertrag — 書き込み", '"two\\nlines\\tand a tab"', "naïve ∀ x ∈ S", "👩\u200d💻"])
def test_letters_of_any_script_are_fine(tmp_path: Path, title: str) -> None:
    assert check_plain_text(_project(tmp_path, title=title), None) == ()
