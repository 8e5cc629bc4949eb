"""From exit status and messages to a verdict; ``holds`` needs every sign of a complete, non-vacuous search."""

from __future__ import annotations

import re
import signal

from vstack.errors import VstackError
from vstack.process import Finished
from vstack.tla.messages import complaint
from vstack.tlc.collect import Collector, Violation
from vstack.tlc.job import Requirements, TlcJob
from vstack.tlc.outcome import Outcome
from vstack.tlc.workspace import Workspace
from vstack.tools.find import Tools
from vstack.verdicts import Verdict

# Exit statuses that go with a violation: deadlock, invariants, liveness and action properties.
_VIOLATED = {11: ("deadlock",), 12: ("invariant",), 13: ("action", "property", "temporal")}
_PARSING = 150
_EXIT_ON_OUT_OF_MEMORY = 3
_OUT_OF_MEMORY = "Terminating due to java.lang.OutOfMemoryError"
_ASSERT, _ASSUMPTION_FALSE = 2132, 2104
# Warnings after which a pass says nothing: liveness under symmetry, liveness under constraints.
_VACUOUS_LIVENESS = {"(TLC 2279)": "symmetry", "(TLC 2284)": "a state or action constraint"}
_PLACE = re.compile(r"[Ll]ine (\d+), col(?:umn)? \d+ to line \d+, col(?:umn)? \d+ (?:in|of module) (\w+)")
_CONFIG_LINE = re.compile(r"configuration file at line (\d+)")
_NAME = {
    "invariant": re.compile(r"^Invariant (.+?) is violated"),
    "action": re.compile(r"^Action property (.+?) is violated"),
    "property": re.compile(r"^Property (.+?) is violated"),
}


def decide(
    seen: Collector, finished: Finished, job: TlcJob, requirements: Requirements, place: Workspace, tools: Tools
) -> Outcome:
    """The verdict of a run.

    A violation needs its message and, unless TLC was stopped after it went on,
    the exit status that goes with it. ``holds`` needs exit status 0, the
    success message, the final count with an empty queue, the state floor and
    every required action fired; whatever falls short is ``undecided``.
    """
    if finished.stopped:
        return _stopped(seen, finished, job)
    status = finished.returncode
    if seen.out_of_memory or (status == _EXIT_ON_OUT_OF_MEMORY and _OUT_OF_MEMORY in "".join(seen.tail)):
        return Outcome(Verdict.UNDECIDED, f"heap exhausted ({job.budget.heap_mb} MB){_how_far(seen)}")
    if status < 0 or status in (130, 137, 143):
        name = signal.Signals(-status if status < 0 else status - 128).name
        return Outcome(Verdict.UNDECIDED, f"TLC was killed by {name}{_how_far(seen)}")
    if seen.violations and (status == 0 or seen.violations[0].kind in _VIOLATED.get(status, ())):
        # With -continue TLC exits with 0 and the success message after a violation.
        return _violated(seen.violations[0], job)
    if status == _PARSING:
        return _not_parsed(seen, finished, place, tools)
    if status == 0:
        return _passed(seen, job, requirements)
    return _failed(seen, finished, place)


def _stopped(seen: Collector, finished: Finished, job: TlcJob) -> Outcome:
    if job.continue_after_violation and len(seen.violations) > 1:
        # The first counterexample was printed whole, for TLC went on to the second.
        return _violated(seen.violations[0], job)
    reason = f"{finished.stopped}{_how_far(seen)}"
    return Outcome(Verdict.UNDECIDED, f"{reason}; {job.budget.heap_mb} MB heap" if seen.out_of_memory else reason)


def _how_far(seen: Collector) -> str:
    latest = seen.last_progress
    if latest is None:
        return ""
    return f" ({latest.distinct:,} distinct states, {latest.queue:,} left on the queue, depth {latest.depth})"


def _violated(violation: Violation, job: TlcJob) -> Outcome:
    kind, text = violation.kind, violation.message.text
    first = text.split("\n")[0].rstrip(":")
    if kind == "temporal":
        names = job.cfg.properties
        name = names[0] if len(names) == 1 else "one of " + ", ".join(names)
        return Outcome(Verdict.VIOLATED, f"temporal property {name} is violated", name, kind)
    if kind == "deadlock":
        return Outcome(Verdict.VIOLATED, "deadlock reached", "deadlock", kind)
    found = _NAME[kind].match(text) if kind in _NAME else None
    return Outcome(Verdict.VIOLATED, first.rstrip("."), found[1] if found else None, kind)


def _passed(seen: Collector, job: TlcJob, requirements: Requirements) -> Outcome:
    if not seen.success:
        return Outcome(Verdict.UNDECIDED, "TLC ended without its success message")
    if seen.errors:
        return Outcome(Verdict.UNDECIDED, f"TLC reported an error and yet passed: {_one_line(seen.errors[0].text)}")
    if seen.final is None:
        return Outcome(Verdict.UNDECIDED, "TLC ended without its final count of states")
    _, distinct, queue = seen.final
    if queue:
        return Outcome(Verdict.UNDECIDED, f"TLC stopped with {queue:,} states left on the queue")
    for warning in seen.warnings:
        for mark, cause in _VACUOUS_LIVENESS.items():
            if warning.endswith(mark):
                return Outcome(Verdict.UNDECIDED, f"liveness under {cause} proves nothing: {_one_line(warning)}")
    if distinct < requirements.distinct_states:
        return Outcome(
            Verdict.UNDECIDED,
            f"only {distinct:,} distinct states, below the floor of {requirements.distinct_states:,}",
        )
    missing = _unfired(seen, job, requirements)
    if missing:
        return Outcome(Verdict.UNDECIDED, missing)
    return Outcome(Verdict.HOLDS, f"complete search: {distinct:,} distinct states, empty queue")


def _unfired(seen: Collector, job: TlcJob, requirements: Requirements) -> str | None:
    if not requirements.actions:
        return None
    if not job.coverage or not seen.coverage.complete:
        return f"without coverage it can't be seen whether required actions fired ({', '.join(requirements.actions)})"
    fired = seen.coverage.fired()
    unknown = [name for name in requirements.actions if name not in fired]
    if unknown:
        return f"required actions are not in the next-state relation: {', '.join(unknown)}"
    never = [name for name in requirements.actions if not fired[name].generated]
    return f"required actions never fired: {', '.join(never)}" if never else None


def _not_parsed(seen: Collector, finished: Finished, place: Workspace, tools: Tools) -> Outcome:
    output = "\n".join([*seen.sany, finished.stderr])
    error: VstackError = complaint(output, place.root, place.sources, tools.standard_modules)
    return Outcome(Verdict.ERROR, error.paragraph(), where=error.where)


def _failed(seen: Collector, finished: Finished, place: Workspace) -> Outcome:
    for error in seen.errors:
        for nested in error.walk():
            if nested.code == _ASSERT:
                text = _one_line(nested.text).removeprefix("The first argument of Assert evaluated to FALSE; ")
                # No goal was decided: an Assert is the model's own, and TLC gives up at the first false one.
                return Outcome(Verdict.ERROR, f"Assert is false: {text}", None, "assert", _where(seen, place))
            if nested.code == _ASSUMPTION_FALSE:
                return Outcome(Verdict.ERROR, _one_line(nested.text), None, "assumption", _where(seen, place))
    if not seen.errors:
        said = [line.strip() for line in (finished.stderr + "".join(seen.tail)).splitlines() if line.strip()]
        what = f"TLC exited with {finished.returncode}: {_one_line(' '.join(said[-3:]))}"
        return Outcome(Verdict.ERROR, what)
    where = _where(seen, place)
    what = _clean(seen.errors[0].text)
    return Outcome(Verdict.ERROR, f"{what}{f' ({where})' if where else ''}", where=where)


def _where(seen: Collector, place: Workspace) -> str | None:
    for error in seen.errors:
        config = _CONFIG_LINE.search(error.text)
        if config:
            return f"configuration, line {config[1]}"
    for error in reversed(seen.errors):
        nested = _PLACE.findall(error.text)
        if nested:
            # TLC lists the expressions it was in from the outermost to the innermost.
            line, module = nested[-1]
            return place.place(module, int(line))
    if seen.last_step is not None:
        tried = _PLACE.search(seen.last_step.text.split("\n")[0])
        return place.place(tried[2], int(tried[1])) if tried else None
    return None


def _clean(text: str) -> str:
    """TLC's own words for an error, without its preamble and Java's stack."""
    lines = [line.strip() for line in text.split("\n")]
    kept = [
        line
        for line in lines
        if line
        and not line.startswith(("at tlc2.", "at java.", "at util.", "TLC threw an unexpected exception."))
        and not line.startswith(("This was probably caused by an error in the spec", "See the User Output or TLC"))
    ]
    joined = re.sub(r"^The exception was an? [\w.$]+\s*:?\s*", "", " ".join(kept))
    return _one_line(joined or text)


def _one_line(text: str, most: int = 600) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
