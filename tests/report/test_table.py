"""The terminal's tables: 80 columns, words instead of colours, verdicts never blurred."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.report.toy import CASE, TROUBLED, cell, run
from vstack.report.table import print_report
from vstack.results import AtomicityRow, CaseReport
from vstack.verdicts import Strength, Verdict


def printed(report: CaseReport, width: int = 80) -> str:
    stream = io.StringIO()
    print_report(report, Console(file=stream, width=width))
    return stream.getvalue()


@pytest.mark.parametrize("report", [CASE, TROUBLED], ids=lambda report: report.project)
def test_it_fits_and_has_no_escape_codes_when_piped(report: CaseReport) -> None:
    text = printed(report)
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_the_outcome_stands_first_and_last_with_its_meaning() -> None:
    lines = printed(CASE).splitlines()
    places = [number for number, line in enumerate(lines) if line == "outcome: AS EXPECTED"]
    assert places[0] == 1 and places[-1] >= len(lines) - 4
    text = " ".join(printed(CASE).split())
    assert "“As expected” is not “holds”: of 18 cells, 4 are violated" in text
    assert text.count("approval: demo key: no person approved this") == 2


def test_a_cell_says_verdict_and_what_was_expected_instead() -> None:
    rows = [" ".join(line.split()) for line in printed(TROUBLED).splitlines()]
    assert "Isolation violated, NOT holds" in rows
    assert "Integrity holds, NOT violated" in rows
    assert "Finality undecided, NOT holds" in rows
    assert "Finality holds violated" in [" ".join(line.split()) for line in printed(CASE).splitlines()]


def test_claims_name_engine_strength_and_size() -> None:
    text = " ".join(printed(CASE).split())
    assert "holds by TLC, bounded: 3 cells, 1,234,567 distinct states each" in text
    assert "violated, each with a counterexample that `vstack explain` tells: 3 cells" in text


def test_an_attested_record_is_never_printed_as_holds() -> None:
    cell = CASE.cells[1]
    attested = cell.model_copy(update={"evidence": cell.evidence.model_copy(update={"strength": Strength.ATTESTED})})
    text = printed(CASE.model_copy(update={"cells": (attested,), "kills": (), "mutation": None}))
    assert " ".join(text.split()).count("Integrity attested") == 1
    assert "Integrity in calm is attested only" in text and "holds by" not in text


def test_many_environments_are_cut_into_tables_that_fit() -> None:
    cells = tuple(
        cell("patient", f"environment-{number}", goal, "holds")
        for number in range(9)
        for goal in ("Isolation", "Finality")
    )
    text = printed(CASE.model_copy(update={"cells": cells}))
    assert max(map(len, text.splitlines())) <= 80
    assert {f"environment-{number}" for number in range(9)} <= set(text.split())


def test_what_is_undecided_says_why() -> None:
    text = " ".join(printed(TROUBLED).split())
    assert "Finality in calm is undecided: stopped after 600 s with 12,345 states left" in text
    assert "Z3 answered unknown (timeout)" in text


def test_kills_mutants_anchors_traces_and_assumptions_are_told() -> None:
    text = " ".join(printed(CASE).split())
    for part in (
        "Hold patient calm Isolation yes",
        "Recheck patient calm nothing yes",
        "Recheck is excused: Needed only once pages are shared",
        "Hold and Recheck together break Isolation, Integrity",
        "mutants of variant patient: 1 killed, 1 equivalent, 1 survived",
        "1 survived, excused: The status is for people to read only.",
        "anchors to the code: 1 exact, 1 moved, 1 not checked",
        "traces: no trace recorded",
        "bounds: Requests = {r1, r2}, Pages = {p1, p2}",
        "left out of the model: 1 thing, each with its reason",
    ):
        assert part in text


def test_a_mutant_run_without_its_controls_counts_for_nothing() -> None:
    assert CASE.mutation is not None
    broken = CASE.mutation.model_copy(update={"forced_failure_dies": False})
    text = printed(CASE.model_copy(update={"mutation": broken}))
    assert "a forced failure is found: NO, so no mutant counts" in text


def test_text_that_looks_like_markup_is_printed_as_it_is() -> None:
    text = printed(CASE.model_copy(update={"title": "[bold]x[/bold] [/]", "assumptions": ("[red]y",)}))
    assert "[bold]x[/bold] [/]" in text and "[red]y" in text


def test_a_finding_is_told_once_with_what_to_do_about_it() -> None:
    finding = TROUBLED.findings[0]
    reason = f"{finding.rule}: {finding.message} ({finding.where})"
    text = " ".join(printed(TROUBLED.model_copy(update={"outcome": "refused", "reasons": (reason,)})).split())
    assert text.count("The guard constant Hold occurs in Init") == 1
    assert "(ToyLease.tla:88). Use it only in enabling conditions" in text


def test_what_could_not_be_checked_is_counted_with_its_reason() -> None:
    rows = tuple(
        AtomicityRow(action=name, where=f"{CASE.root}/m.tla:1", finding="not checked: no checkout", checked=False)
        for name in ("A", "B")
    )
    text = printed(CASE.model_copy(update={"atomicity": rows}))
    assert " - atomicity not checked, 2 findings: no checkout" in text and "not atomic" not in text


def test_what_apalache_said_is_told_cell_by_cell() -> None:
    cell = CASE.cells[1]
    text = " ".join(printed(CASE.model_copy(update={"apalache": (cell,)}), 120).split())
    assert "goals checked by Apalache" in text
    assert f"{cell.variant} / {cell.environment} / {cell.goal} {cell.evidence.verdict}" in text


def test_what_became_of_each_theorem_is_told() -> None:
    proved = run(Verdict.HOLDS, "Safety").model_copy(update={"strength": Strength.PROVED})
    attested = run(Verdict.UNDECIDED, "Order", reason="tlapm is not installed").model_copy(update={"strength": Strength.ATTESTED})
    text = printed(CASE.model_copy(update={"theorems": (proved, attested)}))
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert any(row.startswith("Safety holds proved") for row in rows), text
    assert any(row.startswith("Order attested attested") and "not installed" in row for row in rows), text
