"""An action that never happens for a value of its parameter is told; where it does in some case, or is excused, it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.context import open_project
from vstack.keep.check import Options, make_runner
from vstack.results import Finding
from vstack.validate.instances import run_instances

MODEL = """---- MODULE Ask ----
EXTENDS Naturals
CONSTANTS Requests, Late
VARIABLES asked, answered
vars == <<asked, answered>>
Init == asked = {} /\\ answered = {}
Ask(r) == r \\notin asked /\\ CONDITION /\\ asked' = asked \\union {r} /\\ UNCHANGED answered
Answer(r, ok) == r \\in asked \\ answered /\\ (~ok => Late) /\\ answered' = answered \\union {r} /\\ UNCHANGED asked
Next == \\E r \\in Requests : Ask(r) \\/ \\E ok \\in BOOLEAN : Answer(r, ok)
Spec == Init /\\ [][Next]_vars
Fine == answered \\subseteq asked
====
"""
YAML = """version: 1
project: ask
model: {{module: Ask.tla, constants: {{Requests: "{{1, 2}}"}}{more}}}
goals:
  Fine: {{formula: Fine, english: fine}}
environments:
  prompt: {{english: no answer is late, constants: {{Late: "FALSE"}}}}
  late: {{english: an answer may be late, constants: {{Late: "TRUE"}}}}
variants:
  all: {{english: as it is, ours: true}}
matrix:
  all: {{prompt: {{Fine: holds}}{late}}}
floors: {{every_value: {every}}}
"""


def _findings(
    folder: Path, condition: str, *, late: str = ", late: {Fine: holds}", more: str = "", every: str = "true"
) -> tuple[Finding, ...]:
    (folder / "Ask.tla").write_text(MODEL.replace("CONDITION", condition))
    (folder / "vstack.yaml").write_text(YAML.format(more=more, late=late, every=every))
    context = open_project(folder)
    return run_instances(make_runner(context, Options(), lambda text: None), context.spec)


def test_every_value_in_some_case_is_enough(tmp_path: Path) -> None:
    # In `prompt` no answer fails; in `late` it may.
    assert _findings(tmp_path, "TRUE") == ()


@pytest.mark.parametrize("condition", ["r = 1", "\\A q \\in Requests : r =< q"])
def test_a_request_that_nothing_asks_for_is_told(tmp_path: Path, condition: str) -> None:
    found = _findings(tmp_path, condition)
    assert [f.message.split(",")[0] for f in found] == ["Ask never happens with r = 2", "Answer never happens with r = 2"]
    assert all(f.rule == "instance-never-fires" and f.outcome == "refused" for f in found)
    assert _findings(tmp_path, condition, every="false") == ()


def test_an_excuse_frees_its_action(tmp_path: Path) -> None:
    (finding,) = _findings(tmp_path, "TRUE", late="")
    assert finding.message == "Answer never happens with ok = FALSE, in no case of the matrix"
    assert _findings(tmp_path, "TRUE", late="", more=", partial: {Answer: late answers are another model's}") == ()
