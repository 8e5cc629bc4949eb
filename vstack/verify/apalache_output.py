"""What one run of Apalache printed, as an outcome: only its own lines together with its exit status count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

# Apalache pads each line and puts its level and the time behind it.
_STAMP = re.compile(r"\s+[A-Z]@\d\d:\d\d:\d\d\.\d+\s*$")
_VERSION = re.compile(r"^# APALACHE version: (\S+)(?: \| build: (\S+))?")
_EXIT = re.compile(r"^EXITCODE: (?:(OK)|ERROR \((\d+)\))$")
_CHECKING = re.compile(r"^State (\d+): Checking (\d+) (?:state|action|trace) invariants?$")
_VIOLATED = re.compile(r"^State (\d+): (?:state|action|trace) invariant (\d+) violated\.?$")
_TOLD = re.compile(
    r"^\s*> Set (?:the |an )?(initialization predicate|transition predicate|invariant|temporal property) to (\S+)$"
)
_FLAGS = {
    "initialization predicate": "--init",
    "transition predicate": "--next",
    "invariant": "--inv",
    "temporal property": "--temporal",
}
# Exit statuses of a specification that Apalache can't check, with what they mean.
_FAILED = {
    75: "Apalache could not evaluate the specification",
    120: "Apalache found a type error",
    255: "Apalache could not run",
}


@dataclass(frozen=True)
class Outcome:
    """What a run came to, why, and the version it printed.

    ``clean``: no violation up to the length asked for; ``violated``;
    ``deadlock``: no state can go on, or none is initial; ``refused`` by the
    rule that the reason begins with; ``undecided``; ``error``.
    """

    kind: Literal["clean", "violated", "deadlock", "refused", "undecided", "error"]
    reason: str = ""
    version: str = ""


def read_output(stdout: str, returncode: int, options: Mapping[str, str]) -> Outcome:
    """The outcome of a run with ``options`` (``--length`` and the rest of the command line by name).

    A clean run needs all of: exit status 0 and `EXITCODE: OK`, the one outcome
    `NoError`, the length that was asked for, and a line that an invariant was
    checked. `ExecutionsTooShort` exits with 0 as well, and proves nothing.
    """
    lines = [_STAMP.sub("", line).rstrip() for line in stdout.splitlines()]
    found = next((match for line in lines if (match := _VERSION.match(line))), None)
    version = f"{found[1]} build {found[2]}" if found and found[2] else found[1] if found else ""
    outcomes = [line.removeprefix("The outcome is: ") for line in lines if line.startswith("The outcome is: ")]
    ends = [match for line in lines if (match := _EXIT.match(line))]
    violated = [match for line in lines if (match := _VIOLATED.match(line))]

    def other(kind: Literal["undecided", "error"], reason: str) -> Outcome:
        return Outcome(kind, reason, version)

    if not found:
        return other("error", f"what was run is not Apalache: it printed no version ({_tail(lines)})")
    wrong = _other_than_asked(lines, options)
    if wrong:
        return Outcome("refused", f"[apalache-other] {wrong}", version)
    if len(ends) != 1 or (0 if ends[0][1] else int(ends[0][2])) != returncode:
        return other("undecided", f"the run was cut short (status {returncode}): {_tail(lines)}")
    if len(outcomes) != 1:
        kind: Literal["undecided", "error"] = "error" if returncode in _FAILED else "undecided"
        return other(kind, f"{_FAILED.get(returncode, 'Apalache gave no outcome')}: {_tail(lines)}")
    outcome = outcomes[0]
    if outcome == "NoError":
        length = options.get("--length")
        if returncode != 0 or violated:
            return other("undecided", "its lines contradict each other: no error, and a violation or a bad exit status")
        if f"Checker reports no error up to computation length {length}" not in lines:
            return other("undecided", f"it does not say that it searched up to length {length}")
        if not any(int(match[2]) for line in lines if (match := _CHECKING.match(line))):
            return other("undecided", "nothing shows that an invariant was checked")
        return Outcome("clean", "", version)
    if outcome == "Error" and returncode == 12 and violated:
        return Outcome("violated", f"violated in state {violated[0][1]}", version)
    if outcome == "Deadlock":
        return Outcome("deadlock", "the search ended in a deadlock: nothing beyond it was looked at", version)
    if outcome == "ExecutionsTooShort":
        return other(
            "undecided", "all executions are shorter than the length asked for: Apalache checked none that long"
        )
    return other("error" if returncode in _FAILED else "undecided", f"the outcome is {outcome}: {_tail(lines)}")


def _other_than_asked(lines: list[str], options: Mapping[str, str]) -> str:
    """Where Apalache says that it took another predicate than the command line gives."""
    for line in lines:
        told = _TOLD.match(line)
        if told and told[2] != options.get(_FLAGS[told[1]]):
            return f"it took {told[2]} for the {told[1]}, asked was {options.get(_FLAGS[told[1]], 'none')}"
    return ""


def _tail(lines: list[str]) -> str:
    return " ".join(" ".join(line for line in lines if line)[-300:].split())
