"""Run a driver once in the code's own interpreter, within a budget, and read what it saw."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vstack import process
from vstack.errors import VstackError
from vstack.project import PROJECT_FILE, Project
from vstack.reproduce.agree import plain
from vstack.reproduce.schedule import Scheduled
from vstack.tla.values import parse_value

_CHILD = Path(__file__).with_name("child.py")
# The child ends itself at its budget with every thread's stack; this much later it is killed.
_GRACE_SECONDS = 10.0
_STACK_LINES = 40


@dataclass(frozen=True)
class Order:
    """What a driver is asked to do: the cell, the steps to take (or a free run), and its seed."""

    variant: str
    environment: str
    goal: str | None
    constants: dict[str, str]
    steps: Sequence[Scheduled] = ()
    settle: bool = False
    free_run: bool = False
    seed: int = 1


@dataclass(frozen=True)
class Seen:
    """What one run reported.

    ``lines`` are the child's reports in order; ``events`` the log of the real
    code's events as it wrote it (JSON lines); ``problem`` says why the run could
    not be made or does not count, None if it does.
    """

    lines: tuple[dict[str, Any], ...]
    events: str
    seconds: float
    problem: str | None = None
    stacks: str = field(default="", repr=False)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The reports of one kind."""
        return [line for line in self.lines if line["kind"] == kind]


def run_driver(project: Project, checkout: Path, python: Path, order: Order) -> Seen:
    """Run the case's driver on ``checkout`` with the interpreter ``python``.

    Raises:
        VstackError: the driver's file is missing.
    """
    section = project.file.reproduce
    assert section is not None
    driver = project.root / section.driver
    if not driver.is_file():
        raise VstackError("The driver does not exist", where=str(driver), todo="Mend `reproduce.driver` in vstack.yaml")
    _check_section(section.pythonpath, section.variables, checkout, driver, project)
    with tempfile.TemporaryDirectory(prefix="vstack-reproduce-") as scratch:
        folder = Path(scratch)
        (folder / "work").mkdir()
        files = {name: folder / name for name in ("order", "report", "events", "stacks")}
        files["order"].write_text(json.dumps(_order(order, section.seconds, section.variants, driver, folder)))
        done = process.run(
            [str(python), str(_CHILD), str(files["order"]), str(files["report"])],
            cwd=folder / "work",
            env=_environment(section.pythonpath, section.variables, checkout, project),
            seconds=section.seconds + _GRACE_SECONDS,
            keep_lines=_STACK_LINES,
        )
        lines, events, stacks = _report(files["report"]), _text(files["events"]), _text(files["stacks"])
    problem = _problem(lines, done, stacks, section.seconds)
    return Seen(lines, events, round(done.seconds, 3), problem, stacks)


def _check_section(
    pythonpath: list[str], variables: dict[str, str], checkout: Path, driver: Path, project: Project
) -> None:
    """Code that the driver runs is the checkout's: the section can't bring another.

    Raises:
        VstackError: a folder outside the checkout, a module beside the driver that
            goes by the name of one there, or a variable that decides what Python loads.
    """
    where = str(project.root / PROJECT_FILE)
    for folder in pythonpath:
        if not (checkout / folder).resolve().is_relative_to(checkout.resolve()):
            raise VstackError(f"`reproduce.pythonpath` leaves the checkout: {folder}", where=where, todo="Name folders of the checkout")
        # The driver's own folder is searched first.
        for beside in sorted(driver.parent.iterdir()):
            name = beside.name.partition(".")[0]
            inside = checkout / folder / name
            if name and (inside.is_dir() or inside.with_suffix(".py").exists()) and beside.suffix in ("", ".py", ".pyc", ".so"):
                raise VstackError(
                    f"`{beside.name}` beside the driver would be imported instead of the checkout's {name}",
                    where=str(beside),
                    todo="Name it otherwise",
                )
    for name in variables:
        if name.startswith(("PYTHON", "LD_", "DYLD_")) or name in ("PATH", "HOME"):
            raise VstackError(f"`reproduce.variables` may not set {name}: it decides which code runs", where=where, todo="Remove it")


def _order(
    order: Order, seconds: float, settings: dict[str, dict[str, Any]], driver: Path, folder: Path
) -> dict[str, Any]:
    return {
        "driver": str(driver),
        "variant": order.variant,
        "environment": order.environment,
        "goal": order.goal,
        "constants": {name: _constant(text) for name, text in order.constants.items()},
        "settings": settings.get(order.variant, {}),
        "seed": order.seed,
        "steps": [{"action": step.action, "params": step.params, "choices": step.choices} for step in order.steps],
        "settle": order.settle,
        "free_run": order.free_run,
        "seconds": seconds,
        "folder": str(folder / "work"),
        "events": str(folder / "events"),
        "stacks": str(folder / "stacks"),
    }


def _constant(text: str) -> Any:
    """A constant as JSON; an expression that is no plain value stays text."""
    try:
        return plain(parse_value(text))
    except VstackError:
        return text


def _environment(pythonpath: list[str], variables: dict[str, str], checkout: Path, project: Project) -> dict[str, str]:
    """Little of the caller's environment: what decides which Python code runs is ours alone."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG", "USER") if name in os.environ}
    caches = project.state / "reproduce" / "bytecode"
    return {
        **kept,
        # The checkout stays as it is, and bytecode that lies about in it is not believed.
        "PYTHONPYCACHEPREFIX": str(caches),
        "PYTHONPATH": os.pathsep.join(str((checkout / folder).resolve()) for folder in pythonpath),
        "PYTHONNOUSERSITE": "1",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        **variables,
    }


def _report(path: Path) -> tuple[dict[str, Any], ...]:
    lines = []
    for line in _text(path).splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            break  # A killed child leaves half a line: nothing after it was said.
        if not isinstance(said, dict) or "kind" not in said:
            break
        lines.append(said)
    return tuple(lines)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _problem(lines: Sequence[dict[str, Any]], done: process.Finished, stacks: str, seconds: float) -> str | None:
    kinds = {line["kind"]: line for line in lines}
    if "no-driver" in kinds:
        return f"the driver did not start: {_last(kinds['no-driver']['text'])}"
    if "driver-failed" in kinds:
        return f"the driver failed at step {_steps(lines) + 1}: {_last(kinds['driver-failed']['text'])}"
    if "no-action" in kinds:
        return f"the driver does not know the action {kinds['no-action']['action']} (step {kinds['no-action']['at']})"
    if "end" not in kinds:
        if done.stopped or "Timeout" in stacks:
            at = f"in step {_steps(lines) + 1}" if "ready" in kinds else "while it was starting"
            return f"the driver hung {at} and was stopped after {seconds:g} s; its threads' stacks follow"
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return f"the interpreter died: {said[-1]}"
    if not _in_order(lines):
        return "its report is not in the order in which a run is made: something else wrote into it"
    if kinds["end"]["threads"]:
        return f"the driver left threads behind: {', '.join(kinds['end']['threads'])}"
    return None


def _in_order(lines: Sequence[dict[str, Any]]) -> bool:
    """Whether the report is what one run says, once each: ready, before, steps from 1 on, how it ended, end."""
    said = [line["kind"] for line in lines]
    steps = [line.get("at") for line in lines if line["kind"] == "step"]
    shape = ["ready", "before", *["step"] * len(steps)]
    ends = (["parted", "end"], ["seen", "end"], ["settled", "seen", "end"])
    return steps == list(range(1, len(steps) + 1)) and (said == ["ready", "end"] or any(said == shape + end for end in ends))


def _steps(lines: Sequence[dict[str, Any]]) -> int:
    return sum(line["kind"] == "step" for line in lines)


def _last(text: str) -> str:
    """The last line of a traceback, and the driver's own line that it came from."""
    lines = text.strip().splitlines()
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return f"{lines[-1]} ({places[-1]})" if places else lines[-1]
