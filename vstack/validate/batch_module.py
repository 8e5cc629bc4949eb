"""The root module of a batch: where each run and goal shows its first counterexample, and where a run ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vstack.validate.schemata import RUN, RUN_MODULE, Registers, Run, number_set

BATCH_MODULE = "VsBatch"


@dataclass(frozen=True)
class BatchGoals:
    """Goals by name: ``invariants`` are state formulas, ``steps`` predicates over a transition."""

    invariants: Mapping[str, str]
    steps: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """All names; a goal's number is its place here, from 1."""
        return (*self.invariants, *self.steps)


def batch_module(
    root: str,
    variables: Sequence[str],
    init: str,
    next_name: str,
    goals: BatchGoals,
    runs: Sequence[Run],
    registers: Registers,
    *,
    framed: bool,
    limit: int,
    every_goal: bool,
    definitions: Sequence[str] = (),
) -> str:
    """The text of the root module.

    ``vs_inv`` and ``vs_prop`` are false exactly in the state or step where a run
    breaks goals for the first time; these are printed before, as ``<<mark,
    <<run, goals>>>>``. A run past ``limit`` distinct states is given up, which is
    printed with no goals and is no violation. ``vs_live`` lets no further state
    of a run in that has nothing left to show. ``definitions`` are what the goals
    use besides the model's own.
    """
    # TLC reads a counterexample back by taking its steps again, so Next may not
    # close on a run at once: register 0 is set only when the next state comes in.
    # TLC checks invariants in states that a constraint keeps out, too.
    close = f"vs_put({registers.closed}, TRUE)"
    numbered = list(enumerate(goals.names, start=1))
    invariants = [(number, goals.invariants[name]) for number, name in numbered if name in goals.invariants]
    steps = [(number, goals.steps[name]) for number, name in numbered if name in goals.steps]
    numbers = number_set([run.number for run in runs])
    asked = [
        f"<<{run.number}, {number}, {'TRUE' if name in run.goals else 'FALSE'}>>"
        for run in runs
        for number, name in numbered
    ]
    ended = close if not every_goal else f"((\\A vs_g \\in vs_goals : ~vs_at(vs_g)) => {close})"
    whole = f"<<{', '.join([*variables, RUN])}>>"
    lines = [
        f"---- MODULE {BATCH_MODULE} ----",
        f"EXTENDS {root}, {RUN_MODULE}",
        *definitions,
        f"vs_all == {numbers}",
        f"vs_goals == {number_set([number for number, _ in numbered])}",
        f"vs_forced == {number_set([run.number for run in runs if run.forced])}",
        f"vs_asked == {{{', '.join(asked)}}}",
        (
            f"ASSUME \\A vs_r \\in vs_all : vs_set(vs_r, 0, FALSE) /\\ vs_set(vs_r, {registers.closed}, FALSE)"
            f" /\\ vs_set(vs_r, {registers.count}, 0)"
        ),
        "ASSUME \\A vs_a \\in vs_asked : vs_set(vs_a[1], vs_a[2], vs_a[3])",
        f"vs_init == {RUN} \\in vs_all /\\ ({init})",
        f"vs_next == {next_name}" if framed else f"vs_next == vs_open /\\ ({next_name}) /\\ {RUN}' = {RUN}",
        f"vs_live == IF vs_at({registers.closed}) THEN vs_put(0, TRUE) /\\ FALSE ELSE TRUE",
        # An argument is evaluated each time it is used, a bound name once: the registers change in between.
        (
            f"vs_report(vs_set_of) == \\A vs_bad \\in {{vs_set_of}} : vs_say(<<{RUN}, vs_bad>>)"
            f" /\\ (\\A vs_g \\in vs_bad : vs_put(vs_g, FALSE)) /\\ {ended} /\\ FALSE"
        ),
        f"vs_given_up == {close} /\\ vs_say(<<{RUN}, {{}}>>)",
        *_checks("vs_holds", invariants, f"({init})"),
        (
            f"vs_kept == IF {_all(invariants, 'vs_holds')} THEN TRUE"
            f" ELSE vs_report({{vs_g \\in {number_set([n for n, _ in invariants])} : vs_at(vs_g) /\\ ~vs_holds(vs_g)}})"
        ),
        (
            f"vs_inv == IF vs_at({registers.closed}) THEN TRUE ELSE"
            f" vs_tally /\\ (IF vs_more({limit}) THEN vs_given_up ELSE vs_kept)"
        ),
    ]
    if steps:
        lines += [
            *_checks("vs_step_holds", steps, f"UNCHANGED <<{', '.join(variables)}>>"),
            (
                f"vs_step == IF vs_at({registers.closed}) \\/ {_all(steps, 'vs_step_holds')} THEN TRUE"
                f" ELSE vs_report({{vs_g \\in {number_set([n for n, _ in steps])}"
                f" : vs_at(vs_g) /\\ ~vs_step_holds(vs_g)}})"
            ),
            f"vs_prop == [][vs_step]_{whole}",
        ]
    return "\n".join([*lines, "====", ""])


def _checks(name: str, goals: Sequence[tuple[int, str]], forced: str) -> list[str]:
    arms = " [] ".join(f"vs_g = {number} -> ({formula})" for number, formula in goals)
    chosen = f"CASE {arms}" if arms else "TRUE"
    return [f"{name}(vs_g) == IF {RUN} \\in vs_forced THEN {forced} ELSE ({chosen})"]


def _all(goals: Sequence[tuple[int, str]], name: str) -> str:
    return "(" + (" /\\ ".join(f"(vs_at({number}) => {name}({number}))" for number, _ in goals) or "TRUE") + ")"
