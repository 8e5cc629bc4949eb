"""A liveness counterexample checked on its own behaviour, which also names the property it violates."""

from __future__ import annotations

from dataclasses import replace

from vstack.tla.cfg import Cfg
from vstack.tlc.job import Budget, Requirements, TlcJob
from vstack.tlc.outcome import TlcResult
from vstack.tlc.replay import COUNTER, replay_job, replayable
from vstack.tlc.single import run_once
from vstack.tlc.trace import Trace
from vstack.tools.find import Tools
from vstack.verdicts import Verdict

_SECONDS = 60.0
_LONGEST = 2_000


def confirm(result: TlcResult, job: TlcJob, tools: Tools) -> TlcResult:
    """``result``, a temporal violation, once more: is the property false on this very behaviour?

    TLC 2.15 finds counterexamples to formulas that are always true (``<>TRUE``),
    and doesn't say which of several properties is violated. So the behaviour
    alone is given to TLC with the negation of each property: where the negation
    holds, that property is violated and named. Where TLC finds every property
    true on its own counterexample, the verdict is ``undecided``. A property
    whose negation TLC can't check (a refinement) leaves the violation as it
    was, with a warning.
    """
    trace = result.trace
    if trace is None or len(trace.steps) > _LONGEST or not replayable(trace):
        return _unconfirmed(result, job.cfg.properties, "its states can't be written as data")
    open_names: list[str] = []
    why = ""
    seconds = result.seconds
    for name in job.cfg.properties:
        alone = run_once(_lasso(trace, name, job), tools, Requirements(), None)
        seconds += alone.seconds
        if alone.verdict is Verdict.HOLDS:
            return replace(result, violated=name, reason=f"temporal property {name} is violated", seconds=seconds)
        if alone.verdict is not Verdict.VIOLATED:
            open_names.append(name)
            why = alone.reason
    result = replace(result, seconds=seconds)
    if open_names:
        return _unconfirmed(result, tuple(open_names), why)
    names = ", ".join(job.cfg.properties)
    return replace(
        result,
        verdict=Verdict.UNDECIDED,
        reason=f"TLC contradicts itself: it gives a counterexample to {names}, and finds {names} true on it",
        violated=None,
        kind=None,
        trace=None,
        traces=(),
    )


def _unconfirmed(result: TlcResult, names: tuple[str, ...], why: str) -> TlcResult:
    name = names[0] if len(names) == 1 else "one of " + ", ".join(names)
    note = f"the counterexample rests on TLC's liveness search alone: {why}"
    return replace(
        result,
        violated=name,
        reason=f"temporal property {name} is violated",
        warnings=(*result.warnings, note),
    )


def _lasso(trace: Trace, name: str, job: TlcJob) -> TlcJob:
    """A job whose only behaviour is ``trace``, for ever, and that checks the negation of ``name``."""
    variables = sorted(trace.steps[0].state)
    everything = f"<<{', '.join((COUNTER, *variables))}>>"
    again = ""
    if trace.loop_to is not None:
        back = " /\\ ".join(f"{each}' = VstackTrace[{trace.loop_to}].{each}" for each in variables)
        again = f"\n  \\/ {COUNTER} = VstackLength /\\ {COUNTER}' = {trace.loop_to} /\\ {back}"
    body = f"""VstackNext ==
  \\/ {COUNTER} < VstackLength /\\ VstackStep{again}
VstackSpec == VstackInit /\\ [][VstackNext]_{everything} /\\ WF_{everything}(VstackNext)
VstackDenied == ~({name})"""
    budget = Budget(min(_SECONDS, job.budget.seconds), job.budget.heap_mb)
    cfg = Cfg(specification="VstackSpec", properties=("VstackDenied",))
    return replay_job(trace, replace(job, budget=budget), body=body, cfg=cfg)
