"""The terminal's view of a case: outcome, matrix, kills, mutants, anchors, assumptions; no colour needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vstack.report.words import (
    FEW,
    NO_TRACE,
    alone_sentence,
    approval_words,
    assumptions,
    bounds,
    can_fail_sentence,
    driven_sentence,
    driven_word,
    has_demo_key,
    not_driven,
    outcome_sentence,
    plural,
    reasons,
    strength_words,
    unchecked_atomicity,
    verdict_word,
    waiver_words,
    within,
    witness_sentence,
)
from vstack.results import CaseReport, Cell, Evidence
from vstack.verdicts import Strength, Verdict

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
    _decided(console, "goals decided by Z3", report.z3)
    _decided(console, "theorems, by TLAPS (attested: recorded elsewhere, which decides nothing here)", report.theorems)
    _apalache(report, console)
    _kills(report, console)
    _mutants(report, console)
    _anchors(report, console)
    _can_fail(report, console)
    _witnesses(report, console)
    _alone(report, console)
    _traces(report, console)
    _driven(report, console)
    _basis(report, console)
    told = reasons(report)
    for reason in told[:FEW]:
        _item(console, reason)
    if len(told) > FEW:
        _item(console, f"and {len(told) - FEW} more: `vstack check --json`, or the page that `--report` writes, has all")
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
    """One table per variant, goal by environment; a cell that is not as expected says what was."""
    for variant in dict.fromkeys(cell.variant for cell in report.cells):
        cells = [cell for cell in report.cells if cell.variant == variant]
        own = ", our own design" if variant in report.ours else ""
        _heading(console, f"variant {variant}{own}: goal by environment")
        for environments in _that_fit(cells, console.width):
            table = _table("goal", *environments)
            for goal in dict.fromkeys(cell.goal for cell in cells):
                found = {cell.environment: cell for cell in cells if cell.goal == goal}
                table.add_row(goal, *(_cell(found.get(environment)) for environment in environments))
            console.print(table)
        for text in _claims(cells):
            _item(console, text)
        for row in report.waivers:
            if row.variant == variant:
                _item(console, f"{row.goal} in {row.environment}: {waiver_words(row)}")


def _that_fit(cells: list[Cell], width: int) -> list[list[str]]:
    """The environments in groups whose columns fit ``width`` beside the goals."""
    room = width - max(len(cell.goal) for cell in cells) - 2
    groups: list[list[str]] = [[]]
    used = 0
    for environment in dict.fromkeys(cell.environment for cell in cells):
        needs = max([len(environment), *(len(_cell(cell)) for cell in cells if cell.environment == environment)]) + 2
        if groups[-1] and used + needs > room:
            groups.append([])
            used = 0
        groups[-1].append(environment)
        used += needs
    return groups


def _cell(cell: Cell | None) -> Text:
    if cell is None:
        return Text("not asked")
    text = _verdict(cell.evidence)
    if cell.waived:
        text.append(", waived", style="bold yellow")
    elif cell.expected is not None and not cell.as_expected:
        text.append(f", NOT {cell.expected}", style="bold")
    return text


def _claims(cells: list[Cell]) -> Iterator[str]:
    """Engine, strength and size of what the cells claim, and why those without an answer have none."""
    groups: dict[tuple[str, str], list[int]] = {}
    for cell in cells:
        run = cell.evidence
        if run.strength == Strength.ATTESTED:
            yield f"{cell.goal} in {cell.environment} is attested only: recorded elsewhere, not recomputed here"
        elif run.verdict == Verdict.HOLDS:
            groups.setdefault((run.engine, strength_words(run)), []).append(run.numbers.distinct)
        elif run.verdict != Verdict.VIOLATED:
            yield f"{cell.goal} in {cell.environment} is {run.verdict}: {run.reason or 'no reason given'}"
    for (engine, strength), states in groups.items():
        size = f"{min(states):,}" if min(states) == max(states) else f"{min(states):,} to {max(states):,}"
        yield f"holds by {engine}, {strength}: {plural(len(states), 'cell')}, {size} distinct states each"
    if violated := sum(cell.evidence.verdict == Verdict.VIOLATED for cell in cells):
        yield f"violated, each with a counterexample that `vstack explain` tells: {plural(violated, 'cell')}"


def _decided(console: Console, heading: str, records: tuple[Evidence, ...]) -> None:
    """Goals that are decided once, in no cell."""
    if not records:
        return
    _heading(console, heading)
    table = _table("goal", "verdict", "strength", "why")
    for run in records:
        table.add_row(_goal(run), _verdict(run), strength_words(run), run.reason or "-")
    console.print(table)


def _apalache(report: CaseReport, console: Console) -> None:
    if not report.apalache:
        return
    _heading(console, "goals checked by Apalache")
    table = _table("cell", "verdict", "expected", "strength", "why")
    for cell in report.apalache:
        run = cell.evidence
        place = f"{cell.variant} / {cell.environment} / {cell.goal}"
        table.add_row(place, _verdict(run), cell.expected or "-", strength_words(run), run.reason or "-")
    console.print(table)


def _kills(report: CaseReport, console: Console) -> None:
    if not report.kills:
        return
    _heading(console, "each guard taken away alone (a guard is needed if a named goal then breaks)")
    table = _table("guard", "from variant", "environment", "breaks", "met")
    for row in report.kills:
        met = set(row.expected) <= set(row.killed_by) and bool(row.killed_by or row.excuse)
        table.add_row(
            row.guard,
            row.variant,
            row.environment,
            ", ".join(row.killed_by) or "nothing",
            Text("yes") if met else Text("NO", style="bold red"),
        )
    console.print(table)
    for row in report.kills:
        if missing := [goal for goal in row.expected if goal not in row.killed_by]:
            _item(console, f"without {row.guard} in {row.environment}, expected but not broken: {', '.join(missing)}")
        for cell in row.cells:
            if cell.evidence.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
                _item(console, f"without {row.guard}: {cell.goal} is {cell.evidence.verdict}: {cell.evidence.reason}")
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
    part = f" (part {mutation.shard} of {mutation.made} alone)" if mutation.shard else ""
    _heading(console, f"mutants of variant {mutation.variant}: {told}{part}")
    controls = [
        ("the unchanged model passes", mutation.clean_passes),
        ("a forced failure is found", mutation.forced_failure_dies),
    ]
    for name, good in controls:
        _item(console, f"control: {name}: {'yes' if good else 'NO, so no mutant counts'}")
    left = [row for row in mutation.rows if row.status in ("survived", "undecided", "broken")]
    # An excuse may cover dozens; each mutant by itself is on the page and in the JSON.
    for (status, excuse), number in Counter((row.status, row.excuse) for row in left if row.excuse).items():
        _item(console, f"{number} {status}, excused: {excuse}")
    for row in left:
        if not row.excuse:
            _item(console, f"{row.status}: {row.operator} in {row.action} ({row.where}): {row.before} → {row.after}")


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


def _can_fail(report: CaseReport, console: Console) -> None:
    unseen = [row for row in report.can_fail if row.where is None]
    if report.can_fail:
        count = len(report.can_fail) - len(unseen)
        _heading(console, f"goals that something breaks: {count} of {len(report.can_fail)}")
    for row in unseen:
        _item(console, f"{row.goal}: {can_fail_sentence(row)}")


def _witnesses(report: CaseReport, console: Console) -> None:
    asked = [row for row in report.witnesses if row.reached or row.missed or row.undecided]
    if asked:
        count = sum(bool(row.reached) for row in asked)
        _heading(console, f"conditions and witnesses of goals that come true: {count} of {len(asked)}")
    for row in asked:
        if row.missed or row.undecided:
            _item(console, witness_sentence(row))


def _alone(report: CaseReport, console: Console) -> None:
    if report.noticed_alone:
        count = sum(row.where is not None for row in report.noticed_alone)
        _heading(console, f"goals that notice something no other does: {count} of {len(report.noticed_alone)}")
    for row in report.noticed_alone:
        if row.where is None:
            _item(console, f"{row.goal}: {alone_sentence(row)}")


def _driven(report: CaseReport, console: Console) -> None:
    if not report.driven:
        return
    _heading(console, f"real code (attested): {driven_sentence(report)}")
    for row in report.driven:
        if row.state != "not driven":
            name = f"{row.variant}/{row.environment}/{row.goal}"
            _item(console, f"{name}: {driven_word(row)} ({plural(row.runs, 'run')}, {row.recorded}). {row.text}")
    for why, cells in not_driven(report):
        _item(console, f"not driven, {plural(len(cells), 'cell')}: {why}")


def _basis(report: CaseReport, console: Console) -> None:
    sizes = ", ".join(f"{name} = {value}" for name, value in bounds(report))
    resting = [*([f"bounds: {sizes}"] if sizes else []), *assumptions(report)]
    if resting:
        _heading(console, "every claim above rests on")
    for text in resting:
        _item(console, text)
    if report.evidence:
        _item(console, report.evidence)
    if report.omissions:
        _heading(console, f"left out of the model: {plural(len(report.omissions), 'thing')}, each with its reason")
        _item(console, "the HTML page and `vstack.yaml` list them")
    console.print()


def _goal(run: Evidence) -> str:
    return str(run.subject.get("goal", "-"))


def _verdict(run: Evidence) -> Text:
    word = verdict_word(run)
    return Text(word, style=_STYLES.get(run.verdict, "") if word == run.verdict else "yellow")


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
