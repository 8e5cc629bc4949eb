"""The only tools of a headless model: the verbs, and files that are not protected. No shell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from vstack.abstract.git_objects import GitRepo
from vstack.agent import files
from vstack.agent.arguments import check
from vstack.agent.call import Answer, call
from vstack.agent.protect import inside, refuse_write
from vstack.agent.shorten import shorten_text
from vstack.agent.verbs import VERBS, input_schema
from vstack.errors import RefusedError, VstackError
from vstack.project import load_project

# Arguments of verbs that name a file to read, and one to write; which repositories there are, a person says.
_READ = ("project", "log", "counterexample")
_IN_PROJECT = ("script", "module")
_WRITTEN = ("output", "report", "emit_pytest")
_GIVEN = ("repo", "fetch", "no_fetch", "python", "prepare", "distributed")


@dataclass(frozen=True)
class Outcome:
    """What a tool hands back to the model: text, whether it is an error, and the verb's answer if it was one."""

    text: str
    is_error: bool = False
    answer: Answer | None = None


@dataclass(frozen=True)
class Tool:
    """One tool as the Messages API describes it, and the function behind it."""

    name: str
    description: str
    schema: dict[str, Any]
    run: Callable[[Mapping[str, Any]], Outcome]

    def described(self) -> dict[str, Any]:
        """Name, description and schema, as a request sends them."""
        return {"name": self.name, "description": self.description, "input_schema": self.schema}


class Toolbox:
    """All tools over the folder ``root``.

    ``repos`` are the git repositories that a person named; with ``drive``
    counterexamples may be driven through real code, by drivers that the model
    writes: those run as programs of this user.
    """

    def __init__(self, root: Path, repos: Mapping[str, GitRepo], *, drive: bool = False) -> None:
        self.root = root
        self.repos = repos
        self.drive = drive
        self.tools = {tool.name: tool for tool in (*self._verbs(), *self._files())}

    def use(self, name: str, arguments: Any) -> Outcome:
        """Use a tool; whatever goes wrong in an expected way is told to the model as one paragraph."""
        try:
            if name not in self.tools:
                raise VstackError(f"There is no tool `{name}`", todo=f"There are: {', '.join(self.tools)}")
            if not isinstance(arguments, Mapping):
                raise VstackError(f"The arguments of `{name}` must be an object")
            check(name, self.tools[name].schema, arguments)
            return self.tools[name].run(arguments)
        except VstackError as error:
            return Outcome(error.paragraph(), is_error=True)
        except UnicodeDecodeError:
            return Outcome("The file is not UTF-8 text.", is_error=True)

    def _verbs(self) -> Iterator[Tool]:
        for verb in VERBS.values():
            if verb.name == "reproduce" and not self.drive:
                continue
            schema = input_schema(verb.name)
            kept = {key: value for key, value in schema["properties"].items() if key not in _GIVEN}
            yield Tool(verb.name, verb.description, schema | {"properties": kept}, partial(self._call, verb.name))

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        project = arguments.get("project", ".")
        for key, value in arguments.items():
            if key in _READ:
                inside(self.root, value)
            elif key in _WRITTEN:
                refuse_write(self.root, value, drive=self.drive)
            elif key in _IN_PROJECT:
                # `spec draft` may add to a pinned module: that is the honest way to change one.
                inside(self.root, f"{project}/{value}")
        if "checkout" in arguments and arguments["checkout"] not in self.repos:
            raise RefusedError(
                "`checkout` must be the name of a repository that was given", todo=f"There are: {self._names()}"
            )
        given = dict(arguments)
        if "checkout" in given:
            given["checkout"] = str(self.repos[given["checkout"]].folder)
        taken = input_schema(name)["properties"]
        if "no_fetch" in taken:
            given["no_fetch"] = True
        if "repo" in taken:
            declared = load_project(self.root / project).file.repos
            given["repo"] = [f"{each}={repo.folder}" for each, repo in self.repos.items() if each in declared]
        answer = call(name, given, self.root)
        return Outcome(answer.model_dump_json(exclude_none=True), answer.error is not None, answer)

    def _files(self) -> Iterator[Tool]:
        path, text, folder = (
            _string("The file, relative to the folder you work in."),
            _string("Exact text."),
            _string("A folder."),
        )
        line = {"type": "integer", "minimum": 1}
        lines = {"first": line, "last": line}
        yield self._tool(files.list_files, {"folder": folder}, ())
        yield self._tool(files.read_file, {"path": path, **lines}, ("path",))
        yield self._tool(files.search_files, {"text": text, "folder": folder}, ("text",))
        write = partial(files.write_file, drive=self.drive)
        yield self._tool(write, {"path": path, "text": _string("The whole file.")}, ("path", "text"))
        edit = partial(files.edit_file, drive=self.drive)
        yield self._tool(
            edit, {"path": path, "old": text, "new": _string("What stands there instead.")}, ("path", "old", "new")
        )
        if self.repos:
            repo = {"type": "string", "enum": list(self.repos), "description": "A repository of code."}
            revision = _string("A commit, tag or branch.")
            place = _string("A file of that revision.")
            yield self._code(files.read_code, {"repo": repo, "revision": revision, "path": place, **lines}, ("path",))
            yield self._code(
                files.search_code, {"repo": repo, "revision": revision, "text": text, "folder": folder}, ("text",)
            )
            changed = {"repo": repo, "before": revision, "after": revision, "path": _string("Only below this path.")}
            yield self._code(files.diff_code, changed, ())

    def _tool(self, function: Any, properties: dict[str, Any], required: tuple[str, ...]) -> Tool:
        plain = function.func if isinstance(function, partial) else function
        return Tool(
            plain.__name__,
            str(plain.__doc__),
            _object(properties, required),
            lambda arguments: Outcome(shorten_text(function(self.root, **arguments))),
        )

    def _code(self, function: Any, properties: dict[str, Any], required: tuple[str, ...]) -> Tool:
        revisions = [key for key in ("revision", "before", "after") if key in properties]

        def run(arguments: Mapping[str, Any]) -> Outcome:
            rest = {key: value for key, value in arguments.items() if key != "repo"}
            return Outcome(shorten_text(function(self.repos[arguments["repo"]], **rest)))

        return Tool(
            function.__name__, function.__doc__.strip(), _object(properties, ("repo", *revisions, *required)), run
        )

    def _names(self) -> str:
        return ", ".join(self.repos) or "none"


def _string(text: str) -> dict[str, Any]:
    return {"type": "string", "description": text}


def _object(properties: dict[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
