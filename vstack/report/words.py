"""The sentences that tables and pages share: outcomes, verdicts and what was run, never blurred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vstack.audit.catalog import rule_id
from vstack.results import CaseReport, DrivenRow, Evidence, Finding, FoundToFail, NoticedAlone, WaiverRow, WitnessRow
from vstack.verdicts import Strength, Verdict

DEMO_KEY = "demo key: no person approved this"
NO_TRACE = "no trace recorded"
NOT_HOLDS = "“As expected” is not “holds”"

_MEANING = {
    "as expected": "every cell of the matrix came out as the matrix states",
    "holds": "every goal that was asked for holds, within the bounds and assumptions below",
    "not as expected": "something did not come out as stated: a cell, a guard's kill, a mutant or a trace",
    "violated": "a goal that was asked for is violated",
    "undecided": "at least one run ended without an answer, so nothing is claimed",
    "refused": "a rule refuses this project, so no result of it counts",
    "error": "something could not be run, so nothing is claimed",
}


def outcome_sentence(report: CaseReport) -> str:
    """The outcome of a case and what the word means, with the numbers behind it."""
    meaning = _MEANING[report.outcome]
    waived = [cell for cell in report.cells if cell.waived]
    if waived and report.outcome == "as expected":
        meaning += ", or is violated under an approved waiver"
    text = f"{meaning[0].upper()}{meaning[1:]}."
    violated = sum(cell.evidence.verdict == Verdict.VIOLATED for cell in report.cells)
    if report.outcome == "as expected" and report.cells:
        violated -= len(waived)
        text += (
            f" {NOT_HOLDS}: of {plural(len(report.cells), 'cell')}, {violated}"
            f" {'is' if violated == 1 else 'are'} violated, as the matrix says."
        )
    if waived:
        text += f" {plural(len(waived), 'cell')} that should hold {'is' if len(waived) == 1 else 'are'} violated, and waived: "
        text += "; ".join(f"{cell.variant} / {cell.environment} / {cell.goal} {cell.waived}" for cell in waived) + "."
    return text

# More reasons than these would bury the outcome; the rest is folded away or left to the JSON.
FEW = 12


def reasons(report: CaseReport) -> tuple[str, ...]:
    """Why the outcome is what it is, each with what to do about it, then all else that a rule found."""
    told = {f"{one.rule}: {one.message} ({one.where})": _finding(report, one) for one in report.findings}
    others = (text for text in told if text not in report.reasons)
    return tuple(told.get(text, text) for text in (*report.reasons, *others))


def _finding(report: CaseReport, finding: Finding) -> str:
    todo = f" {finding.todo.rstrip('.')}." if finding.todo else ""
    return f"{rule_id(finding.rule)} {finding.rule}: {finding.message.rstrip('.')} ({within(report, finding.where)}).{todo}"


def has_demo_key(report: CaseReport) -> bool:
    """Whether any approval was made with the throwaway key that stands for no person."""
    return any(goal.demo for goal in report.goals)


def approval_words(report: CaseReport) -> str:
    """Who approved the goals, in one line; empty without goals."""
    if not report.goals:
        return ""
    if has_demo_key(report):
        return DEMO_KEY
    missing = [goal.name for goal in report.goals if not goal.approved]
    if missing:
        return f"not approved: {', '.join(missing)}"
    who = sorted({goal.approver or "unknown" for goal in report.goals})
    touch = "with proof of touch" if all(goal.touch for goal in report.goals) else "software key, no proof of touch"
    return f"approved by {', '.join(who)} ({touch})"


def is_approved(report: CaseReport) -> bool:
    """Whether a person approved every goal."""
    return all(goal.approved and not goal.demo for goal in report.goals)


def question(report: CaseReport) -> str:
    """What was asked of the engines, in one sentence."""
    goals = plural(len({cell.goal for cell in report.cells}), "goal")
    variants = plural(len({cell.variant for cell in report.cells}), "variant")
    environments = plural(len({cell.environment for cell in report.cells}), "environment")
    who = f" of {listed(list(report.processes))}" if report.processes else ""
    return (
        f"{goals}, {variants} of the code, {environments}: which goal holds where,"
        f" whatever the order in which the steps{who} happen?"
    )


def waiver_words(row: WaiverRow) -> str:
    """A waiver, and why it does not count if it doesn't."""
    return row.words if row.status == "live" else f"{row.words} [{row.status}{': ' + row.text if row.text else ''}]"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def bounds(report: CaseReport) -> tuple[tuple[str, str], ...]:
    """Each size that bounds the model with the values its runs gave it; switches are no bounds."""
    values: dict[str, dict[str, None]] = {}
    for cell in (*report.cells, *(cell for row in report.kills for cell in row.cells)):
        for name, value in cell.evidence.bounds.items():
            values.setdefault(name, {})[value] = None
    sizes = ((name, " or ".join(found)) for name, found in values.items() if not found.keys() & {"TRUE", "FALSE"})
    return tuple(sizes)


def assumptions(report: CaseReport) -> tuple[str, ...]:
    """What the claims rest on besides ``bounds``."""
    return tuple(text for text in report.assumptions if not text.startswith("bound: "))


def within(report: CaseReport, where: str) -> str:
    """``where`` without the folder of the project: a page is read on other machines."""
    return where.removeprefix(f"{report.root}/")


def unchecked_atomicity(report: CaseReport) -> tuple[tuple[str, int], ...]:
    """Why the atomicity rule looked at no code, with the number of findings that say so."""
    reasons = Counter(row.finding.removeprefix("not checked: ") for row in report.atomicity if not row.checked)
    return tuple(reasons.items())


def verdict_word(evidence: Evidence) -> str:
    """The verdict as shown: a record that could not be recomputed here is `attested`, whatever it says."""
    return "attested" if evidence.strength == Strength.ATTESTED else str(evidence.verdict)


def strength_words(evidence: Evidence) -> str:
    """The strength of a claim, or a dash where none is made."""
    return "-" if evidence.strength is None else str(evidence.strength)


def states_words(evidence: Evidence) -> str:
    """Distinct states with thousands separators, or a dash where the engine counts none."""
    return f"{evidence.numbers.distinct:,}" if evidence.numbers.distinct else "-"


def subject_words(evidence: Evidence, report: CaseReport, environments: Sequence[str] = ()) -> str:
    """What was run, in words: variant, guards taken away, environment (or the several ``environments``)."""
    subject = evidence.subject
    parts = []
    if variant := subject.get("variant"):
        parts.append(f"variant {variant}" + (" (our own design)" if variant in report.ours else ""))
    if removed := list(subject.get("removed") or ()):
        parts.append(f"without guard{'s' * (len(removed) > 1)} {listed(removed)}")
    if environments := environments or [name for name in [subject.get("environment")] if name]:
        parts.append(f"environment{'s' * (len(environments) > 1)} {listed(environments)}")
    return ", ".join(parts) or report.project


def no_counterexample(evidence: Evidence) -> str:
    """Why there is no story to tell."""
    why = f": {evidence.reason}" if evidence.reason else ""
    return f"There is no counterexample to explain: this run says {evidence.verdict}{why}."


def plural(number: int, noun: str) -> str:
    """``3 cells``, ``1 cell``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def driven_sentence(report: CaseReport) -> str:
    """How many violated cells were shown on the real code, and how many actions its recorded runs exercise."""
    counts = Counter(row.state for row in report.driven)
    violated = sum(count for state, count in counts.items() if state != "parts")
    text = f"{counts['reproduced']} of {plural(violated, 'violated cell')} reproduced on the real code"
    if counts["parts"]:
        text += f"; {plural(counts['parts'], 'schedule')} of other code left by the code that is driven, as it must"
    if report.traces and report.actions:
        never = set.intersection(*(set(row.never_exercised) for row in report.traces))
        text += f"; recorded runs exercise {len(report.actions) - len(never)} of {len(report.actions)} actions of the model"
    return text + "."


def driven_word(row: DrivenRow) -> str:
    """What became of one cell on the real code."""
    return f"parts from the schedule of {row.schedule}" if row.state == "parts" else row.state


def not_driven(report: CaseReport) -> list[tuple[str, list[str]]]:
    """The violated cells that nothing drives, by the reason why."""
    reasons: dict[str, list[str]] = {}
    for row in report.driven:
        if row.state == "not driven":
            reasons.setdefault(row.text, []).append(f"{row.variant}/{row.environment}/{row.goal}")
    return list(reasons.items())


def can_fail_sentence(row: FoundToFail) -> str:
    """Whether a goal is one that can fail at all."""
    if row.where is not None:
        return f"It can fail: {row.where}."
    return f"Nothing breaks it ({plural(row.tried, 'mutant')} tried)" + (f": {row.excuse}." if row.excuse else ".")


def witness_sentence(row: WitnessRow) -> str:
    """Where the states that a goal speaks of come up, and where they don't."""
    asked = len(row.reached) + len(row.missed) + len(row.undecided)
    text = f"`{row.text}` comes true in {len(row.reached)} of {plural(asked, 'case')} in which {row.goal} is to hold"
    text += f"; not in {', '.join(row.missed)}" if row.missed else ""
    text += f"; not decided in {', '.join(row.undecided)}" if row.undecided else ""
    return text + (f"; excused: {row.excuse}." if row.excuse and not row.reached else ".")


def alone_sentence(row: NoticedAlone) -> str:
    """Whether a goal was seen to notice something that no other goal does (temporal ones aside)."""
    if row.where is not None:
        return f"It alone is broken by: {row.where} (temporal goals aside)."
    text = f"Not shown independent: nothing was found that it alone notices ({plural(row.tried, 'mutant')} followed to the end"
    text += f", {row.given_up} with too many states)" if row.given_up else ")"
    return text + (f"; excused: {row.excuse}." if row.excuse else ".")
