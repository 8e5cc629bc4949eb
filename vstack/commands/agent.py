"""`vstack agent`: a model works on a project without a person at hand, with the verbs as its only tools."""

from __future__ import annotations

import json
import os
import time
from collections.abc import MutableMapping
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vstack.errors import VstackError
from vstack.files import exclusive

if TYPE_CHECKING:
    from vstack.agent.loop import End
    from vstack.agent.transcript import Transcript

_MODEL = "claude-opus-5-5"
_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
_CODES = {"ended": 0, "tokens": 3, "time": 3, "refusal": 2}
_WHY = {
    "ended": "The model came to its end",
    "tokens": "The token budget is used up; go on with --resume",
    "time": "The time budget is used up; go on with --resume",
    "refusal": "The model refused to go on",
}


def run(
    task: str | None,
    *,
    root: Path,
    repos: tuple[str, ...],
    drive: bool,
    model: str | None,
    tokens: int,
    seconds: float,
    transcript: Path | None,
    resume: Path | None,
    as_json: bool,
    quiet: bool,
    environ: MutableMapping[str, str] = os.environ,
) -> int:
    """Let a model work; the exit code: 0 it came to its end (no verdict), 2 it could not go on, 3 a budget ran out.

    Raises:
        VstackError: no task, no key, no extra `agent`, an unusable folder or transcript, or the API failed.
    """
    if (task is None) == (resume is None):
        raise click.UsageError('Give either a task, as in `vstack agent "..."`, or --resume TRANSCRIPT.')
    key = _key(environ)
    if not root.is_dir():
        raise VstackError("There is no such folder", where=str(root), todo="Name one with --root")
    if util.find_spec("anthropic") is None:
        raise VstackError(
            "The headless agent needs the package anthropic", todo="Install it: pip install 'vstack[agent]'"
        )
    import anthropic

    from vstack.abstract.repos import open_local
    from vstack.agent.loop import Budget, converse
    from vstack.agent.tools import Toolbox

    root = root.resolve()
    record = _record(task, root, repos, drive, model, transcript, resume)
    named = dict(_named(argument) for argument in record.start["repos"])
    toolbox = Toolbox(root, {name: open_local(name, path) for name, path in named.items()}, drive=record.start["drive"])
    # Faults are told and written down, so that asking again is ours to do.
    client = anthropic.Anthropic(api_key=key.get(_KEYS[0]), auth_token=key.get(_KEYS[1]), max_retries=0)
    started = time.monotonic()

    def tell(text: str) -> None:
        if not quiet:
            click.echo(f"[agent {time.monotonic() - started:6.1f} s] {text}", err=True)

    with exclusive(record.path.with_suffix(".lock"), what=f"the transcript {record.path}"):
        try:
            end = converse(client, record, toolbox, Budget(tokens, seconds), tell=tell)
        except VstackError as error:
            error.todo = f"{error.todo or 'Look at the transcript'}; the transcript is {record.path}"
            raise
    _tell(end, record, as_json)
    return _CODES[end.reason]


def _key(environ: MutableMapping[str, str]) -> dict[str, str]:
    """The credential by its variable, taken out of the environment: nothing that a verb starts is to see it."""
    found = {name: environ.pop(name) for name in _KEYS if environ.get(name)}
    if not found:
        raise VstackError(
            "No key for the Messages API: ANTHROPIC_API_KEY is not set", todo="Set it, then run the command again"
        )
    # The SDK takes one of the two; its own choice is the key.
    return dict([next(iter(found.items()))])


def _record(
    task: str | None,
    root: Path,
    repos: tuple[str, ...],
    drive: bool,
    model: str | None,
    path: Path | None,
    resume: Path | None,
) -> Transcript:
    from vstack.agent import transcript

    if resume is not None:
        record = transcript.resume(resume)
        if record.start["root"] != str(root):
            raise VstackError(
                f"The transcript is of work in {record.start['root']}, not here",
                where=str(resume),
                todo="Name it with --root",
            )
        if repos or drive or (model and model != record.start["model"]):
            raise click.UsageError(
                "--repo, --drive and --model are those of the transcript; leave them out with --resume."
            )
        if record.lines[-1]["kind"] == "end" and record.lines[-1]["reason"] == "ended":
            raise VstackError("The model had come to its end: nothing is left to resume", where=str(resume))
        return record
    named = [f"{name}={folder.resolve()}" for name, folder in map(_named, repos)]
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.getpid()}.jsonl"
    record = transcript.create(
        path or root / ".vstack" / "agent" / name, root=str(root), model=model or _MODEL, repos=named, drive=drive
    )
    record.add("user", text=task)
    return record


def _named(argument: str) -> tuple[str, Path]:
    name, equals, path = argument.partition("=")
    if not equals or not name or not path:
        raise VstackError(f"`--repo {argument}` names no path", todo="Write `--repo NAME=PATH`")
    return name, Path(path).expanduser()


def _tell(end: End, record: Transcript, as_json: bool) -> None:
    said = _said(record)
    if as_json:
        data = {
            "ended": end.reason,
            "words": end.words,
            "harness": said,
            "tokens": {"read": end.read, "written": end.written},
            "seconds": round(end.seconds, 1),
            "transcript": str(record.path),
        }
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
        return
    if end.words:
        click.echo(f"The model's own words, which decide nothing:\n{end.words}\n")
    click.echo("What vstack said, last of each:" if said else "vstack decided nothing in this run.")
    for each in said:
        later = "; files were changed after that" if each["changed_since"] else ""
        click.echo(f"  {each['command']}: {each['meaning']}{later}")
    click.echo(
        f"{_WHY[end.reason]}. {end.read:,} tokens read, {end.written:,} written, {end.seconds:.0f} s. "
        f"Transcript: {record.path}"
    )


def _said(record: Transcript) -> list[dict[str, Any]]:
    """The last answer of each command that decides something, and whether files were changed after it."""
    last: dict[str, dict[str, Any]] = {}
    for line in record.lines:
        if line["kind"] != "tool":
            continue
        answer = line["answer"]
        if answer and answer["verb"] in ("check", "validate", "verify", "spec_check", "trace_check", "anchor_check"):
            kept = {name: answer[name] for name in ("verb", "command", "exit_code", "meaning")}
            last[answer["command"] or answer["verb"]] = {**kept, "changed_since": False}
        elif not line["result"].get("is_error") and line["name"] in (
            "write_file",
            "edit_file",
            "spec_draft",
            "anchor_refresh",
        ):
            for each in last.values():
                each["changed_since"] = True
    return list(last.values())


@click.command("agent", short_help="Let a model work on a project, with the verbs as its only tools.")
@click.argument("task", required=False)
@click.option("--root", type=click.Path(path_type=Path), default=".", help="The folder that the model works in.")
@click.option("--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git repository whose code it may read.")
@click.option("--drive", is_flag=True, help="Let it write and run drivers for `reproduce`: programs that run as you.")
@click.option("--model", metavar="NAME", help=f"The model (default: {_MODEL}).")
@click.option(
    "--tokens", type=click.IntRange(min=1), default=2_000_000, show_default=True, help="Token budget, read and written."
)
@click.option("--seconds", type=click.FloatRange(0, 2_678_400, min_open=True), default=3600, show_default=True, help="Time budget, wall clock.")
@click.option(
    "--transcript", type=click.Path(path_type=Path), help="Write the transcript here (default: under .vstack/agent)."
)
@click.option("--resume", type=click.Path(path_type=Path), metavar="TRANSCRIPT", help="Go on where this run ended.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def cli(task: str | None, **options: Any) -> int:
    """Let a model do a TASK with vstack's verbs and the folder's files as its only tools: no shell, no approval.

    Needs the extra `agent` and ANTHROPIC_API_KEY. Files that a person approved
    can't be written. The exit code is no verdict: 0 the model came to its end,
    2 it could not go on, 3 a budget ran out; `vstack check` decides.

    \b
    Example: vstack agent "model the race of issue 12" --repo vllm=~/src/vllm --tokens 500000
    """
    return run(task, **options)
