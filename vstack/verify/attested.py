"""Recorded runs of a tool that is not installed here: read, tied to what they were run on, and never more than attested.

A transcript is a file that the project names. Anyone can write one by hand, so
that nothing in it decides a goal: where it is of this very run (command line and
inputs by hash), its record is shown as `attested`, and the goal stays undecided.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from vstack.errors import VstackError
from vstack.files import read_text, write_atomic
from vstack.verdicts import Strength, Verdict

# What the evidence of an attested run says: it is shown, and decides nothing.
ATTESTED: dict[str, Verdict | Strength] = {"verdict": Verdict.UNDECIDED, "strength": Strength.ATTESTED}


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordedRun(_Frozen):
    """One run as it was recorded: ``argv`` without the tool's own path, ``inputs`` the SHA-256 of each file by its name.

    ``files`` are texts that the tool wrote, by name (a counterexample); ``seconds`` is how long it took.
    """

    name: str
    argv: tuple[str, ...]
    inputs: dict[str, str]
    returncode: int
    stdout: str = ""
    stderr: str = ""
    files: dict[str, str] = {}
    seconds: float = 0.0


class Transcript(_Frozen):
    """Runs of one tool, with what it said of its own version and the hash of its program."""

    format: Literal[1] = 1
    tool: str
    version: str
    tool_sha256: str = ""
    machine: str = ""
    made: str = ""
    runs: tuple[RecordedRun, ...]

    def run(self, name: str) -> RecordedRun | None:
        """The run of that name; the first, if there are several."""
        return next((run for run in self.runs if run.name == name), None)


def read_transcript(path: Path) -> Transcript:
    """The transcript in the file ``path``.

    Raises:
        VstackError: it is missing, or not a transcript.
    """
    try:
        return Transcript.model_validate_json(read_text(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise VstackError(
            f"This is no transcript: {place}: {first['msg']}".replace(": : ", ": "),
            where=str(path),
            todo="Record it again, or strike it from vstack.yaml",
        ) from None


def write_transcript(path: Path, transcript: Transcript) -> None:
    """Write ``transcript`` whole or not at all."""
    write_atomic(path, json.dumps(transcript.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n")


def unfit(run: RecordedRun, argv: Sequence[str], inputs: Mapping[str, str]) -> str:
    """Why ``run`` is not the run of ``argv`` on ``inputs`` (SHA-256 by name); empty if it is."""
    if run.argv != tuple(argv):
        return f"it was recorded with `{' '.join(run.argv)}`, asked is `{' '.join(argv)}`"
    for name in sorted({*run.inputs, *inputs}):
        if run.inputs.get(name) != inputs.get(name):
            there = "is not among what it was run on" if name not in run.inputs else "has changed since"
            return f"{name} {there if name in inputs else 'is no longer part of what is asked'}"
    return ""
