"""What a run of a schedule on the real code shows: reproduced, not reproduced, or could not run."""

from __future__ import annotations

from typing import Any, Literal

from vstack.reproduce.agree import agrees, plain
from vstack.reproduce.run import Seen
from vstack.reproduce.schedule import Schedule, Scheduled
from vstack.results import Result


class Parting(Result):
    """The first step where model and code part.

    ``step`` counts from 1; ``differs`` maps each variable that differs to what
    the model predicts and what was observed; ``did`` is what the driver says the
    code did instead.
    """

    step: int
    action: str
    differs: dict[str, tuple[Any, Any]] = {}
    predicted: dict[str, Any] = {}
    observed: dict[str, Any] = {}
    did: str | None = None


class Driven(Result):
    """One run of a schedule.

    ``reproduced``: after every step all that was observed agrees with the model,
    and at the end the violated goal shows in the real code (``seen``).
    ``compared`` counts the values compared.
    """

    outcome: Literal["reproduced", "not reproduced", "could not run"]
    reason: str
    seconds: float
    steps: int
    compared: int = 0
    variables: tuple[str, ...] = ()
    seen: str | None = None
    parting: Parting | None = None
    stacks: str = ""


def judge(schedule: Schedule, seen: Seen) -> Driven:
    """Compare ``seen`` with ``schedule`` step by step.

    A difference that the driver could observe counts even where the run failed
    later; a run that did not end is never more than "could not run". The
    violation must show at the end and, for an invariant, nowhere before.
    """
    compared, variables = 0, set()
    for line in seen.of("before"):
        if line["seen"]:
            return _could_not(seen, f"the driver sees the violation before the first step ({line['seen']})")
    for line in seen.of("step"):
        step = schedule.steps[line["at"] - 1]
        observed = line["observed"]
        if not observed:
            return _could_not(seen, f"nothing was observed after step {line['at']}, so nothing was compared with the model")
        strange = sorted(set(observed) - set(step.predicted))
        if strange:
            return _could_not(seen, f"the driver observes `{strange[0]}`, which is no variable of the model")
        compared += len(observed)
        variables |= set(observed)
        if _differs(step, observed):
            return _parted(schedule, seen, line["at"], observed, None, compared)
        # The counterexample of an invariant is the shortest: no earlier state of it violates the goal.
        if line["seen"] and not schedule.endless and line["at"] < len(schedule.steps):
            did = f"it already violates {schedule.goal} here, and the model does not ({line['seen']})"
            return _parted(schedule, seen, line["at"], observed, did, compared)
    if seen.problem is not None:
        return _could_not(seen, seen.problem)
    for line in seen.of("parted"):
        return _parted(schedule, seen, line["at"], line["observed"], line["why"], compared)
    taken = len(seen.of("step"))
    if taken != len(schedule.steps) or not compared:
        why = "nothing was observed" if taken == len(schedule.steps) else f"only {taken} steps were taken"
        return _could_not(seen, f"{why}, so nothing was compared with the model")
    said = seen.of("seen")
    text = said[0]["text"] if said else None
    reason = f"all {taken} steps agree, but the real code shows no violation of {schedule.goal} at the end"
    return Driven(
        outcome="reproduced" if text else "not reproduced",
        reason=f"all {taken} steps agree; {text}" if text else reason,
        seconds=seen.seconds,
        steps=taken,
        compared=compared,
        variables=tuple(sorted(variables)),
        seen=text or None,
    )


def _differs(step: Scheduled, observed: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The observed variables that are not as predicted: what the model says, and what was seen."""
    return {
        name: (plain(step.predicted[name]), value)
        for name, value in observed.items()
        if name in step.predicted and not agrees(step.predicted[name], value)
    }


def _parted(
    schedule: Schedule,
    seen: Seen,
    at: int,
    observed: dict[str, Any],
    did: str | None,
    compared: int,
) -> Driven:
    step = schedule.steps[at - 1]
    differs = _differs(step, observed)
    parting = Parting(
        step=at,
        action=step.words,
        differs=differs,
        predicted={name: plain(value) for name, value in step.predicted.items()},
        observed=observed,
        did=did,
    )
    reason = f"the code parts from the model at step {at}, {step.words}"
    if did:
        reason += f": {did}"
    elif differs:
        name, (model, real) = next(iter(differs.items()))
        reason += f": {name} is {real} in the real code, {model} in the model"
    return Driven(
        outcome="not reproduced", reason=reason, seconds=seen.seconds, steps=at - 1, compared=compared, parting=parting
    )


def _could_not(seen: Seen, reason: str) -> Driven:
    return Driven(
        outcome="could not run", reason=reason, seconds=seen.seconds, steps=len(seen.of("step")), stacks=seen.stacks[-8000:]
    )
