"""The terminal's view of a case: outcome, matrix, kills, mutants, anchors, assumptions; no colour needed."""

from __future__ import annotations

from collections import Counter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vstack.report.words import (
    NO_TRACE,
    approval_words,
    assumptions,
    bounds,
    has_demo_key,
    outcome_sentence,
    plural,
    reasons,
    states_words,
    strength_words,
    unchecked_atomicity,
    within,
)
from vstack.results import CaseReport, Cell, Evidence
from vstack.verdicts import Verdict

_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "red",
    Verdict.UNDECIDED: "yellow",
    Verdict.REFUSED: "magenta",
    Verdict.ERROR: "magenta",
}


def print_report(report: CaseReport, console: Console) -> None:
    """Write everything of ``report`` that fits a terminal 80 columns wide to ``console``."""
    console.print(Text(f"{report.title} ({report.project})", style="bold"))
    _outcome(report, console)
    _matrix(report, console)
    _z3(report, console)
    _kills(report, console)
    _mutants(report, console)
    _anchors(report, console)
    _traces(report, console)
    _basis(report, console)
    for reason in reasons(report):
        _item(console, reason)
    _outcome(report, console)


def _outcome(report: CaseReport, console: Console) -> None:
    """Shown first and last, because the end is what stays on the screen."""
    good = report.outcome in ("as expected", "holds")
    style = "bold green" if good else "bold yellow" if report.outcome == "undecided" else "bold red"
    console.print(Text.assemble(("outcome: ", "bold"), (report.outcome.upper(), style)))
    console.print(Padding(Text(outcome_sentence(report)), (0, 0, 0, 2)))
    if approval := approval_words(report):
        console.print(Text(f"approval: {approval}", style="bold yellow" if has_demo_key(report) else ""))


def _matrix(report: CaseReport, console: Console) -> None:
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in report.cells:
        groups.setdefault((cell.variant, cell.environment), []).append(cell)
    for (variant, environment), cells in groups.items():
        own = ", our own design" if variant in report.ours else ""
        _heading(console, f"variant {variant}{own} · environment {environment}")
        table = _table("goal", "verdict", "expected", "met", "engine", "strength", ">states")
        for cell in cells:
            run = cell.evidence
            table.add_row(
                cell.goal,
                _verdict(run.verdict),
                cell.expected or "-",
                _met(cell),
                run.engine,
                strength_words(run),
                states_words(run),
            )
        console.print(table)
        for cell in cells:
            if cell.evidence.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
                _item(console, f"{cell.goal} is {cell.evidence.verdict}: {cell.evidence.reason or 'no reason given'}")


def _z3(report: CaseReport, console: Console) -> None:
    if not report.z3:
        return
    _heading(console, "goals decided by Z3")
    table = _table("goal", "verdict", "strength", "why")
    for run in report.z3:
        table.add_row(_goal(run), _verdict(run.verdict), strength_words(run), run.reason or "-")
    console.print(table)


def _kills(report: CaseReport, console: Console) -> None:
    if not report.kills:
        return
    _heading(console, "each guard taken away alone (a guard is needed if a named goal then breaks)")
    table = _table("guard", "from variant", "environment", "breaks", "expected")
    for row in report.kills:
        undecided = [cell.goal for cell in row.cells if cell.evidence.verdict == Verdict.UNDECIDED]
        breaks = ", ".join(row.killed_by) or "nothing"
        if undecided:
            breaks += f"; undecided: {', '.join(undecided)}"
        table.add_row(row.guard, row.variant, row.environment, breaks, ", ".join(row.expected) or "-")
    console.print(table)
    for row in report.kills:
        if row.excuse:
            _item(console, f"{row.guard} is excused: {row.excuse}")
    for pair in report.pairs:
        broken = ", ".join(pair.together) or "nothing"
        _item(console, f"{pair.guards[0]} and {pair.guards[1]} together break {broken}: {pair.note}")


def _mutants(report: CaseReport, console: Console) -> None:
    mutation = report.mutation
    if mutation is None:
        return
    counts: Counter[str] = Counter(row.status for row in mutation.rows)
    told = ", ".join(f"{counts[name]} {name}" for name in _STATUSES if counts[name]) or "none"
    _heading(console, f"mutants of variant {mutation.variant}: {told}")
    controls = [
        ("the unchanged model passes", mutation.clean_passes),
        ("a forced failure is found", mutation.forced_failure_dies),
    ]
    for name, good in controls:
        _item(console, f"control: {name}: {'yes' if good else 'NO, so no mutant counts'}")
    for row in mutation.rows:
        if row.status in ("survived", "undecided", "broken"):
            excuse = f" (excused: {row.excuse})" if row.excuse else ""
            _item(
                console,
                f"{row.status}{excuse}: {row.operator} in {row.action} ({row.where}): {row.before} → {row.after}",
            )


_STATUSES = ("killed", "equivalent", "survived", "broken", "undecided")


def _anchors(report: CaseReport, console: Console) -> None:
    if report.anchors:
        counts: Counter[str] = Counter(row.state for row in report.anchors)
        states = ("exact", "moved", "changed", "missing", "not checked")
        told = ", ".join(f"{counts[state]} {state}" for state in states if counts[state])
        _heading(console, f"anchors to the code: {told}")
        for row in report.anchors:
            if row.state in ("moved", "changed", "missing"):
                _item(console, f"{row.state}: {row.action} {row.anchor}" + (f", now {row.now}" if row.now else ""))
    for found in report.atomicity:
        if found.checked and not found.excuse:
            _item(console, f"not atomic: {found.action} ({within(report, found.where)}): {found.finding}")
    for reason, count in unchecked_atomicity(report):
        _item(console, f"atomicity not checked, {plural(count, 'finding')}: {reason}")


def _traces(report: CaseReport, console: Console) -> None:
    if not report.traces:
        _heading(console, f"traces: {NO_TRACE}")
        return
    _heading(console, f"traces: {plural(len(report.traces), 'recorded trace')} replayed")
    control = {True: "rejected", False: "ACCEPTED", None: "not run"}
    for row in report.traces:
        _item(
            console,
            f"{row.name} on {row.variant}: {row.verdict}, {row.matched:,} of {row.total:,} events matched,"
            f" {row.ignored:,} ignored, corrupted copy {control[row.control_rejected]}. {row.reason}".rstrip(),
        )


def _basis(report: CaseReport, console: Console) -> None:
    sizes = ", ".join(f"{name} = {value}" for name, value in bounds(report))
    resting = [*([f"bounds: {sizes}"] if sizes else []), *assumptions(report)]
    if resting:
        _heading(console, "every claim above rests on")
    for text in resting:
        _item(console, text)
    if report.omissions:
        _heading(console, f"left out of the model: {plural(len(report.omissions), 'thing')}, each with its reason")
        _item(console, "the HTML page and `vstack.yaml` list them")
    console.print()


def _goal(run: Evidence) -> str:
    return str(run.subject.get("goal", "-"))


def _met(cell: Cell) -> Text:
    if cell.expected is None:
        return Text("-")
    return Text("yes") if cell.as_expected else Text("NO", style="bold red")


def _verdict(verdict: Verdict) -> Text:
    return Text(str(verdict), style=_STYLES[verdict])


def _table(*names: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False, header_style="bold")
    for name in names:
        right = name.startswith(">")
        table.add_column(name.lstrip(">"), justify="right" if right else "left", overflow="fold")
    return table


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def _item(console: Console, text: str) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(" -", Text(text, overflow="fold"))
    console.print(grid)
