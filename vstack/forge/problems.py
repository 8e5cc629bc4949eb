"""Everything that keeps a report from its good outcome, and every note, as one list with rule ids and places."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from vstack.audit.catalog import rule_id
from vstack.project import PROJECT_FILE
from vstack.report.words import verdict_word
from vstack.results import CaseReport, Finding
from vstack.verdicts import Verdict

_LEVELS = {"undecided": "warning", "note": "note"}


@dataclass(frozen=True)
class Problem:
    """``file`` is relative to the folder that the command runs in; ``line`` counts from 1; ``level`` as in SARIF."""

    rule: str
    name: str
    file: str
    line: int
    message: str
    level: str


def problems(report: CaseReport, *, root: Path) -> tuple[Problem, ...]:
    """The findings of ``report``, its cells that are not as expected, Z3 goals that do not hold and traces that do not replay."""
    found = [problem_of(finding, root=root) for finding in report.findings]
    project, _ = _place(str(Path(report.root) / PROJECT_FILE), root)
    for cell in report.cells:
        if not cell.accepted:
            text = f"{cell.variant} / {cell.environment} / {cell.goal}: {cell.evidence.verdict}, expected {cell.expected}."
            text += f" {cell.evidence.reason}." if cell.evidence.reason else ""
            level = "warning" if cell.evidence.verdict is Verdict.UNDECIDED else "error"
            found.append(Problem(rule_id("cell"), "cell", project, 1, text, level))
    wrong = [record for record in (*report.z3, *report.theorems) if record.verdict is not Verdict.HOLDS]
    wrong += [cell.evidence for cell in report.apalache if not cell.as_expected]
    for record in wrong:
        if record.engine != "apalache" or report.apalache_required or record.verdict is not Verdict.UNDECIDED:
            told = re.search(r"\[((?:z3|tlaps|apalache)-[a-z-]+)\]", record.reason)
            name = told[1] if told else "cell"
            level = "warning" if record.verdict is Verdict.UNDECIDED else "error"
            text = f"{record.subject.get('goal', '')}: {verdict_word(record)}. {record.reason}"
            found.append(Problem(rule_id(name), name, project, 1, text, level))
    for trace in report.traces:
        if trace.verdict is not Verdict.HOLDS:
            name = "trace-refused" if trace.verdict is Verdict.REFUSED else "trace-differs"
            found.append(Problem(rule_id(name), name, project, 1, f"{trace.name}: {trace.reason}", "error"))
    return tuple(found)


def problem_of(finding: Finding, *, root: Path) -> Problem:
    """One finding as a problem."""
    file, line = _place(finding.where, root)
    text = finding.message.rstrip(".") + "." + (f" {finding.todo.rstrip('.')}." if finding.todo else "")
    level = _LEVELS.get(finding.outcome, "error")
    return Problem(rule_id(finding.rule), finding.rule, file, line, _printable(text), level)


def _place(where: str, root: Path) -> tuple[str, int]:
    """``file:line`` as a path relative to ``root`` and a number; 1 where no line is told."""
    file, _, line = where.rpartition(":")
    if not line.isdigit():
        file, line = where, "1"
    path = Path(file)
    return _printable(os.path.relpath(path, root) if path.is_absolute() else file), max(1, int(line))


def _printable(text: str) -> str:
    """``text`` as UTF-8 can hold it: a file name may be any bytes."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
