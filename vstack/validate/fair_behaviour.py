"""Rule: a specification that no behaviour satisfies keeps every temporal goal. Where its form does not rule that out, TLC is asked."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from vstack.files import sha256_bytes
from vstack.keep.evidence import evidence_key, machine, now
from vstack.results import Cell, Evidence, Finding, Numbers
from vstack.specify.fairness import read_fairness
from vstack.tla.cfg import format_cfg
from vstack.tla.tree import Spec
from vstack.tlc.job import Requirements, TlcJob
from vstack.tlc.run import run_tlc
from vstack.validate.cells import Setting, cell_job, constants_of, describe
from vstack.validate.runs import Runner
from vstack.verdicts import Verdict

_MODULE, _PROPERTY = "VsFair", "vs_no_behaviour"


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
    text = f"---- MODULE {_MODULE} ----\nEXTENDS {spec.root.name}\n{_PROPERTY} == <>({variable} # {variable})\n====\n"
    plain = cell_job(runner.project, setting, [])
    job: TlcJob = replace(
        plain,
        module=plain.module.parent / f"{_MODULE}.tla",
        cfg=replace(plain.cfg, properties=(_PROPERTY,)),
        check_deadlock=False,
        coverage=False,
        extra_files={f"{_MODULE}.tla": text},
    )
    cfg = format_cfg(job.cfg, old_jar=False)[0]
    key = evidence_key(
        {
            "engine": "tlc",
            "stage": _PROPERTY,
            "jar": runner.tools.jar_sha256,
            "java": runner.tools.java_version,
            "modules": runner.modules,
            "root": runner.project.model.module,
            "generated": text,
            "cfg": cfg,
        }
    )
    known = runner.store.get(key)
    if known is not None:
        return known
    runner.on_event(f"{setting.variant} / {setting.environment}: is there a fair behaviour?")
    result = run_tlc(job, runner.tools, requirements=Requirements())
    record = Evidence(
        key=key,
        engine="tlc",
        subject={**describe(setting), "asked": "is there a behaviour that satisfies the specification?"},
        inputs={**runner.modules, "cfg": sha256_bytes(cfg.encode())},
        tool=f"TLC {runner.tools.tlc_version}, Java {runner.tools.java_version}",
        tool_sha256=runner.tools.jar_sha256,
        command=list(result.command),
        bounds=constants_of(runner.project, setting),
        verdict=result.verdict,
        reason=result.reason,
        numbers=Numbers(
            distinct=result.distinct, generated=result.generated, depth=result.depth, seconds=round(result.seconds, 3)
        ),
        machine=machine(),
        started=now(),
    )
    if record.verdict in (Verdict.HOLDS, Verdict.VIOLATED):
        runner.store.put(record)
    return record
