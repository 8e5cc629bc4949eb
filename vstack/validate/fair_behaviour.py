"""Rule: a specification that no behaviour satisfies keeps every temporal goal. Where its form does not rule that out, TLC is asked."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from vstack.results import Cell, Evidence, Finding
from vstack.specify.fairness import read_fairness
from vstack.tla.tree import Spec
from vstack.validate.cells import Setting
from vstack.validate.probe import probe
from vstack.validate.runs import Runner
from vstack.verdicts import Verdict

_PROPERTY = "vs_no_behaviour"


def check_fair_behaviour(runner: Runner, spec: Spec, cells: Sequence[Cell]) -> tuple[Finding, ...]:
    """The settings in which a temporal goal holds because no behaviour satisfies the specification.

    Not asked where all that it takes for granted is fairness of steps of Next
    (``vstack.specify.fairness`` says why), and not where a temporal goal has a
    counterexample already, which is such a behaviour.
    """
    conjuncts = read_fairness(runner.project, spec)
    if all(each.kind == "step" for each in conjuncts):
        return ()
    goals = runner.project.file.goals
    temporal = [cell for cell in cells if goals[cell.goal].kind == "temporal"]
    seen = {_setting(cell) for cell in temporal if cell.evidence.verdict is Verdict.VIOLATED}
    asked = [
        setting
        for setting in dict.fromkeys(_setting(cell) for cell in temporal if cell.evidence.verdict is Verdict.HOLDS)
        if setting not in seen
    ]
    with ThreadPoolExecutor(max_workers=runner.jobs) as pool:
        answers = list(pool.map(lambda setting: _ask(runner, spec, setting), asked))
    told = "; ".join(each.text for each in conjuncts if each.kind != "step")
    findings = []
    for setting, answer in zip(asked, answers, strict=True):
        if answer.verdict is Verdict.VIOLATED:
            continue
        none = answer.verdict is Verdict.HOLDS
        name = f"{setting.variant or 'model'} in {setting.environment or 'default'}"
        findings.append(
            Finding(
                rule="no-fair-behaviour",
                where=conjuncts[0].where,
                message=f"No behaviour of {name} satisfies the specification, so every temporal goal holds there: {told}"
                if none
                else f"Whether any behaviour of {name} satisfies the specification was not decided: {answer.reason}",
                todo="Mend the fairness: each action in it must be a step that Next can take",
                outcome="refused" if none else "undecided",
            )
        )
    return tuple(findings)


def _setting(cell: Cell) -> Setting:
    """The cell's setting; without a matrix a cell names none."""
    subject = cell.evidence.subject
    return Setting(subject["variant"], subject["environment"])


def _ask(runner: Runner, spec: Spec, setting: Setting) -> Evidence:
    """TLC on a temporal property that every behaviour breaks: it holds only if there is none.

    The property must not be constant: TLC 2.15 decides those wrongly.
    """
    variable = spec.root.variables[0].name
    return probe(
        runner,
        setting,
        [f"{_PROPERTY} == <>({variable} # {variable})"],
        asked="does any behaviour satisfy the specification?",
        properties=(_PROPERTY,),
    )
