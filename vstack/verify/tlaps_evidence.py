"""The evidence of a theorem goal: what its runs of tlapm come to together, and what the claim rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vstack.keep.evidence import evidence_key, machine
from vstack.results import Evidence, Numbers
from vstack.tla.tree import Spec
from vstack.verdicts import Strength, Verdict, worst
from vstack.verify.tlaps_control import proved_controls, tried_controls
from vstack.verify.tlaps_run import ModuleRun
from vstack.verify.tlaps_spec import own_modules
from vstack.verify.tlaps_task import CONTROL, Task
from vstack.verify.tlaps_tool import Tlapm
from vstack.verify.tlaps_verdict import Judged, judge_module

ENGINE = "tlaps"


def judged(task: Task, runs: Mapping[str, ModuleRun], empty: Evidence) -> Evidence:
    """``empty`` with the verdict that the runs of all modules and of the control give together."""
    by_name = {module.name: module for module in own_modules(task.spec)}
    found = [judge_module(by_name[name], runs[name]) for name in task.modules]
    verdict = worst([one.verdict for one in found])
    total = sum(one.obligations for one in found)
    if verdict is not Verdict.HOLDS:
        reason = "; ".join(f"{one.module}: {one.reason}" for one in found if one.verdict is not Verdict.HOLDS)
    elif proved_controls(task.control, runs[CONTROL].output):
        verdict = Verdict.REFUSED
        reason = f"[tlaps-vacuous] tlapm proves FALSE from the hypotheses of {task.theorem.name} and the assumptions: it says nothing"
    elif not tried_controls(task.control, runs[CONTROL].output):
        verdict = Verdict.UNDECIDED
        reason = (
            f"{total} obligations were proved, but its control (FALSE for the conclusion) could not be tried, so that"
            " contradictory hypotheses would go unseen"
        )
    elif total < max(1, task.goal.proof.obligations):
        verdict = Verdict.REFUSED
        reason = f"[tlaps-floor] {total} obligations were proved, the approved floor is {task.goal.proof.obligations}"
    else:
        assumed = _assumptions(task.spec)
        reason = f"{total} obligations of {len(found)} modules proved; assumed: {', '.join(assumed) or 'nothing'}"
    return empty.model_copy(
        update={
            "verdict": verdict,
            "reason": reason,
            "strength": Strength.PROVED if verdict is Verdict.HOLDS else None,
            "numbers": Numbers(seconds=round(sum(run.seconds for run in runs.values()), 1)),
            "detail": {**empty.detail, "modules": {one.module: _told(one) for one in found}, "obligations": total},
        }
    )


def _told(judged: Judged) -> dict[str, Any]:
    return {"verdict": str(judged.verdict), "obligations": judged.obligations, "provers": dict(judged.provers or {})}


def _assumptions(spec: Spec) -> list[str]:
    """What every claim about the theorem rests on: each ASSUME and AXIOM that its modules reach, as text."""
    found = {item.uid: item for module in own_modules(spec) for item in module.assumptions}
    return [" ".join(spec.text(item.span).split()) for item in found.values()]


def empty_record(
    name: str, task: Task | None, tlapm: Tlapm | None, started: str, verdict: Verdict, reason: str
) -> Evidence:
    """A record of what goal ``name`` asks, its key over all that goes in; None for what is not known yet."""
    subject = {"goal": name, "theorem": str(task.theorem.name) if task is not None else ""}
    inputs = task.inputs_of(CONTROL) if task is not None else {}
    bounds = (
        {"stretch": f"{task.goal.proof.stretch:g}", "seconds": f"{task.goal.proof.seconds:g}"}
        if task is not None
        else {}
    )
    commands = [" ".join(("tlapm", *task.argv(run))) for run in (*task.modules, CONTROL)] if task is not None else []
    floor = task.goal.proof.obligations if task is not None else 0
    tool = f"tlapm {tlapm.version}" if tlapm is not None else "tlapm"
    sha256 = tlapm.sha256 if tlapm is not None else ""
    parts = {"engine": ENGINE, "subject": subject, "inputs": inputs, "tool": tool, "sha256": sha256, "bounds": bounds}
    return Evidence(
        key=evidence_key({**parts, "command": commands, "floor": floor}),
        engine=ENGINE,
        subject=subject,
        inputs=inputs,
        tool=tool,
        tool_sha256=sha256,
        command=commands,
        bounds=bounds,
        verdict=verdict,
        reason=reason,
        detail={"assumptions": _assumptions(task.spec)} if task is not None else {},
        machine=machine(),
        started=started,
    )
