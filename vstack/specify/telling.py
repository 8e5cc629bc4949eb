"""What is pinned, told in plain text for a person who decides whether to approve it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from vstack.audit.catalog import rule_id
from vstack.project import Project
from vstack.results import Finding, GoalRow
from vstack.specify.changes import ABSENT, Change
from vstack.specify.pins import CLOSURES, Pin, Pins
from vstack.specify.settings import LISTED, changed_leaves

_WIDTH = 100


def tell_findings(findings: Iterable[Finding]) -> list[str]:
    """One line for each finding: place, rule, what, what to do."""
    return [f"{f.where}: [{rule_id(f.rule)} {f.rule}] {f.message}." + (f" {f.todo}." if f.todo else "") for f in findings]


def tell_goal(pins: Pins, row: GoalRow, formulas: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """One goal: English, sources, formula, the whole closure of helpers, pin and approval.

    ``formulas`` are those that a Z3 goal's script handed over, by name.
    """
    kind = f"{row.kind}, {row.family}" if row.family else row.kind
    lines = [f"GOAL {row.name} ({kind})"]
    lines += textwrap.wrap(row.english, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    lines += [f"  source: {source}" for source in row.sources] or ["  no source is given"]
    pin = pins.goals[row.name]
    if pin.definitions:
        lines += _definition(pins, pin.definitions[0])
        lines += [line for key in pin.definitions[1:] for line in _definition(pins, key, "uses ")]
    else:
        lines.append(f"  Z3 script {row.formula} (sha256 {pin.value['script sha256']})")
        lines += [f"    {name}: {formula}" for name, formula in formulas.items()]
    if row.excuse:
        lines += textwrap.wrap(f"nothing breaks it, because: {row.excuse}", _WIDTH, initial_indent="  ", subsequent_indent="  ")
    for key, what in (("excuse_vacuous", "its condition need not be met"), ("excuse_unique", "nothing is noticed by it alone")):
        if pin.value.get(key):
            lines += textwrap.wrap(f"{what}, because: {pin.value[key]}", _WIDTH, initial_indent="  ", subsequent_indent="  ")
    if pin.value.get("witnesses"):
        lines.append(f"  must come true where it holds: {', '.join(pin.value['witnesses'])}")
    lines.append(f"  approval: {row.note}")
    lines.append(f"  pin: {row.digest}")
    return lines


def _definition(pins: Pins, key: str, role: str = "") -> list[str]:
    definition = pins.definitions[key]
    return [f"  {role}{key} ({definition.place})", *(f"    {line}" for line in definition.text.splitlines())]


def tell_world(project: Project, pins: Pins) -> list[str]:
    """What all goals rest on: environment, bounds, assumptions, fairness, and whatever narrows the state space."""
    lines: list[str] = []
    lines += _closures("ENVIRONMENT (faults and freedom that the model may not tame)", pins, pins.environment)
    for name, environment in project.file.environments.items():
        values = ", ".join(f"{constant} = {value}" for constant, value in environment.constants.items())
        lacks = f"; can't fire: {', '.join(environment.lacks)}" if environment.lacks else ""
        fair = f"; must happen in the end: {', '.join(environment.fair)}" if environment.fair else ""
        lines.append(f"  {name}: {environment.english} ({values or 'no constants'}{lacks}{fair})")
    if project.file.model is not None:
        lines += ["BOUNDS", *(f"  {name} = {value}" for name, value in project.model.constants.items())]
        if project.model.model_values:
            lines.append(f"  model values: {', '.join(project.model.model_values)}")
        lines.append(f"  floor: at least {project.file.floors.distinct_states} distinct states")
        lines += [
            f"  floor: at least {least} distinct states of {variant} in {environment}"
            for variant, counts in project.file.floors.states.items()
            for environment, least in counts.items()
        ]
        if project.file.floors.every_value:
            lines.append("  floor: each action happens for each value of its parameters")
        lines.append(f"  deadlock is {'' if project.model.check_deadlock else 'not '}an error")
    lines += _closures("ASSUMPTIONS", pins, pins.assumptions) or ["ASSUMPTIONS", "  none"]
    lines += _closures("FAIRNESS", pins, pins.fairness)
    lines += _closures("WHAT NARROWS OR REPLACES THE STATE SPACE, AND WHAT WAIVERS LET BE", pins, pins.operators)
    return lines


def _closures(title: str, pins: Pins, section: dict[str, Pin]) -> list[str]:
    if not section:
        return []
    shown: dict[str, None] = {key: None for pin in section.values() for key in pin.definitions}
    return [title, *(line for key in shown for line in _definition(pins, key))]


# Sections that `tell_world` shows already, or that the tables of `check` show better.
_TOLD = frozenset({"model", "environments", "environment_actions", "floors"})


def tell_settings(pins: Pins) -> list[str]:
    """Every other pinned setting, one line a leaf, excuses among them."""
    lines: list[str] = []
    for name, pin in pins.settings.items():
        if name in _TOLD:
            continue
        lines.append(name.upper())
        for path, _, value in changed_leaves(None, pin.value):
            lines.append(f"  {' / '.join(path)}" + ("" if value == LISTED else f": {value}"))
    return lines


def tell_change(change: Change) -> list[str]:
    """A change with its place, and text before and after."""
    lines = [f"{change.where}: {change.words}"]
    if change.section in CLOSURES or "\n" in change.before + change.after:
        for sign, text in (("-", change.before), ("+", change.after)):
            if text != ABSENT:
                lines += [f"  {sign} {line}" for line in text.splitlines()]
    return lines
