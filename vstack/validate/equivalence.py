"""Survivors told apart: the same reachable steps as the model itself, within the bounds, or a step that differs."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from vstack.tlc.trace import Trace
from vstack.tools.find import Tools
from vstack.validate.batch import CLEAN, Model, UnparsedError, batch_job, read_batch
from vstack.validate.schemata import RUN, RUN_MODULE, Registers, Run, model_schemata, number_set

COMPARE_MODULE = "VsCompare"


@dataclass(frozen=True)
class Difference:
    """A reachable step that one of the two can take and the other can't: the last of ``trace``.

    ``by_mutant`` says that it is the mutant's.
    """

    by_mutant: bool
    trace: Trace


@dataclass(frozen=True)
class Comparison:
    """``equivalent``: proved within the bounds; else a ``difference``, or a ``reason`` why neither could be shown."""

    equivalent: bool
    difference: Difference | None = None
    reason: str = ""


def compare(model: Model, runs: Sequence[Run], tools: Tools, *, seconds: float) -> dict[int, Comparison]:
    """Compare the mutant of each run with the model, by run number.

    Both have the same Init. If every reachable step of the mutant is a step of
    the model, the mutant reaches no state that the model does not; if every
    reachable step of the model is one of the mutant, it reaches all of them.
    Steps that change nothing count as taken by both. Both directions are action
    properties checked by one TLC process for all runs. Where an evaluation
    fails, or the modules don't parse, the runs are compared in halves, so that
    only the culprit is left open.
    """
    if not runs:
        return {}
    registers = Registers(f"vs-{secrets.token_hex(4)}", 1000 + secrets.randbelow(20_000), 0)
    versions = [Run(CLEAN, ()), *runs]
    schemata = model_schemata(model.spec, model.actions, versions, registers)
    text = _module(model, versions, registers, framed=schemata.framed)
    job = batch_job(
        model.job, schemata, COMPARE_MODULE, text, (), ("vs_prop",), ("vs_live",), runs=len(versions), seconds=seconds
    )
    try:
        result = read_batch(job, tools, registers)
    except UnparsedError as error:
        if len(runs) == 1:
            return {runs[0].number: Comparison(False, None, f"not compared: {error.what}")}
        middle = len(runs) // 2
        return {
            **compare(model, runs[:middle], tools, seconds=seconds),
            **compare(model, runs[middle:], tools, seconds=seconds),
        }
    found: dict[int, Comparison] = {}
    for run, numbers, trace in result.shown:
        for number in numbers:
            found.setdefault(number, Comparison(False, Difference(run != CLEAN, trace)))
    left = [run for run in runs if run.number not in found]
    if result.complete:
        return found | {run.number: Comparison(True) for run in left}
    if not result.error or len(runs) == 1:
        return found | {run.number: Comparison(False, None, f"not compared: {result.reason}") for run in left}
    if len(left) == len(runs):
        middle = len(left) // 2
        halves: tuple[Sequence[Run], ...] = (left[:middle], left[middle:])
    else:
        halves = (left,)
    for half in halves:
        found |= compare(model, half, tools, seconds=seconds)
    return found


def _module(model: Model, runs: Sequence[Run], registers: Registers, *, framed: bool) -> str:
    root, variables = model.spec.root.name, [variable.name for variable in model.spec.root.variables]
    mutants = number_set([run.number for run in runs if run.number != CLEAN])
    unchanged = f"UNCHANGED <<{', '.join(variables)}>>"
    closed = registers.closed
    return "\n".join(
        [
            f"---- MODULE {COMPARE_MODULE} ----",
            f"EXTENDS {root}, {RUN_MODULE}",
            # The same modules with a number in place of the variable: the version with that number.
            f"vs_version(vs_k) == INSTANCE {root} WITH {RUN} <- vs_k",
            f"vs_all == {number_set([run.number for run in runs])}",
            f"vs_mutants == {mutants}",
            (
                f"ASSUME \\A vs_r \\in vs_all : vs_set(vs_r, 0, FALSE) /\\ vs_set(vs_r, {closed}, FALSE)"
                f" /\\ vs_set(vs_r, {registers.count}, 0)"
            ),
            f"vs_init == {RUN} \\in vs_all /\\ ({model.init})",
            f"vs_next == {model.next}" if framed else f"vs_next == vs_open /\\ ({model.next}) /\\ {RUN}' = {RUN}",
            f"vs_live == IF vs_at({closed}) THEN vs_put(0, TRUE) /\\ FALSE ELSE TRUE",
            f"vs_can(vs_k) == {unchanged} \\/ vs_version(vs_k)!{model.next}",
            f"vs_close(vs_k) == vs_set(vs_k, {closed}, TRUE)",
            # A definition is evaluated each time it is used, a bound name once: the registers change in between.
            f"vs_lost == {{vs_k \\in vs_mutants : ~vs_get(vs_k, {closed}) /\\ ~vs_can(vs_k)}}",
            f"vs_new == IF {RUN} = {CLEAN} THEN vs_lost ELSE IF vs_can({CLEAN}) THEN {{}} ELSE {{{RUN}}}",
            (
                f"vs_report(vs_bad) == vs_say(<<{RUN}, vs_bad>>) /\\ (\\A vs_k \\in vs_bad : vs_close(vs_k))"
                f" /\\ ((\\A vs_k \\in vs_mutants : vs_get(vs_k, {closed})) => vs_close({CLEAN})) /\\ FALSE"
            ),
            f"vs_step == vs_at({closed}) \\/ \\A vs_bad \\in {{vs_new}} : vs_bad = {{}} \\/ vs_report(vs_bad)",
            f"vs_prop == [][vs_step]_<<{', '.join([*variables, RUN])}>>",
            "====",
            "",
        ]
    )
