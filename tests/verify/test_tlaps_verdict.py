"""What tlapm prints, and what a run is worth: outputs of the real tlapm, and the same outputs tampered with."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from vstack.tla.sany import load
from vstack.tla.tree import Spec
from vstack.tools.find import find_tools
from vstack.verdicts import Verdict
from vstack.verify.tlaps_library import interface
from vstack.verify.tlaps_protocol import parse
from vstack.verify.tlaps_run import ModuleRun, arguments
from vstack.verify.tlaps_verdict import Judged, judge_module

FOLDER = Path(__file__).parent / "tlaps"
OUTPUTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "outputs.json").read_text())


@pytest.fixture(scope="module")
def spec() -> Spec:
    tools = find_tools()
    library = {"TLAPS": interface()}
    return load(FOLDER / "Outputs.tla", search=[], java=tools.java, jar=tools.jar, library=library)


def ran(label: str, *, text: str | None = None, code: int | None = None, stopped: str = "") -> ModuleRun:
    output = OUTPUTS[label]
    returncode = output["returncode"] if code is None else code
    module = output["module"]
    return ModuleRun(module, arguments(module, 1), returncode, stopped, 1.0, text or output["stderr"])


def judged(spec: Spec, label: str, **changes: Any) -> Judged:
    one = ran(label, **changes)
    return judge_module(spec.modules[one.module if one.module in spec.modules else "Proved"], one)


@pytest.mark.parametrize(
    ("label", "verdict", "says"),
    [
        ("proved", Verdict.HOLDS, "5 obligations proved"),
        (
            "failed",
            Verdict.UNDECIDED,
            r"1 of 1 obligations not proved, the first at Failed.tla:4 .*does not say that the theorem is false",
        ),
        ("out of time", Verdict.UNDECIDED, r"Late.tla:4 \(out of time"),
        ("omitted", Verdict.REFUSED, r"\[tlaps-unproved\]"),
        ("nothing selected", Verdict.ERROR, "exit status 12.*No proof obligation"),
        ("a part", Verdict.REFUSED, r"\[tlaps-run\] The proof at line 8 and 1 more was not looked at"),
        ("not proving", Verdict.UNDECIDED, "left `to be proved`"),
        ("cached", Verdict.REFUSED, r"\[tlaps-run\].*from a cache"),
        ("recursive", Verdict.ERROR, "Recursive operators not supported"),
        ("does not parse", Verdict.ERROR, "incomplete expression"),
    ],
)
def test_a_run_of_the_real_tlapm(spec: Spec, label: str, verdict: Verdict, says: str) -> None:
    found = judged(spec, label)
    assert found.verdict is verdict, found.reason
    assert re.search(says, found.reason), found.reason


def test_exit_status_0_is_no_proof_by_itself(spec: Spec) -> None:
    for label in ("failed", "out of time", "not proving", "cached", "a part"):
        assert judged(spec, label, code=0).verdict is not Verdict.HOLDS, label


def test_a_run_that_was_stopped_proves_nothing(spec: Spec) -> None:
    assert judged(spec, "proved", stopped="out of time after 600 s").verdict is Verdict.UNDECIDED


PROVED = OUTPUTS["proved"]["stderr"]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("@!!count:5", "@!!count:4", "counts 4 obligations"),
        ("@!!type:obligationsnumber", "@!!type:warning", "does not say how many"),
        ("[INFO]: All 5 obligations proved.", "", "does not end with the words"),
        ("[INFO]: All 5", "[INFO]: All 4", "does not end with the words"),
        ("[INFO]: All 5", "[ERROR]: 1/5 obligations failed.\n[INFO]: All 5", "does not end with the words"),
        ("@!!status:trivial", "@!!status:interrupted", "left `interrupted`"),
        ("@!!id:2\n", "@!!id:two\n", "a number does not read"),
        ("@!!END\n\nFile", "\nFile", "cut short"),
        ("@!!already:false", "@!!already:maybe", "from a cache"),
    ],
)
def test_an_output_that_was_tampered_with_is_not_believed(spec: Spec, before: str, after: str, says: str) -> None:
    assert before in PROVED
    found = judged(spec, "proved", text=PROVED.replace(before, after))
    assert found.verdict is not Verdict.HOLDS
    assert says in found.reason


def test_every_proof_must_have_been_looked_at(spec: Spec) -> None:
    text = re.sub(r"@!!BEGIN\n@!!type:obligation\n@!!id:1\n.*?@!!END\n", "", PROVED, flags=re.DOTALL)
    text = text.replace("count:5", "count:4").replace("All 5", "All 4")
    found = judged(spec, "proved", text=text)
    assert found.verdict is Verdict.REFUSED
    assert "was not looked at" in found.reason


def test_obligations_that_stand_where_no_proof_is_are_another_text_s(spec: Spec) -> None:
    moved = re.sub(r"(@!!id:1\n@!!loc:)\d+:\d+:\d+:\d+", r"\g<1>3:1:3:4", PROVED)
    extra = "@!!BEGIN\n@!!type:obligation\n@!!id:9\n@!!loc:3:1:3:4\n@!!status:proved\n@!!already:false\n@!!END\n"
    assert "was not looked at" in judged(spec, "proved", text=moved).reason
    padded = extra + PROVED.replace("count:5", "count:6").replace("All 5", "All 6")
    assert "and no proof" in judged(spec, "proved", text=padded).reason


def test_the_last_word_on_an_obligation_counts() -> None:
    head = "@!!BEGIN\n@!!type:obligation\n@!!id:7\n@!!loc:1:1:1:2\n@!!status:{}\n@!!reason:{}\n@!!already:{}\n@!!END\n"
    printed = parse(head.format("failed", "timeout", "true") + head.format("proved", "two\nlines", "false"))
    assert printed.obligations[7].status == "proved"
    assert printed.obligations[7].reason == "two\nlines"
    assert printed.obligations[7].already, "an obligation that was ever taken from a cache stays so"
