"""What a forge reads: within its limits, with relative paths, and never mistaken for markup."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from vstack.forge.annotations import annotation_lines
from vstack.forge.junit import junit
from vstack.forge.problems import Problem, problems
from vstack.forge.sarif import sarif
from vstack.forge.summary import LIMIT_BYTES, summary
from vstack.results import CaseReport, Cell, Evidence, Finding, TraceRow
from vstack.verdicts import Verdict

ROOT = Path("/work tree")


def cell(goal: str, verdict: Verdict, expected: str = "holds") -> Cell:
    evidence = Evidence(key="k", engine="tlc", subject={}, inputs={}, tool="TLC", verdict=verdict, reason="out of time" if verdict is Verdict.UNDECIDED else "")
    return Cell(variant="fix", environment="calm", goal=goal, expected=expected, evidence=evidence)  # type: ignore[arg-type]


REPORT = CaseReport(
    project="case | one",
    title="A case",
    root="/work tree/cases/one",
    outcome="refused",
    reasons=("unapproved-change: Not approved (x)",),
    cells=(cell("Isolation", Verdict.HOLDS), cell("Finality", Verdict.UNDECIDED), cell("Integrity", Verdict.VIOLATED)),
    findings=(
        Finding(
            rule="unapproved-change",
            where="/work tree/cases/one/goals/Goals.tla:7",
            message="Not approved: goal Isolation, 100% of <it>\nand more",
            todo="Ask",
        ),
        Finding(rule="mutant-undecided", where="vstack.yaml", message="Mutant m1", outcome="undecided"),
    ),
    traces=(TraceRow(name="log", variant="fix", verdict=Verdict.REFUSED, reason="stale", matched=0, total=0),),
)


def test_every_problem_has_a_rule_a_place_and_a_level() -> None:
    found = problems(REPORT, root=ROOT)
    assert [(one.rule, one.file, one.line, one.level) for one in found] == [
        ("VS101", "cases/one/goals/Goals.tla", 7, "error"),
        ("VS409", "vstack.yaml", 1, "warning"),
        ("VS601", "cases/one/vstack.yaml", 1, "warning"),
        ("VS601", "cases/one/vstack.yaml", 1, "error"),
        ("VS501", "cases/one/vstack.yaml", 1, "error"),
    ]


def test_annotations_stay_within_what_github_shows_and_on_one_line() -> None:
    lines = list(annotation_lines(problems(REPORT, root=ROOT)))
    assert lines[0] == (
        "::error file=cases/one/goals/Goals.tla,line=7,title=VS101::"
        "unapproved-change: Not approved: goal Isolation, 100%25 of <it>%0Aand more. Ask."
    )
    many = [Problem("VS101", "unapproved-change", "a,b:c", 1, str(number), "error") for number in range(40)]
    lines = list(annotation_lines(many))
    assert len(lines) == 10 and "31 more" in lines[-1] and "file=a%2Cb%3Ac" in lines[0]
    assert len(list(annotation_lines(many[:10]))) == 10


def test_sarif_names_its_rules_and_fingerprints_do_not_move_with_lines() -> None:
    found = problems(REPORT, root=ROOT)
    run = json.loads(sarif(found))["runs"][0]
    assert {result["ruleId"] for result in run["results"]} <= {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "cases/one/goals/Goals.tla"}, "region": {"startLine": 7}}

    def prints(several: list[Problem]) -> list[str]:
        results = json.loads(sarif(several))["runs"][0]["results"]
        return [result["partialFingerprints"]["vstackProblem/v1"] for result in results]

    moved = [Problem(one.rule, one.name, one.file, one.line + 5, one.message, one.level) for one in found]
    assert prints(list(found)) == prints(moved)
    twice = prints([found[0], found[0]])
    assert len(set(twice)) == 2


def test_junit_tells_failures_from_errors() -> None:
    suite = ElementTree.fromstring(junit([REPORT], root=ROOT))[0]
    assert (suite.get("name"), suite.get("failures"), suite.get("errors")) == ("case | one", "5", "1")
    assert int(suite.get("tests") or 0) == len(suite) == 7
    by_name = {case.get("name"): [child.tag for child in case] for case in suite}
    assert by_name["fix/calm/Isolation"] == [] and by_name["fix/calm/Finality"] == ["error"]
    assert by_name["fix/calm/Integrity"] == by_name["outcome: refused"] == ["failure"]


def test_the_summary_is_text_and_not_too_long() -> None:
    text = summary([REPORT], root=ROOT)
    assert "## case \\| one: refused" in text and "VS101 unapproved-change" in text
    assert "&lt;it&gt;" in text and "undecided **(not as expected)**" in text
    long = REPORT.model_copy(update={"title": "x", "reasons": (), "project": "p" * 2000})
    assert len(summary([long] * 800, root=ROOT).encode()) < LIMIT_BYTES + 100


def test_a_file_name_of_any_bytes_goes_through_every_form() -> None:
    name = "/work tree/cases/\udcff r\xe4nk #1.tla"
    finding = Finding(rule="unapproved-change", where=f"{name}:3", message=f"in {name} \x07\ufffe", todo="x" * 9_000)
    report = REPORT.model_copy(update={"findings": (finding,), "project": "p\udc80", "root": "/work tree"})
    found = problems(report, root=ROOT)
    assert found[0].file == "cases/\\xff r\xe4nk #1.tla"
    place = json.loads(sarif(found))["runs"][0]["results"]
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in place}
    assert "cases/%5Cxff%20r%C3%A4nk%20%231.tla" in uris
    ElementTree.fromstring(junit([report], root=ROOT).encode())
    assert "r\xe4nk" in summary([report], root=ROOT).encode("utf-8", "replace").decode()
    line = next(iter(annotation_lines(found)))
    assert len(line) < 4_200 and "\n" not in line and line.encode()


def test_sarif_keeps_what_is_gravest_and_a_summary_leaves_room_for_what_is_there() -> None:
    notes = [Problem("VS220", "changed-beside-anchor", "a", 1, str(number), "note") for number in range(5_100)]
    run = json.loads(sarif([*notes, *problems(REPORT, root=ROOT)]))["runs"][0]
    assert len(run["results"]) == 5_000
    assert [one["level"] for one in run["results"][:5]] == ["error", "error", "error", "warning", "warning"]
    assert len(summary([REPORT] * 900, root=ROOT, used=LIMIT_BYTES - 1_000).encode()) < 1_100
