"""Every rule that needs no engine run: lock, syntax tree, configuration, git, and the evidence that is at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vstack.audit.catalog import GIT, MUTANTS, RULES, RUNS
from vstack.context import Context
from vstack.errors import RefusedError, VstackError
from vstack.keep.check import Gathering, Options, abstract, make_runner, specify
from vstack.keep.evidence import machine, now
from vstack.keep.findings import mutation_findings
from vstack.keep.last import last_report
from vstack.results import CaseReport, Cell, Evidence, Finding
from vstack.validate.can_fail import can_fail_findings
from vstack.validate.cells import describe
from vstack.validate.guards import broken_already, kill_findings, run_kills
from vstack.validate.independence import noticed_alone_findings
from vstack.validate.matrix import matrix_gaps, matrix_plan, run_matrix, silent_actions
from vstack.validate.runs import Run, Runner
from vstack.validate.traces.replay import prepare
from vstack.validate.witnesses import witness_findings
from vstack.verdicts import Verdict
from vstack.verify.tlaps_recorded import recorded_finding

NO_RECORD = "no record at hand"
_ASK_BASE = "no base branch was named: --base REF"
_NEEDS_RUNS = "needs engine runs: `vstack check`"
_AT_BASE = frozenset(
    {
        "no-touch",
        "lock-not-newer",
        "lock-not-successor",
        "base-lock-unreadable",
        "first-adoption",
        "anchor-stale",
        "changed-beside-anchor",
        "changed-without-anchor",
        "model-changed",
    }
)
_IN_CI = "looked at by `vstack ci`"
# Rules on engine runs: those that need none after all, those that a record of the run decides, those that the last report does.
_STATED = frozenset({"matrix-gap", "guard-not-tried"})
_BY_RECORD = frozenset(
    {"cell", "action-never-fires", "guard-kills-nothing", "guard-not-decided", "kill-proves-nothing"}
)
_BY_REPORT = frozenset(
    {"goal-cannot-fail", "witness-not-reached", *(n for n, rule in RULES.items() if rule.reads == MUTANTS)}
)
_ELSEWHERE = {
    "lock-removed": "looked at when a commit is made",
    "project-gone": _IN_CI,
    "other-vstack": _IN_CI,
    "tools-changed": _IN_CI,
    "could-not-check": _IN_CI,
}


@dataclass(frozen=True)
class RuleRow:
    """What one rule came to: ``found`` something, found nothing (``clean``), or could not look everywhere (``open``, see ``why``)."""

    rule: str
    state: Literal["found", "clean", "open"]
    count: int = 0
    why: str = ""

    @property
    def id(self) -> str:
        """The rule's id."""
        return RULES[self.rule].id


@dataclass(frozen=True)
class Audit:
    """``cells`` are those with a record at hand, of ``asked``; a record is attested: an agent can write there."""

    findings: tuple[Finding, ...]
    rules: tuple[RuleRow, ...]
    cells: int
    asked: int

    @property
    def outcome(self) -> Literal["refused", "not as expected", "undecided", "nothing found"]:
        """The gravest of the findings."""
        made = {finding.outcome for finding in self.findings}
        for outcome in ("refused", "not as expected", "undecided"):
            if outcome in made:
                return outcome  # type: ignore[return-value]
        return "nothing found"


@dataclass
class _Look:
    """Findings so far, why a rule could not look everywhere, and how many cells had a record."""

    findings: list[Finding] = field(default_factory=list)
    open: dict[str, str] = field(default_factory=dict)
    cells: int = 0
    asked: int = 0


@dataclass(frozen=True)
class _AtHand(Runner):
    """A runner that runs nothing: what is not stored is undecided."""

    def _entry(self, entry: Run) -> dict[str, Evidence]:
        return {goal: self.store.get(self.key(entry, goal)) or _absent(entry, goal) for goal in entry.goals}


def audit_project(context: Context, options: Options, on_event: Callable[[str], None]) -> Audit:
    """Ask every rule that needs no engine run.

    Raises:
        VstackError: the project, a module or a tool can't be read.
    """
    gathering = Gathering(context, options, on_event)
    on_event("comparing the goals with the lock")
    specify(gathering)
    look = _Look(open=dict(_ELSEWHERE))
    _theorems(context, look)
    # Z3 and Apalache leave no record that these rules could be read from: they are looked at when they run.
    look.open |= {name: _NEEDS_RUNS for name in RULES if name.startswith(("z3-", "apalache-"))}
    if options.base is None:
        look.open |= dict.fromkeys(_AT_BASE, _ASK_BASE)
    if context.project.file.model is not None:
        on_event("reading the model and its anchors")
        abstract(gathering)
        _anchors(gathering, look)
        on_event("looking at the evidence at hand")
        _runs(make_runner(context, options, on_event), context, look)
        _traces(context, look)
    findings = (*gathering.findings, *look.findings)
    return Audit(findings, _rows(findings, look.open), look.cells, look.asked)


def _theorems(context: Context, look: _Look) -> None:
    """What recorded runs of tlapm are worth: it is not started here, and a recorded run is attested at most."""
    for name, goal in context.project.file.goals.items():
        if goal.kind == "theorem":
            finding = recorded_finding(context.project, name)
            look.findings += [finding] if finding is not None else []
            look.open |= dict.fromkeys(("tlaps-run", "tlaps-floor", "tlaps-vacuous"), _NEEDS_RUNS)


def _anchors(gathering: Gathering, look: _Look) -> None:
    rows = gathering.parts.get("anchors", ())
    unchecked = [row for row in rows if row.state == "not checked"]
    if unchecked:
        why = f"{len(unchecked)} of {len(rows)} anchors were compared with no checkout: --repo NAME=PATH"
        look.open |= {name: why for name, rule in RULES.items() if rule.reads == GIT and name not in look.open}


def _runs(runner: Runner, context: Context, look: _Look) -> None:
    """The rules on engine runs, over the records of exactly these inputs."""
    hand = _AtHand(**{**vars(runner), "on_event": lambda text: None})
    cells = run_matrix(hand)
    known = [cell for cell in cells if not _is_absent(cell.evidence)]
    look.cells, look.asked = len(known), len(cells)
    look.findings += [*matrix_gaps(hand), *(_wrong(context, cell) for cell in known if _is_wrong(context, cell))]
    holding = [cell for cell in cells if cell.expected == "holds"]
    if all(not _is_absent(cell.evidence) for cell in holding):
        look.findings += silent_actions(hand, cells)
    # What no record decides is no finding here: it was not asked.
    told = [*kill_findings(hand, run_kills(hand)), *broken_already(hand)]
    look.findings += [finding for finding in told if finding.outcome != "undecided"]
    missing = [cell for row in run_kills(hand) for cell in row.cells if _is_absent(cell.evidence)]
    looked = set(_BY_RECORD)
    if len(known) < len(cells) or missing:
        why = f"{len(known)} of {len(cells)} cells have a record of these inputs, {len(missing)} of the kills' runs have none"
        look.open |= dict.fromkeys(_BY_RECORD, why)
    report = _report_on(context, matrix_plan(hand), hand)
    if report is not None:
        looked |= _BY_REPORT
        _told(report, context, hand, look)
    runs = [name for name, rule in RULES.items() if rule.reads in (RUNS, MUTANTS) and name not in _STATED]
    look.open |= {name: _NEEDS_RUNS for name in runs if name not in looked}


def _told(report: CaseReport, context: Context, runner: Runner, look: _Look) -> None:
    """What the last report's rows give rise to, with the excuses of now."""
    goals, mutation = context.project.file.goals, context.project.file.mutation
    found = [row.model_copy(update={"excuse": goals[row.goal].excuse}) for row in report.can_fail if row.goal in goals]
    look.findings += can_fail_findings(context.project, found)
    seen = [row for row in report.witnesses if row.goal in goals]
    seen = [row.model_copy(update={"excuse": goals[row.goal].excuse_vacuous}) for row in seen]
    look.findings += witness_findings(runner, seen)
    alone = [row for row in report.noticed_alone if row.goal in goals]
    alone = [row.model_copy(update={"excuse": goals[row.goal].excuse_unique}) for row in alone]
    partial = report.mutation is not None and report.mutation.shard is not None
    look.findings += noticed_alone_findings(context.project, alone, partial=partial)
    if report.mutation is not None and mutation is not None:
        rows = tuple(row.model_copy(update={"excuse": mutation.excuses.get(row.id)}) for row in report.mutation.rows)
        look.findings += mutation_findings(context.project, report.mutation.model_copy(update={"rows": rows}))


def _report_on(context: Context, plan: Sequence[tuple[Run, dict[str, str]]], runner: Runner) -> CaseReport | None:
    """The last report, if it is about exactly these inputs: the keys of its cells are those of now."""
    try:
        report = last_report(context.project)
    except VstackError:
        return None
    keys = {runner.key(run, goal) for run, expected in plan for goal in expected}
    return report if report.cells and {cell.evidence.key for cell in report.cells} == keys else None


def _traces(context: Context, look: _Look) -> None:
    for name in context.project.file.traces:
        try:
            prepare(context.project, context.spec, context.actions, name)
        except RefusedError as error:
            message = f"trace {name}: {error.what}"
            look.findings.append(
                Finding(rule="trace-refused", where=error.where or "", message=message, todo=error.todo or "")
            )


def _is_wrong(context: Context, cell: Cell) -> bool:
    """Whether the record is not as stated; what a waiver covers takes an engine to tell."""
    waiver = context.project.waiver(cell.variant, cell.environment, cell.goal)
    return not cell.as_expected and not (waiver is not None and cell.evidence.verdict is Verdict.VIOLATED)


def _wrong(context: Context, cell: Cell) -> Finding:
    return Finding(
        rule="cell",
        where=str(context.project.root / "vstack.yaml"),
        message=f"{cell.variant} / {cell.environment} / {cell.goal}: the record at hand says {cell.evidence.verdict},"
        f" expected {cell.expected}",
        todo="Find out who is wrong: the code, the model or the goal",
        outcome="not as expected",
    )


def _absent(entry: Run, goal: str) -> Evidence:
    return Evidence(
        key="",
        engine="tlc",
        subject={**describe(entry.setting), "goal": goal},
        inputs={},
        tool="",
        verdict=Verdict.UNDECIDED,
        reason=NO_RECORD,
        machine=machine(),
        started=now(),
    )


def _is_absent(evidence: Evidence) -> bool:
    return evidence.key == ""


def _rows(findings: Sequence[Finding], open_: dict[str, str]) -> tuple[RuleRow, ...]:
    rows = []
    for name in RULES:
        count = sum(finding.rule == name for finding in findings)
        if count:
            rows.append(RuleRow(name, "found", count, open_.get(name, "")))
        else:
            rows.append(RuleRow(name, "open" if name in open_ else "clean", 0, open_.get(name, "")))
    return tuple(rows)
