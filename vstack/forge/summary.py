"""A step's summary in Markdown: outcome, matrix, what is wrong and where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vstack.forge.problems import Problem, problems
from vstack.report.words import approval_words, outcome_sentence
from vstack.results import CaseReport, Cell

# GitHub takes 1 MiB a step; a summary that long is read by no one.
LIMIT_BYTES = 900_000
_ROWS = 200


def summary(reports: Sequence[CaseReport], *, root: Path, lost: Sequence[Problem] = (), used: int = 0) -> str:
    """All reports, the ones that are wrong first, after the projects that are ``lost``; with ``used`` bytes within ``LIMIT_BYTES``."""
    ranked = sorted(reports, key=lambda report: report.outcome in ("as expected", "holds"))
    text = "".join(f"## {_text(one.file)}: refused\n\n{one.rule} {_text(one.name)}: {_text(one.message)}\n\n" for one in lost)
    text += "\n".join(_report(report, problems(report, root=root)) for report in ranked)
    # YAML can spell half a character, which no file can hold.
    text = text.encode("utf-8", "replace").decode()
    room = max(0, LIMIT_BYTES - used)
    if len(text.encode()) <= room:
        return text
    cut = text.encode()[:room].decode(errors="ignore")
    return cut[: cut.rfind("\n")] + "\n\nCut short: the JSON report holds all.\n"


def _report(report: CaseReport, found: Sequence[Problem]) -> str:
    lines = [f"## {_text(report.project)}: {report.outcome}", "", _text(outcome_sentence(report)), ""]
    if words := approval_words(report):
        lines += [f"Approval: {_text(words)}.", ""]
    if report.evidence:
        lines += [f"{_text(report.evidence[0].upper() + report.evidence[1:])}.", ""]
    if found:
        lines += ["| rule | where | what |", "|---|---|---|"]
        for problem in found[:_ROWS]:
            lines.append(f"| {problem.rule} {problem.name} | {_text(problem.file)}:{problem.line} | {_text(problem.message)} |")
        if len(found) > _ROWS:
            lines.append(f"| | | {len(found) - _ROWS} more |")
        lines.append("")
    lines += _matrix(report)
    return "\n".join(lines)


def _matrix(report: CaseReport) -> list[str]:
    if not report.cells:
        return []
    goals = list(dict.fromkeys(cell.goal for cell in report.cells))
    lines = ["<details><summary>Every cell</summary>", "", "| variant | environment | " + " | ".join(map(_text, goals)) + " |"]
    lines.append("|---|---|" + "---|" * len(goals))
    cells = {(cell.variant, cell.environment, cell.goal): cell for cell in report.cells}
    for variant, environment in dict.fromkeys((cell.variant, cell.environment) for cell in report.cells):
        row = []
        for goal in goals:
            cell = cells.get((variant, environment, goal))
            row.append("" if cell is None else _cell(cell))
        lines.append(f"| {_text(variant)} | {_text(environment)} | " + " | ".join(row) + " |")
    return [*lines, "", "</details>", ""]


def _cell(cell: Cell) -> str:
    if cell.waived:
        return f"{cell.evidence.verdict}, {_text(cell.waived)}"
    return f"{cell.evidence.verdict}{'' if cell.as_expected else ' **(not as expected)**'}"


def _text(text: str) -> str:
    """Text that stays text in a Markdown table."""
    for letter in "\\`*_{}[]<>|#":
        text = text.replace(letter, f"\\{letter}" if letter not in "<>" else {"<": "&lt;", ">": "&gt;"}[letter])
    return " ".join(text.split())
