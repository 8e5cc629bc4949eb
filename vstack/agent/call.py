"""Call a verb: the command in a process of its own, and its answer with the exit code put into words."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from vstack.agent.arguments import check
from vstack.agent.shorten import MOST_CHARACTERS, shorten, shorten_text
from vstack.agent.verbs import DEFAULT_WAIT, VERBS, Verb, find, input_schema, to_argv
from vstack.errors import VstackError
from vstack.keep.detach import RUNS, DetachedRun, as_data, list_runs, read, start, stop
from vstack.process import run as run_process
from vstack.project import load_project

_SECONDS = 120.0
_RUNNING = "still running: nothing is decided yet; ask `status` with the run's id"
_DIED = "could not run: the process is gone and left no exit code; nothing was decided"
_STOPPED = "stopped before it ended: nothing was decided"


class Answer(BaseModel):
    """What a verb came to.

    ``exit_code`` is None while a run goes on. ``data`` is the command's JSON,
    ``text`` what else it printed; ``error`` is one paragraph; ``run`` names a
    detached run; ``shortened`` says what was left out and where the whole is.
    """

    model_config = ConfigDict(frozen=True)

    verb: str
    command: str
    exit_code: int | None
    meaning: str
    data: Any = None
    text: str = ""
    error: str | None = None
    run: dict[str, Any] | None = None
    shortened: str | None = None


def call(name: str, arguments: Mapping[str, Any], root: Path) -> Answer:
    """Run the verb ``name`` in the folder ``root``; an expected error becomes an answer with exit code 2 (or 1)."""
    try:
        verb = find(name)
        check(name, input_schema(name), arguments)
        folder = root / str(arguments.get("project", "."))
        if name == "status":
            return _status(folder, arguments)
        argv = to_argv(name, arguments)
        if verb.long:
            begun = start(load_project(folder).state, argv, cwd=root)
            return _wait(begun, float(arguments.get("wait", DEFAULT_WAIT)))
        return _at_once(verb, argv, root)
    except VstackError as error:
        known = VERBS.get(name)
        meaning = known.meanings[error.exit_code] if known else "could not run: nothing was decided"
        return Answer(verb=name, command="", exit_code=error.exit_code, meaning=meaning, error=error.paragraph())


def _at_once(verb: Verb, argv: list[str], root: Path) -> Answer:
    # -P: a module in the folder at work, perhaps written by the agent, must not be imported in ours' place.
    ended = run_process([sys.executable, "-P", "-m", "vstack", *argv], cwd=root, env=os.environ, seconds=_SECONDS)
    code = 2 if ended.stopped else ended.returncode
    stderr = f"{ended.stderr}\nError: `vstack {' '.join(argv)}` was {ended.stopped}" if ended.stopped else ended.stderr
    return _answer(verb, argv, code, ended.stdout, stderr)


def _status(folder: Path, arguments: Mapping[str, Any]) -> Answer:
    state = load_project(folder).state
    name = arguments.get("name")
    if name is None:
        runs = [as_data(run) for run in list_runs(state)]
        return Answer(
            verb="status", command="vstack status", exit_code=0, meaning=VERBS["status"].meanings[0], data=runs
        )
    if Path(str(name)).name != name:
        raise VstackError(f"`{name}` is not the id of a run", todo="Ask `status` without a name for those there are")
    found = read(state / RUNS / str(name))
    if arguments.get("stop"):
        stop(found)
    return _wait(found, float(arguments.get("wait", 0)))


def _wait(run: DetachedRun, seconds: float) -> Answer:
    deadline = time.monotonic() + seconds
    while run.returncode is None and run.alive and time.monotonic() < deadline:
        time.sleep(0.1)
        run = read(run.folder)
    if run.returncode is None and not run.alive:
        run = read(run.folder)  # It may have ended between its exit code's absence and its own.
    verb = _verb_of(run.argv)
    about = {"id": run.id, "state": run.state, "started": run.started, "output": str(run.folder / "output")}
    if run.returncode is None:
        return Answer(
            verb=verb.name,
            command=_said(run.argv),
            exit_code=None if run.alive else 2,
            meaning=_RUNNING if run.alive else _DIED,
            text=shorten_text(run.output[-4000:]),
            run=about,
        )
    answer = _answer(verb, list(run.argv), run.returncode, run.output, run.output)
    shortened = f"{answer.shortened} The whole is in {about['output']}." if answer.shortened else None
    return answer.model_copy(update={"run": about, "shortened": shortened})


def _verb_of(argv: tuple[str, ...]) -> Verb:
    for verb in VERBS.values():
        if argv[: len(verb.path)] == verb.path:
            return verb
    raise VstackError(f"The run `vstack {' '.join(argv)}` is not one that agents start", todo="Ask a person about it")


def _answer(verb: Verb, argv: list[str], code: int, stdout: str, stderr: str) -> Answer:
    data, rest = split_json(stdout) if "--json" in argv else (None, stdout)
    error = next((line for line in reversed(stderr.splitlines()) if line.startswith("Error: ")), None)
    shortened = None
    if len(json.dumps(data)) > MOST_CHARACTERS:
        data, shortened = shorten(data)
    return Answer(
        verb=verb.name,
        command=_said(argv),
        exit_code=code,
        meaning=verb.meanings.get(code, _STOPPED),
        data=data,
        # Progress lines are of no use once there is a result.
        text=shorten_text(rest) if data is None else "",
        error=error.removeprefix("Error: ") if error and code != 0 else None,
        shortened=shortened,
    )


def split_json(output: str) -> tuple[Any, str]:
    """The JSON value that begins on a line of its own in ``output``, and the text around it; None if there is none."""
    lines = output.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.strip() in ("{", "[", "{}", "[]"):
            text = "".join(lines[number:])
            try:
                data, end = json.JSONDecoder().raw_decode(text)
            except ValueError:
                continue
            return data, "".join(lines[:number]) + text[end:].strip()
    return None, output


def _said(argv: Sequence[str]) -> str:
    return shlex.join(["vstack", *argv])
