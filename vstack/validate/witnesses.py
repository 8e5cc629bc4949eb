"""Rule: a goal that is to hold must have something to say. Its witnesses are states or steps that some run comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vstack.keep.evidence import evidence_key, machine, now
from vstack.project import PROJECT_FILE
from vstack.results import Evidence, Finding, Numbers, WitnessRow
from vstack.tla.cfg import format_cfg
from vstack.tla.tree import Spec
from vstack.validate.antecedents import antecedents
from vstack.validate.batch import FIRST, Model, UnparsedError, can_batch, run_batch
from vstack.validate.cells import Setting, cell_job, constants_of, describe
from vstack.validate.probe import probe
from vstack.validate.runs import Runner
from vstack.validate.schemata import Run
from vstack.verdicts import Verdict

_BATCH = 24
# TLC counts with 32 bits: no run is given up for its size, only for its time.
_NO_LIMIT = 2_000_000_000


@dataclass(frozen=True)
class Witness:
    """``name`` is that of the operator made for it; ``text`` its formula, ``words`` as a person wrote it."""

    goal: str
    name: str
    text: str
    words: str
    declared: bool
    step: bool = False
    inner: bool = False

    @property
    def definition(self) -> str:
        """The definition of the operator."""
        return f"{self.name} ==\n{self.text}\n"


def find_witnesses(runner: Runner, spec: Spec) -> tuple[Witness, ...]:
    """The witnesses of each TLA+ goal: those it declares, and the conditions of its implications."""
    found: list[Witness] = []
    for goal, declared in runner.project.file.goals.items():
        if not declared.is_searched:
            continue
        made = [(name, name, True, False, False) for name in declared.witnesses]
        made += [(one.text, one.words, False, one.step, one.inner) for one in antecedents(spec, declared.formula or "")]
        for text, words, own, step, inner in made:
            found.append(Witness(goal, f"vs_witness_{len(found) + 1}", text, words, own, step, inner))
    return tuple(found)


def run_witnesses(runner: Runner, spec: Spec) -> tuple[WitnessRow, ...]:
    """A row for each witness: in which of the cases where its goal is to hold some run comes to it.

    One batch of runs shares a TLC process, and each run ends when it has come
    to all of its witnesses.
    """
    witnesses = find_witnesses(runner, spec)
    asked = {
        setting: tuple(witness for witness in witnesses if witness.goal in goals)
        for setting, goals in _settings(runner).items()
    }
    asked = {setting: mine for setting, mine in asked.items() if mine}
    answers = {}
    for setting, mine in asked.items():
        record = runner.store.get(_key(runner, setting, mine))
        if record is not None:
            answers[setting] = frozenset(record.detail["reached"])
    missing = [setting for setting in asked if setting not in answers]
    for at in range(0, len(missing), _BATCH):
        answers |= _together(runner, spec, {setting: asked[setting] for setting in missing[at : at + _BATCH]})
    for setting in missing:
        if setting not in answers:
            answers |= _together(runner, spec, {setting: asked[setting]}) or _alone(
                runner, spec, setting, asked[setting]
            )
    rows = []
    for witness in witnesses:
        cells = {_name(setting): answers.get(setting) for setting, mine in asked.items() if witness in mine}
        rows.append(
            WitnessRow(
                goal=witness.goal,
                text=witness.words,
                declared=witness.declared,
                inner=witness.inner,
                reached=tuple(name for name, found in cells.items() if found is not None and witness.name in found),
                missed=tuple(name for name, found in cells.items() if found is not None and witness.name not in found),
                undecided=tuple(name for name, found in cells.items() if found is None),
                excuse=runner.project.file.goals[witness.goal].excuse_vacuous,
            )
        )
    return tuple(rows)


def come_to(
    runner: Runner, spec: Spec, setting: Setting, witnesses: tuple[Witness, ...]
) -> frozenset[str] | None:
    """The names of those of ``witnesses`` that some run of ``setting`` comes to; None where that was not decided."""
    known = runner.store.get(_key(runner, setting, witnesses))
    if known is not None:
        return frozenset(known.detail["reached"])
    asked = {setting: witnesses}
    return (_together(runner, spec, asked) or _alone(runner, spec, setting, witnesses)).get(setting)


def witness_findings(runner: Runner, rows: Sequence[WitnessRow]) -> list[Finding]:
    """Witnesses that nothing comes to, and variants in which nothing comes to any that would make the goal say something.

    Each must be reached in some case in which its goal is to hold; a declared one,
    and one at least of the formula's outer conditions, in some case of each variant.
    """
    findings = []
    for row in rows:
        cells = (*row.reached, *row.missed, *row.undecided)
        if row.excuse is None and cells and not row.reached:
            findings.append(_finding(runner, row.goal, row.text, "any variant", decided=not row.undecided))
        elif row.excuse is None and row.declared:
            for variant in dict.fromkeys(map(_variant, cells)):
                if variant not in map(_variant, row.reached):
                    decided = variant not in map(_variant, row.undecided)
                    findings.append(_finding(runner, row.goal, row.text, variant, decided=decided))
    for goal in dict.fromkeys(row.goal for row in rows):
        outer = [row for row in rows if row.goal == goal and not row.declared and not row.inner]
        if not any(row.reached for row in outer) or any(row.excuse is not None for row in outer):
            continue
        for variant in dict.fromkeys(_variant(cell) for row in outer for cell in (*row.missed, *row.undecided)):
            if not any(variant in map(_variant, row.reached) for row in outer):
                decided = not any(variant in map(_variant, row.undecided) for row in outer)
                findings.append(
                    _finding(runner, goal, " or ".join(row.text for row in outer), variant, decided=decided)
                )
    return findings


def _finding(runner: Runner, goal: str, text: str, variant: str, *, decided: bool) -> Finding:
    return Finding(
        rule="witness-not-reached",
        where=str(runner.project.root / PROJECT_FILE),
        message=f"No run of {variant} comes to `{text}`, so {goal} holds there for nothing"
        if decided
        else f"Whether a run of {variant} comes to `{text}` was not decided: {goal} may hold there for nothing",
        todo=f"Mend the formula or the model, or say under `goals.{goal}.excuse_vacuous` why it is so and have that approved",
        outcome="refused" if decided else "undecided",
    )


def _variant(cell: str) -> str:
    return cell.split("/")[0]


def _settings(runner: Runner) -> dict[Setting, tuple[str, ...]]:
    """The settings in which goals are to hold, with these goals."""
    file = runner.project.file
    goals = tuple(name for name, goal in file.goals.items() if goal.is_searched)
    if not file.matrix:
        return {Setting(None, None): goals}
    return {
        Setting(variant, environment): tuple(goal for goal, expected in cells.items() if expected == "holds")
        for variant, row in file.matrix.items()
        for environment, cells in row.items()
    }


def _name(setting: Setting) -> str:
    return f"{setting.variant or 'model'}/{setting.environment or 'default'}"


def _together(
    runner: Runner, spec: Spec, asked: Mapping[Setting, tuple[Witness, ...]]
) -> dict[Setting, frozenset[str]]:
    """What the runs of one TLC process came to; empty where they can't share one, or the budget ran out."""
    settings = list(asked)
    job = cell_job(runner.project, settings[0], [])
    if can_batch(job.cfg) is not None:
        return {}
    witnesses = list(dict.fromkeys(witness for mine in asked.values() for witness in mine))
    model = Model(
        spec,
        runner.actions,
        runner.project.model.init,
        runner.project.model.next,
        {witness.name: f"~{witness.name}" for witness in witnesses if not witness.step},
        {},
        (),
        job,
        definitions=tuple(witness.definition for witness in witnesses),
        transitions={witness.name: f"~{witness.name}" for witness in witnesses if witness.step},
    )
    constants = {setting: constants_of(runner.project, setting) for setting in settings}
    runs = [
        Run(
            FIRST + at,
            tuple(witness.name for witness in asked[setting]),
            constants=constants[setting] if len(settings) > 1 else {},
        )
        for at, setting in enumerate(settings)
    ]
    runner.on_event(f"witnesses of {len({witness.goal for witness in witnesses})} goals in {len(settings)} settings")
    try:
        result = run_batch(
            model, runs, runner.tools, limit=_NO_LIMIT, seconds=runner.project.file.budget.seconds, every_goal=True
        )
    except UnparsedError:
        return {}
    if not result.search.complete:
        return {}
    answers = {}
    for run, setting in zip(runs, settings, strict=True):
        reached = {name for shown in result.of(run.number) for name in shown.goals}
        answers[setting] = frozenset(reached)
        _keep(runner, setting, asked[setting], reached, result.search.command, result.search.distinct)
    return answers


def _alone(runner: Runner, spec: Spec, setting: Setting, mine: Sequence[Witness]) -> dict[Setting, frozenset[str]]:
    """A TLC process for each witness; nothing where one was not decided."""
    variables = ", ".join(item.name for item in spec.root.variables)
    reached = set()
    for witness in mine:
        wanted = f"is `{witness.words}` ever true?"
        never = f"vs_never == ~{witness.name}"
        if witness.step:
            never = f"vs_never == [][~{witness.name}]_<<{variables}>>"
        answer = probe(
            runner,
            setting,
            [witness.definition, never],
            asked=wanted,
            invariants=() if witness.step else ("vs_never",),
            properties=("vs_never",) if witness.step else (),
        )
        if answer.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
            return {}
        if answer.verdict is Verdict.VIOLATED:
            reached.add(witness.name)
    return {setting: frozenset(reached)}


def _keep(
    runner: Runner, setting: Setting, mine: Sequence[Witness], reached: set[str], command: Sequence[str], distinct: int
) -> None:
    record = Evidence(
        key=_key(runner, setting, mine),
        engine="tlc",
        subject={**describe(setting), "asked": "which witnesses are reached"},
        inputs=dict(runner.modules),
        tool=f"TLC {runner.tools.tlc_version}, Java {runner.tools.java_version}",
        tool_sha256=runner.tools.jar_sha256,
        command=list(command),
        verdict=Verdict.HOLDS if len(reached) == len(mine) else Verdict.VIOLATED,
        reason=f"{len(reached)} of {len(mine)} witnesses reached",
        numbers=Numbers(distinct=distinct),
        detail={"reached": sorted(reached)},
        machine=machine(),
        started=now(),
    )
    runner.store.put(record)


def _key(runner: Runner, setting: Setting, mine: Sequence[Witness]) -> str:
    return evidence_key(
        {
            "engine": "tlc batch, witnesses",
            "jar": runner.tools.jar_sha256,
            "java": runner.tools.java_version,
            "modules": runner.modules,
            "root": runner.project.model.module,
            "cfg": format_cfg(cell_job(runner.project, setting, []).cfg, old_jar=False)[0],
            "witnesses": [[witness.name, witness.text, witness.step] for witness in mine],
        }
    )
