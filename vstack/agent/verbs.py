"""The verbs that agents are given: the one table behind `vstack mcp` and `vstack agent`.

Names of arguments, types, help and defaults come from the commands' own click
definitions, so a verb can't say anything else than its command. `spec approve`
is not among them: approving is for a person.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import click

from vstack.cli import COMMANDS, GROUPS
from vstack.errors import VstackError

_DECIDED = {
    0: "everything asked for holds, or is as expected (`outcome` says which)",
    1: "violated, refused or not as expected",
    2: "could not run: nothing was decided",
    3: "undecided: no claim either way",
}
# Set by the front ends, or naming a program to run: never an agent's to give.
_KEPT_BACK = frozenset({"as_json", "quiet", "detach", "jar", "java"})
_FOLDERS = frozenset({"folder", "folders"})
DEFAULT_WAIT = 20.0
MOST_WAIT = 300.0
# click's positional arguments have no help of their own.
_POSITIONAL = {
    ("spec_draft", "name"): "The goal's name, as TLA+ would have it.",
    ("spec_show", "goal"): "Only this goal; all of them, with every pinned setting, if left out.",
    ("audit", "names"): "Explain these rules (VS301, or a name) instead of asking them.",
    ("trace_check", "names"): "Traces of vstack.yaml; all, if left out.",
    ("status", "name"): "The run's id; all runs of the project are listed, if left out.",
}


@dataclass(frozen=True)
class Verb:
    """One verb: its command, what its exit codes mean, and how it is run.

    ``long`` ones run detached: the call waits a while and then hands back a run
    to ask for with `status`. ``writes`` says that it changes the project's files;
    ``text`` that words, not JSON, are its better answer.
    """

    name: str
    path: tuple[str, ...]
    meanings: Mapping[int, str] = field(default_factory=lambda: _DECIDED)
    long: bool = False
    writes: bool = False
    text: bool = False

    @property
    def command(self) -> click.Command:
        """The click command, imported now."""
        entry = COMMANDS[self.path[0]] if len(self.path) == 1 else GROUPS[self.path[0]][1][self.path[1]]
        return importlib.import_module(f"vstack.commands.{entry[0]}").cli

    @property
    def description(self) -> str:
        """The command's help, without its example, which is for a terminal."""
        text = (self.command.help or "").split("\b")[0]
        paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
        if self.long:
            paragraphs.append(
                "Runs in the background: after `wait` seconds it comes back as a run to ask `status` for."
            )
        return "\n\n".join(paragraphs)


def _verb(
    command: str, *, done: str | None = None, zero: str | None = None, three: str | None = None, **options: bool
) -> Verb:
    path = tuple(command.split())
    said = {0: done, 1: "refused, or something is left to do"} if done else {0: zero, 3: three}
    meanings = {**_DECIDED, **{code: text for code, text in said.items() if text}}
    return Verb("_".join(path), path, meanings, **options)


VERBS = {
    verb.name: verb
    for verb in (
        _verb("init", done="the starting project was written", writes=True),
        _verb("spec draft", done="drafted; it is NOT approved, and only a person can approve it", writes=True),
        _verb("spec show", done="shown; this says nothing about whether the goals hold", text=True),
        _verb("spec check", done="as approved; this says nothing about whether the goals hold"),
        _verb("spec diff", zero="compared; whatever changed needs a person's approval", long=True, text=True),
        _verb("anchor check", zero="all anchors stand", three="some anchors could not be checked here", long=True),
        _verb("anchor refresh", done="every anchor is as it should be", long=True, writes=True),
        _verb("scope", zero="all code in scope is accounted for, or with `diff`: no action was left stale", three="not checked: no checkout", long=True),
        _verb("validate", long=True),
        _verb("trace check", zero="the traces replay, and corrupted ones are rejected", long=True),
        _verb("verify", long=True),
        _verb("audit", zero="no rule found anything; this says nothing about whether the goals hold", long=True),
        _verb("check", long=True),
        _verb("explain", done="told; a counterexample is what TLC found, not an opinion", text=True),
        _verb("reproduce", zero="the real code did what was asked of it", long=True, writes=True),
        _verb("report", done="the page was written", writes=True),
        _verb("status", zero="these runs were started"),
        _verb("tools", done="these tools were found"),
    )
}


@dataclass(frozen=True)
class Slot:
    """One argument of a verb: the click parameter it stands for, and its JSON schema."""

    name: str
    parameter: click.Parameter | None
    schema: dict[str, Any]
    required: bool = False


@cache
def slots(name: str) -> dict[str, Slot]:
    """The arguments of the verb ``name``, `project` first."""
    verb = VERBS[name]
    found = {slot.name: slot for slot in _slots(verb)}
    return dict(sorted(found.items(), key=lambda item: item[0] != "project"))


def input_schema(name: str) -> dict[str, Any]:
    """JSON schema of the arguments of the verb ``name``."""
    mine = slots(name)
    return {
        "type": "object",
        "properties": {slot.name: slot.schema for slot in mine.values()},
        "required": [slot.name for slot in mine.values() if slot.required],
        "additionalProperties": False,
    }


def _slots(verb: Verb) -> Iterator[Slot]:
    schema: dict[str, Any]
    for parameter in verb.command.params:
        name = str(parameter.name)
        if name in _FOLDERS:
            text = "Folder of the project, with its vstack.yaml."
            yield Slot("project", parameter, {"type": "string", "default": ".", "description": text})
        elif name == "as_json" and verb.name != "status":
            text = "Answer in JSON, or in the words a person would read."
            words = ["text", "json"] if verb.text else ["json", "text"]
            schema = {"type": "string", "enum": words, "default": words[0], "description": text}
            yield Slot("format", None, schema)
        elif name not in _KEPT_BACK:
            told = _POSITIONAL.get((verb.name, name))
            schema = _schema(parameter) | ({"description": told} if told else {})
            if name == "wait":
                schema["maximum"] = MOST_WAIT
            yield Slot(_plain(parameter), parameter, schema, parameter.required)
    if verb.long:
        text = f"Seconds to wait for the end before a run is handed back (at most {MOST_WAIT:g})."
        schema = {"type": "number", "minimum": 0, "maximum": MOST_WAIT, "default": DEFAULT_WAIT, "description": text}
        yield Slot("wait", None, schema)


def _plain(parameter: click.Parameter) -> str:
    """The name that people type: `--formula` is `formula`, `--emit-pytest` is `emit_pytest`."""
    if isinstance(parameter, click.Option):
        return next(text for text in parameter.opts if text.startswith("--"))[2:].replace("-", "_")
    return str(parameter.name)


def _schema(parameter: click.Parameter) -> dict[str, Any]:
    kind = parameter.type
    schema: dict[str, Any]
    if isinstance(parameter, click.Option) and parameter.is_flag:
        schema = {"type": "boolean", "default": False}
    elif isinstance(kind, click.IntRange):
        schema = {"type": "integer", "minimum": kind.min, "maximum": kind.max}
    elif isinstance(kind, click.Choice):
        schema = {"type": "string", "enum": list(kind.choices)}
    else:
        schema = {"type": "number" if kind.name == "float" else "string"}
    if parameter.multiple or parameter.nargs == -1:
        schema = {"type": "array", "items": schema}
    text = getattr(parameter, "help", None)
    metavar = parameter.metavar if isinstance(parameter, click.Option) else None
    if text:
        schema["description"] = f"{text} ({metavar})" if metavar and any(mark in metavar for mark in "=/[") else text
    return schema


def find(name: str) -> Verb:
    """The verb ``name``.

    Raises:
        VstackError: there is none.
    """
    if name not in VERBS:
        near = difflib.get_close_matches(name, VERBS, n=1)
        todo = f"The nearest is `{near[0]}`" if near else f"There are: {', '.join(VERBS)}"
        raise VstackError(f"There is no verb `{name}`", todo=todo)
    return VERBS[name]


def to_argv(name: str, arguments: Mapping[str, Any]) -> list[str]:
    """The command line of a verb, after `vstack`; ``arguments`` fit ``input_schema``."""
    verb = VERBS[name]
    options: list[str] = []
    positional: list[str] = []
    for slot in slots(name).values():
        value = arguments.get(slot.name)
        if slot.parameter is None or value is None or value is False or value == []:
            continue
        values = [str(item) for item in value] if isinstance(value, list) else [str(value)]
        if isinstance(slot.parameter, click.Argument):
            positional += values
        elif value is True:
            options.append(slot.parameter.opts[0])
        else:
            # `--name=value`: a value that begins with a dash stays a value.
            long = next(text for text in slot.parameter.opts if text.startswith("--"))
            options += [f"{long}={item}" for item in values]
    flags = {str(parameter.name) for parameter in verb.command.params}
    default = "text" if verb.text else "json"
    if "as_json" in flags and arguments.get("format", default) == "json":
        options.append("--json")
    return [*verb.path, *options, *(["--", *positional] if positional else [])]
