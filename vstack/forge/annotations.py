"""GitHub's workflow commands: `::error` lines that show beside the diff."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from vstack.forge.problems import Problem

# GitHub shows ten errors, ten warnings and ten notices of a step.
_SHOWN = 10
# It takes more than this, and nobody reads it beside a diff.
_MOST_LETTERS = 4_000
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def annotation_lines(found: Sequence[Problem]) -> Iterator[str]:
    """At most ten lines a level; the last says how many are left out."""
    for level, command in _COMMANDS.items():
        of_level = [problem for problem in found if problem.level == level]
        shown = of_level if len(of_level) <= _SHOWN else of_level[: _SHOWN - 1]
        for problem in shown:
            place = f"file={_property(problem.file)},line={problem.line},title={_property(problem.rule)}"
            yield f"::{command} {place}::{_data(f'{problem.name}: {problem.message}'[:_MOST_LETTERS])}"
        if len(shown) < len(of_level):
            yield f"::{command}::{len(of_level) - len(shown)} more; the summary and the SARIF file hold all"


@contextmanager
def commands_stopped(say: Callable[[str], None]) -> Iterator[None]:
    """Nothing that is printed in between is a command to GitHub: a project's title is text of a pull request.

    The word that lets commands count again can't be foreseen.
    """
    word = secrets.token_hex(16)
    say(f"::stop-commands::{word}")
    try:
        yield
    finally:
        say(f"::{word}::")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
