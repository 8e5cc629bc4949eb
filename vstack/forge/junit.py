"""JUnit's XML, for CI systems that know tests: a suite per project, a case per cell and finding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from vstack.forge.problems import problems
from vstack.results import CaseReport
from vstack.verdicts import Verdict


def junit(reports: Sequence[CaseReport], *, root: Path) -> str:
    """The document; a cell that was not decided is an error, one that is not as expected a failure."""
    suites = ElementTree.Element("testsuites", name="vstack")
    for report in reports:
        suite = ElementTree.SubElement(suites, "testsuite", name=_clean(report.project))
        failures = errors = 0
        for cell in report.cells:
            name = f"{cell.variant}/{cell.environment}/{cell.goal}"
            case = _case(suite, report.project, name, cell.evidence.numbers.seconds)
            if cell.accepted:
                continue
            text = f"{cell.evidence.verdict}, expected {cell.expected}. {cell.evidence.reason}"
            undecided = cell.evidence.verdict in (Verdict.UNDECIDED, Verdict.ERROR)
            errors, failures = errors + undecided, failures + (not undecided)
            ElementTree.SubElement(case, "error" if undecided else "failure", message=_clean(text))
        for problem in problems(report, root=root):
            if problem.name != "cell" and problem.level != "note":
                case = _case(suite, report.project, f"{problem.rule} {problem.file}:{problem.line}", 0.0)
                failures += 1
                ElementTree.SubElement(case, "failure", message=_clean(problem.message))
        outcome = _case(suite, report.project, f"outcome: {report.outcome}", 0.0)
        if report.outcome not in ("as expected", "holds"):
            failures += 1
            ElementTree.SubElement(outcome, "failure", message=_clean("; ".join(report.reasons[:20])))
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(failures))
        suite.set("errors", str(errors))
    ElementTree.indent(suites)
    # As bytes, so that the declaration says UTF-8 whatever the locale.
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True).decode() + "\n"


def _case(suite: ElementTree.Element, project: str, name: str, seconds: float) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=_clean(project), name=_clean(name), time=f"{seconds:.3f}")


def _clean(text: str) -> str:
    """XML 1.0 has no place for most control characters, nor for halves of a character."""
    kept = (letter for letter in text if letter in "\t\n" or " " <= letter < "\ud800" or "\ue000" <= letter < "\ufffe" or letter > "\uffff")
    return "".join(kept)
