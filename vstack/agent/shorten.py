"""Reports cut to what fits into an agent's context: what came out of each part, bad rows first, the rest counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from pydantic import ValidationError

from vstack.results import CaseReport, Cell, Evidence

MOST_CHARACTERS = 40_000
_MOST_TEXT = 20_000
_MOST_ROWS = 12
_MOST_REASONS = 25
_MOST_WORDS = 300
# Of a record of one engine run an agent needs what came out, not what would repeat it.
_RECORD = ("engine", "subject", "verdict", "reason", "violated", "strength", "numbers", "warnings")
_GOOD = frozenset({"killed", "equivalent", "exact", "reproduced", "parts"})


def shorten(data: Any) -> tuple[Any, str]:
    """``data`` cut down, and a sentence saying so; None in its place where even that is too long."""
    short = [_report(each) for each in data] if isinstance(data, list) else _report(data)
    if len(json.dumps(short)) > MOST_CHARACTERS:
        short = _tight(short)
    if len(json.dumps(short)) > MOST_CHARACTERS:
        return None, "Left out: even shortened it is too long to show here."
    return short, "Shortened: good rows are counted, bad ones shown first, engine records without inputs and traces."


def _report(data: Any) -> Any:
    try:
        report = CaseReport.model_validate(data)
    except ValidationError:
        return _cut(data)
    mutants = report.mutation.rows if report.mutation else ()
    alive = [row for row in mutants if row.status not in _GOOD]
    return {
        "project": report.project,
        "outcome": report.outcome,
        "reasons": _first([reason[:_MOST_WORDS] for reason in report.reasons], _MOST_REASONS),
        "findings": _first([_cut(each.model_dump()) for each in report.findings], _MOST_ROWS),
        "goals": {row.name: row.note for row in report.goals},
        "cells": [_cell(cell) for cell in report.cells],
        "kills": [
            f"{row.guard} taken from {row.variant} in {row.environment}: breaks {', '.join(row.killed_by) or 'nothing'}, "
            f"expected {', '.join(row.expected) or 'nothing'}" + (f"; excuse: {row.excuse[:80]}" if row.excuse else "")
            for row in report.kills
        ],
        "mutants": Counter(row.status for row in mutants),
        "mutants alive without an excuse": _first(
            [
                {"id": row.id, "where": row.where, "status": row.status, "reason": row.reason[:_MOST_WORDS]}
                for row in alive
                if not row.excuse
            ],
            _MOST_ROWS,
        ),
        "excuses of mutants": sum(bool(row.excuse) for row in alive),
        "anchors": Counter(row.state for row in report.anchors),
        "atomicity without an excuse": _first(
            [f"{row.where}: {row.action}: {row.finding}"[:_MOST_WORDS] for row in report.atomicity if not row.excuse],
            _MOST_ROWS,
        ),
        "traces": _cut([row.model_dump(mode="json", exclude={"never_exercised"}) for row in report.traces]),
        "driven": Counter(row.state for row in report.driven),
        "z3": [_record(record.model_dump(mode="json")) for record in report.z3],
        "theorems": [_record(record.model_dump(mode="json")) for record in report.theorems],
        "assumptions": _first(list(report.assumptions), _MOST_ROWS),
    }


def _cell(cell: Cell) -> str:
    record: Evidence = cell.evidence
    mark = f", {cell.waived}, expected {cell.expected}" if cell.waived else "" if cell.expected is None or cell.as_expected else f", EXPECTED {cell.expected}"
    reason = f" ({record.reason[:120]})" if record.verdict not in ("holds", "violated") else ""
    return f"{cell.variant}/{cell.environment}/{cell.goal}: {record.verdict}{mark}{reason}, {record.numbers.distinct} states"


def _cut(value: Any) -> Any:
    """Any other JSON: records without their bulk, long lists by state."""
    if isinstance(value, dict):
        if "engine" in value and "verdict" in value:
            return _record(value)
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return _by_state([_cut(item) for item in value])
    return value


def _record(value: dict[str, Any]) -> dict[str, Any]:
    record = {key: value[key] for key in _RECORD if value.get(key)}
    trace = value.get("trace")
    return {**record, "trace_steps": len(trace["steps"]) - 1} if trace else record


def _tight(value: Any) -> Any:
    """The same once more: a record as one line, and the first few of every list but lines."""
    if isinstance(value, dict):
        if "engine" in value and "verdict" in value:
            place = "/".join(
                str(value["subject"][key]) for key in ("variant", "environment", "goal") if value["subject"].get(key)
            )
            states = value.get("numbers", {}).get("distinct", 0)
            return f"{place}: {value['verdict']}, {states} states" + (
                f" ({value['reason'][:120]})" if value.get("reason") else ""
            )
        return {key: _tight(item) for key, item in value.items()}
    if isinstance(value, list):
        rows = [_tight(item) for item in value]
        return _first(rows, 400 if all(isinstance(row, str) for row in rows) else _MOST_ROWS)
    return value


def _by_state(rows: list[Any]) -> list[Any]:
    """Rows that have a state: the good ones counted, of the others the first few of each state."""
    kept: list[Any] = []
    seen: Counter[str] = Counter()
    for row in rows:
        state = row.get("status", row.get("state")) if isinstance(row, dict) else None
        if state is None:
            kept.append(row)
            continue
        seen[state] += 1
        if state not in _GOOD and seen[state] <= _MOST_ROWS:
            kept.append(row)
    return [*kept, {"rows of each state": dict(seen)}] if seen else kept


def _first(rows: list[Any], most: int) -> list[Any]:
    return rows if len(rows) <= most else [*rows[:most], f"and {len(rows) - most} more"]


def shorten_text(text: str) -> str:
    """``text``, its middle left out where it is too long."""
    if len(text) <= _MOST_TEXT:
        return text
    half = _MOST_TEXT // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
