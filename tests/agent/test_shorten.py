"""Long answers are cut so that what is bad stays, what is good is counted, and nothing is said that was not there."""

from __future__ import annotations

import json
from pathlib import Path

from vstack.agent.call import split_json
from vstack.agent.shorten import MOST_CHARACTERS, shorten, shorten_text
from vstack.commands.validate import run as validate
from vstack.results import CaseReport, Evidence, MutantRow, MutationReport
from vstack.specify.scaffold import write_project
from vstack.verdicts import Verdict


def report(folder: Path) -> CaseReport:
    """The report of a real validation."""
    write_project(folder, "page")
    validate(folder, jobs=1, as_json=False, quiet=True)
    return CaseReport.model_validate_json((folder / ".vstack" / "report.json").read_text())


def mutant(number: int, status: str, excuse: str | None = None) -> MutantRow:
    return MutantRow(
        id=f"m{number}", operator="drop_conjunct", action="Start", where=f"Handover.tla:{number}", before="x" * 50,
        after="y" * 50, environment="calm", status=status, reason="a step " * 20, excuse=excuse,
    )  # fmt: skip


def test_a_report_keeps_every_cell_and_what_is_bad(tmp_path: Path) -> None:
    real = report(tmp_path)
    rows = (
        *(mutant(n, "killed") for n in range(800)),
        *(mutant(n, "survived") for n in range(30)),
        mutant(99, "survived", "why"),
    )
    cell = real.cells[0]
    wrong = cell.model_copy(update={"expected": "violated"})
    unknown = cell.model_copy(
        update={"evidence": cell.evidence.model_copy(update={"verdict": Verdict.UNDECIDED, "reason": "out of time"})}
    )
    mutation = MutationReport(variant="after", clean_passes=True, forced_failure_dies=True, rows=rows, made=831)
    long = real.model_copy(update={"mutation": mutation, "cells": (*real.cells, wrong, unknown)})
    data = [json.loads(long.model_dump_json())]
    assert len(json.dumps(data)) > MOST_CHARACTERS
    (short,), said = shorten(data)
    assert len(json.dumps(short)) < MOST_CHARACTERS and said.startswith("Shortened")
    assert short["outcome"] == "as expected"
    assert len(short["cells"]) == len(real.cells) + 2
    assert any(line.startswith("before/aborts/Isolation: violated, ") for line in short["cells"])
    assert short["cells"][-2].startswith("before/calm/Isolation: holds, EXPECTED violated")
    assert short["cells"][-1].startswith("before/calm/Isolation: undecided, EXPECTED holds (out of time)")
    assert short["mutants"] == {"killed": 800, "survived": 31} and short["excuses of mutants"] == 1
    assert short["mutants alive without an excuse"][-1] == "and 18 more"


def test_records_and_anchors_are_cut_without_losing_a_verdict(tmp_path: Path) -> None:
    records = [
        Evidence(key="k", engine="tlc", subject={"goal": f"G{n}"}, inputs={"a": "b" * 200}, tool="TLC", verdict=verdict)
        for n, verdict in enumerate(["holds", "violated", "undecided"] * 100)
    ]
    short, _ = shorten([json.loads(record.model_dump_json()) for record in records])
    told = [row if isinstance(row, str) else f"{row['subject']['goal']}: {row['verdict']}" for row in short]
    assert len(told) == 300
    assert told[1].startswith("G1: violated") and told[299].startswith("G299: undecided")
    anchors = [
        {"anchor": "a" * 150, "state": state, "where": "m"} for state in ("exact", "not checked", "changed") * 200
    ]
    short, _ = shorten({"anchors": anchors, "findings": []})
    assert short["anchors"][-1] == {"rows of each state": {"exact": 200, "not checked": 200, "changed": 200}}
    assert {row["state"] for row in short["anchors"][:-1]} == {"not checked", "changed"}


def test_what_can_t_be_cut_is_left_out_and_said(tmp_path: Path) -> None:
    short, said = shorten({"pins": "x" * (MOST_CHARACTERS + 1)})
    assert short is None and said.startswith("Left out")
    assert "characters left out" in shorten_text("a" * 100_000) and len(shorten_text("a" * 100_000)) < 21_000


def test_json_is_found_behind_progress_and_errors() -> None:
    data, rest = split_json('[page   0.1 s] 3 validate\n[\n {"a": 1}\n]\nThe page is in p\n')
    assert data == [{"a": 1}] and rest.splitlines() == ["[page   0.1 s] 3 validate", "The page is in p"]
    assert split_json("Error: no.\n") == (None, "Error: no.\n")
    assert split_json("[\nbroken\n{\n}\n")[0] == {}
