"""The outcome of a whole project from its parts: refused, error, undecided, not as expected, or good."""

from __future__ import annotations

from vstack.results import CaseReport, Finding
from vstack.verdicts import Verdict

EXIT = {
    "as expected": 0,
    "holds": 0,
    "not as expected": 1,
    "violated": 1,
    "refused": 1,
    "error": 2,
    "undecided": 3,
}


def finding_line(finding: Finding) -> str:
    """A finding as one line: rule, what, where."""
    return f"{finding.rule}: {finding.message} ({finding.where})"


def judge(report: CaseReport, *, has_matrix: bool) -> CaseReport:
    """``report`` with its outcome and the reasons for it, the gravest first.

    Nothing run at all is undecided: an empty project never comes out green.
    Notes leave the outcome as it is.
    """
    refused = [finding_line(f) for f in report.findings if f.outcome == "refused"]
    refused += [f"trace {t.name}: {t.reason}" for t in report.traces if t.verdict is Verdict.REFUSED]
    errors, undecided, wrong = [], [], []
    runs = [(f"{c.variant} / {c.environment} / {c.goal}", c.evidence, c.accepted) for c in report.cells]
    runs += [(f"Z3 goal {e.subject.get('goal', '')}", e, e.verdict is Verdict.HOLDS) for e in report.z3]
    runs += [(f"theorem {e.subject.get('goal', '')}", e, e.verdict is Verdict.HOLDS) for e in report.theorems]
    runs += [
        (f"Apalache: {c.variant} / {c.environment} / {c.goal}", c.evidence, c.as_expected)
        for c in report.apalache
        if report.apalache_required or c.evidence.verdict is not Verdict.UNDECIDED
    ]
    for name, evidence, good in runs:
        text = f"{name}: {evidence.verdict}" + (f", {evidence.reason}" if evidence.reason else "")
        if evidence.verdict is Verdict.ERROR:
            errors.append(text)
        elif evidence.verdict is Verdict.UNDECIDED:
            undecided.append(text)
        elif evidence.verdict is Verdict.REFUSED:
            refused.append(text)
        elif not good:
            wrong.append(text)
    undecided += [finding_line(f) for f in report.findings if f.outcome == "undecided"]
    wrong += [finding_line(f) for f in report.findings if f.outcome == "not as expected"]
    for trace in report.traces:
        text = f"trace {trace.name}: {trace.reason}"
        if trace.verdict is Verdict.VIOLATED:
            wrong.append(text)
        elif trace.verdict in (Verdict.UNDECIDED, Verdict.ERROR):
            (undecided if trace.verdict is Verdict.UNDECIDED else errors).append(text)
    if report.mutation is not None and report.mutation.shard is not None:
        ran, made = len(report.mutation.rows), report.mutation.made
        undecided.append(f"only part {report.mutation.shard} of the mutants was run, {ran} of {made}")
    # What could not run gives rise to findings of its own: they would hide why.
    if errors:
        outcome, reasons = "error", errors
    elif refused:
        outcome, reasons = "refused", refused
    elif wrong:
        outcome, reasons = ("not as expected" if has_matrix else "violated"), wrong
    elif undecided:
        outcome, reasons = "undecided", undecided
    elif not runs:
        outcome, reasons = "undecided", ["nothing was run: the project states no goal that an engine decided"]
    else:
        outcome, reasons = ("as expected" if has_matrix else "holds"), []
    return report.model_copy(update={"outcome": outcome, "reasons": tuple(reasons)})
