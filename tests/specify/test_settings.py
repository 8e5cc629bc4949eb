"""Pinned settings: what counts as a change, and the line it is reported at."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from vstack.project import ProjectFile
from vstack.specify.changes import compare
from vstack.specify.pins import Pins
from vstack.specify.settings import Lines, pin_settings

TEXT = """\
version: 1
project: toy
model:
  module: Toy.tla
  constants: {N: "3", M: "2"}
goals:
  Safe: {english: "Nothing bad happens", formula: Safe}
environments:
  calm: {english: "No faults", constants: {Faults: "FALSE"}}
  rough: {english: "Faults", constants: {Faults: "TRUE"}}
environment_actions: [Crash, Lose]
guards:
  wait: {constant: GuardWait, english: "Waits"}
  idle: {constant: GuardIdle, english: "Idles", excuse: "Only saves power"}
variants:
  old: {english: "Before the fix"}
  new: {english: "After the fix", guards: [wait, idle]}
matrix:
  old:
    rough: {Safe: violated}
  new:
    rough: {Safe: holds}
kills:
  - {guard: wait, variant: new, environment: rough, violates: [Safe]}
  - {guard: idle, variant: new, environment: rough, violates: []}
omissions:
  - {what: "Retries", reason: "No code path"}
floors: {distinct_states: 10}
mutation: {variant: new, environments: [rough], excuses: {"m1": "same thing"}}
atomicity: {excuses: {Send: "one syscall"}}
scope:
  - {repo: r, path: a.py, functions: [f, g]}
policy: {software_keys: false}
"""


def pins(text: str) -> Pins:
    return Pins(settings=pin_settings(ProjectFile.model_validate(yaml.safe_load(text))))


def changes(text: str) -> list[tuple[str, str, str, str]]:
    lines = Lines(text)
    found = compare(pins(TEXT), pins(text), place=lambda path: f"vstack.yaml:{lines.line(path)}")
    return [(f"{change.section}.{change.name}", change.before, change.after, change.where) for change in found]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('N: "3"', 'N: "2"', ("model.constants.N", "3", "2")),
        ("rough: {Safe: holds}", "rough: {Safe: violated}", ("matrix.new.rough.Safe", "holds", "violated")),
        ("Only saves power", "It is fine", ("guards.idle.excuse", "Only saves power", "It is fine")),
        ("same thing", "whatever", ("mutation.excuses.m1", "same thing", "whatever")),
        ("one syscall", "trust me", ("atomicity.excuses.Send", "one syscall", "trust me")),
        ("distinct_states: 10", "distinct_states: 9", ("floors.distinct_states", "10", "9")),
        ("[Crash, Lose]", "[Crash]", ("environment_actions.Lose", "listed", "(absent)")),
        ("functions: [f, g]", "functions: [f]", ("scope.r / a.py.functions.g", "listed", "(absent)")),
        ("No code path", "Rare", ("omissions.Retries.reason", "No code path", "Rare")),
        ('Faults: "TRUE"', 'Faults: "FALSE"', ("environments.rough.constants.Faults", "TRUE", "FALSE")),
        ("software_keys: false", "software_keys: true", ("policy.software_keys", "False", "True")),
        ("guards: [wait, idle]}", "guards: [wait]}", ("variants.new.guards.idle", "listed", "(absent)")),
    ],
)
def test_a_weakened_setting_is_one_change_at_its_line(before: str, after: str, expected: tuple[str, ...]) -> None:
    assert TEXT.count(before) == 1
    expected = (*expected, f"vstack.yaml:{TEXT[: TEXT.index(before)].count(chr(10)) + 1}")
    text = TEXT.replace(before, after)
    if "variants" in expected[0]:  # the kill of a guard that the variant no longer has is refused by the reader itself
        text = text.replace("  - {guard: idle, variant: new, environment: rough, violates: []}\n", "")
        assert changes(text)[-1] == expected
    else:
        assert changes(text) == [expected]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[Crash, Lose]", "[Lose, Crash]"),
        ("version: 1\n", "version: 1\ntitle: Better words\nbudget: {seconds: 5}\n"),
        ("environment_actions", "# a comment\nenvironment_actions"),
        ('{N: "3", M: "2"}', '{M: "2", N: "3"}'),
        ("module: Toy.tla", "module: Toy.tla\n  init: Init\n  check_deadlock: false"),
    ],
)
def test_order_comments_defaults_and_budgets_change_nothing(before: str, after: str) -> None:
    assert changes(TEXT.replace(before, after)) == []


def test_every_section_is_pinned_unless_it_claims_nothing() -> None:
    """Each leaf of the example, altered alone, is seen; so no part of a section is left out by mistake."""
    data = yaml.safe_load(TEXT)
    seen = 0

    def alter(node: Any, path: tuple[Any, ...]) -> None:
        nonlocal seen
        for key in node if isinstance(node, dict) else range(len(node)):
            if isinstance(node[key], dict | list):
                alter(node[key], (*path, key))
            elif path[:1] not in ((), ("goals",)):
                old = node[key]
                node[key] = {"holds": "violated", "violated": "holds"}.get(
                    old, not old if isinstance(old, bool) else 7 if isinstance(old, int) else old + "x"
                )
                changed = pin_settings(ProjectFile.model_construct(**_models(copy.deepcopy(data))))
                node[key] = old
                assert changed != reference, (*path, key)
                seen += 1

    reference = pin_settings(ProjectFile.model_construct(**_models(copy.deepcopy(data))))
    alter(data, ())
    assert seen > 35


def _models(data: dict[str, Any]) -> dict[str, Any]:
    """The sections as models, without the cross-checks that would refuse a dangling name first."""
    fields: dict[str, Any] = {}
    for key, value in data.items():
        annotation = ProjectFile.model_fields[key].annotation
        from pydantic import TypeAdapter

        fields[key] = TypeAdapter(annotation).validate_python(value)
    return fields


def test_a_change_that_shows_in_no_leaf_is_still_a_change() -> None:
    twice = TEXT.replace(
        'what: "Retries", reason: "No code path"}',
        'what: "Retries", reason: "No code path"}\n  - {what: "Retries", reason: "No code path"}',
    )
    assert [change[0] for change in changes(twice)] == ["omissions.omissions"]
