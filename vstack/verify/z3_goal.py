"""Goals decided by Z3: stated by a script or an SMT-LIB file, decided by vstack from their text alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from vstack.errors import RefusedError, VstackError
from vstack.files import read_text, sha256_file
from vstack.keep.evidence import evidence_key, machine, now
from vstack.project import Project
from vstack.results import Evidence, Numbers
from vstack.verdicts import Strength, Verdict
from vstack.verify.smtlib import Obligation, read_obligations
from vstack.verify.z3_process import Export, OutOfTimeError, decide, export, solver_sha256
from vstack.verify.z3_verdict import decided, needs_words, says_nothing_new, unapproved

EXPORT_SECONDS = 60.0
# What the pins of a script stand for, as this process exported it: a second export could say something else.
_stated: dict[Path, dict[str, str]] = {}


def z3_pins(project: Project, goal_name: str) -> dict[str, str]:
    """What a person approves of a Z3 goal: ``{"obligation/goal": hash, "obligation/assume NAME": hash}``.

    The hash is over the formula's structure with all its sorts, so Int for
    BitVec, or Real for Int, is another formula. Nothing is solved.

    Raises:
        VstackError: the script or text can't be read, or is refused.
    """
    exported = _exported(_script(project, goal_name), EXPORT_SECONDS, 1024)
    lines, stopped = decide(exported.obligations, mode="digest", seconds=EXPORT_SECONDS, memory_mb=1024)
    facts = _by_number(lines, "facts")
    for number, obligation in enumerate(exported.obligations):
        if number not in facts:
            why = _by_number(lines, "error").get(number) or stopped
            raise VstackError(
                f"Obligation {obligation.name} of goal {goal_name} can't be read: {why}",
                where=str(_script(project, goal_name)),
            )
    _stated[_script(project, goal_name)] = {
        f"{obligation.name}/{part}": " ".join(term.split())
        for obligation in exported.obligations
        for part, term in (
            *((f"assume {name}", term) for name, term in obligation.assumptions),
            ("goal", obligation.goal),
        )
    }
    return _pins(exported.obligations, facts)


def z3_formulas(project: Project, goal_name: str) -> dict[str, str]:
    """The formulas behind what `z3_pins` gave in this process, by the same names, as SMT-LIB text.

    They are what a person approves: a script could hand over others than it seems to state.
    """
    return _stated.get(_script(project, goal_name), {})


def _pins(obligations: tuple[Obligation, ...], facts: Mapping[int, dict[str, Any]]) -> dict[str, str]:
    pins: dict[str, str] = {}
    for number, obligation in enumerate(obligations):
        if number in facts:
            pins[f"{obligation.name}/goal"] = facts[number]["goal"]
            pins |= {f"{obligation.name}/assume {name}": value for name, value in facts[number]["assumptions"].items()}
    return pins


def run_z3_goal(
    project: Project, goal_name: str, *, seconds: float, memory_mb: int, approved: Mapping[str, str] | None = None
) -> tuple[Evidence, ...]:
    """Decide each obligation of a goal within ``seconds`` for all of them, and ``memory_mb`` MiB.

    ``approved`` are the pins of `z3_pins` in the lock: where they are given,
    an obligation with another goal, or with an assumption that is not among
    them, is refused, and so is a goal that has lost an obligation.
    """
    script = _script(project, goal_name)
    record = _Record(project, goal_name, script, seconds, memory_mb)
    try:
        exported = _exported(script, min(seconds, EXPORT_SECONDS), memory_mb)
    except OutOfTimeError as error:
        return (record.make("", Verdict.UNDECIDED, error.paragraph()),)
    except RefusedError as error:
        return (record.make("", Verdict.REFUSED, error.paragraph()),)
    except VstackError as error:
        return (record.make("", Verdict.ERROR, error.paragraph()),)
    if not exported.obligations:
        return (record.make("", Verdict.REFUSED, "[z3-fewer] The goal has no obligation: there is nothing to prove"),)
    names = [obligation.name for obligation in exported.obligations]
    if len(set(names)) < len(names):
        return (record.make("", Verdict.ERROR, "Two obligations have the same name"),)
    try:
        lines, stopped = decide(exported.obligations, mode="solve", seconds=seconds, memory_mb=memory_mb)
    except VstackError as error:
        return (record.make("", Verdict.ERROR, error.paragraph()),)
    facts = _by_number(lines, "facts")
    pins = _pins(exported.obligations, facts)
    missing = sorted({name.rpartition("/")[0] for name in approved or {}} - set(names))
    found = [
        _evidence(record, number, obligation, exported, lines, stopped, pins, approved)
        for number, obligation in enumerate(exported.obligations)
    ]
    if missing:
        found.append(
            record.make(missing[0], Verdict.REFUSED, f"[z3-fewer] The approved obligation {', '.join(missing)} is gone")
        )
    return tuple(found)


def _script(project: Project, goal_name: str) -> Path:
    return project.root / str(project.file.goals[goal_name].script)


def _exported(script: Path, seconds: float, memory_mb: int) -> Export:
    if script.suffix == ".smt2":
        return Export(read_obligations(read_text(script), str(script)))
    if script.suffix != ".py":
        raise VstackError(
            "A Z3 goal is a Python script (`.py`) or SMT-LIB text (`.smt2`)",
            where=str(script),
            todo="Rename it, or mend `script` in vstack.yaml",
        )
    read_text(script)
    return export(script, seconds=seconds, memory_mb=memory_mb)


def _by_number(lines: list[dict[str, Any]], kind: str) -> dict[int, Any]:
    return {line["number"]: line[kind] for line in lines if kind in line and "number" in line}


class _Record:
    """What all records of one goal have in common."""

    def __init__(self, project: Project, goal_name: str, script: Path, seconds: float, memory_mb: int) -> None:
        self.goal_name = goal_name
        self.excuse = project.file.goals[goal_name].excuse or ""
        self.inputs = {"script": sha256_file(script)} if script.is_file() else {}
        self.bounds = {"seconds": f"{seconds:g}", "memory MiB": str(memory_mb)}
        self.command = ["vstack", "verify", goal_name]
        self.started = now()

    def make(self, obligation: str, verdict: Verdict, reason: str, **more: Any) -> Evidence:
        """One record; ``more`` are further fields of `Evidence`."""
        subject = {"goal": self.goal_name, "obligation": obligation}
        inputs = {**self.inputs, **more.pop("inputs", {})}
        tool = f"z3 {metadata.version('z3-solver')}"
        parts = {
            "engine": "z3",
            "subject": subject,
            "inputs": inputs,
            "tool": tool,
            "sha256": solver_sha256(),
            "bounds": self.bounds,
        }
        return Evidence(
            key=evidence_key(parts),
            engine="z3",
            subject=subject,
            inputs=inputs,
            tool=tool,
            tool_sha256=solver_sha256(),
            command=self.command,
            bounds=self.bounds,
            verdict=verdict,
            reason=reason,
            machine=machine(),
            started=self.started,
            **more,
        )


def _evidence(
    record: _Record,
    number: int,
    obligation: Obligation,
    exported: Export,
    lines: list[dict[str, Any]],
    stopped: str,
    pins: Mapping[str, str],
    approved: Mapping[str, str] | None,
) -> Evidence:
    canaries: dict[str, str] = next((line["canaries"] for line in lines if "canaries" in line), {})
    facts = _by_number(lines, "facts").get(number, {})
    answers = _by_number(lines, "answers").get(number, {})
    needs = _by_number(lines, "needs").get(number, {})
    mine = {name: value for name, value in pins.items() if name.startswith(f"{obligation.name}/")}
    error = _by_number(lines, "error").get(number)
    verdict, reason = decided(facts, answers, canaries, error, stopped)
    holds = verdict is Verdict.HOLDS
    if holds and (empty := says_nothing_new(facts, needs)) and not record.excuse:
        verdict, reason, holds = *empty, False
    changed = unapproved(mine, approved)
    if changed:
        verdict, reason, holds = Verdict.REFUSED, f"[z3-unapproved] {changed}", False
    notes = needs_words(needs, bool(facts.get("assumptions")), record.excuse) if holds else []
    label = f"{obligation.name}: " if len(exported.obligations) > 1 else ""
    return record.make(
        obligation.name,
        verdict,
        label + "; ".join([reason, *notes]),
        inputs=mine,
        violated=record.goal_name if verdict is Verdict.VIOLATED else None,
        strength=Strength.PROVED if holds else None,
        warnings=notes,
        numbers=Numbers(seconds=round(answers.get("seconds", 0.0), 3)),
        detail={
            "rechecked": bool(answers),
            "logic": facts.get("logic", ""),
            "obligations": len(exported.obligations),
            "assumptions": [name for name, _ in obligation.assumptions],
            "formulas": {f"assume {name}": term for name, term in obligation.assumptions} | {"goal": obligation.goal},
            "model": answers.get("model"),
            "unsat core": answers.get("core"),
            "rests on": needs.get("core"),
            "dispensable assumptions": needs.get("dispensable", []),
            "not tried without": needs.get("untried", []),
            "canaries": canaries,
            "isolation": list(exported.enforced),
        },
    )
