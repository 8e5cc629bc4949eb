"""The transcript of a headless run: JSON lines, written as it goes, from which the run can be resumed."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vstack.errors import VstackError
from vstack.files import read_bytes

VERSION = 1
_LOST = (
    "Interrupted: it is not known whether this ran to its end. Ask `status`, or read the file, before you repeat it."
)


@dataclass
class Transcript:
    """A transcript at ``path``, open for more; ``lines`` is what it holds already."""

    path: Path
    lines: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, **data: Any) -> None:
        """Append one line, on disk before this returns.

        Raises:
            VstackError: the file can't be written.
        """
        line = {"kind": kind, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **data}
        try:
            with self.path.open("ab") as stream:
                stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise VstackError(f"The transcript can't be written: {error.strerror}", where=str(self.path)) from None
        self.lines.append(line)

    @property
    def start(self) -> dict[str, Any]:
        """The first line: task, model, and what the tools were given."""
        return self.lines[0]

    def messages(self) -> list[dict[str, Any]]:
        """The conversation as a request sends it: a tool that was called and never answered is answered as lost."""
        messages: list[dict[str, Any]] = []
        results: dict[str, dict[str, Any]] = {
            line["result"]["tool_use_id"]: line["result"] for line in self.lines if line["kind"] == "tool"
        }
        for line in self.lines:
            if line["kind"] == "user":
                _append(messages, "user", [{"type": "text", "text": line["text"]}])
            elif line["kind"] == "assistant":
                _append(messages, "assistant", line["content"])
                answers = [
                    results.get(block["id"], _lost(block["id"]))
                    for block in line["content"]
                    if block["type"] == "tool_use"
                ]
                if answers:
                    _append(messages, "user", answers)
        return messages

    def used(self) -> tuple[int, int]:
        """Tokens read and written, over all requests."""
        usages = [line["usage"] for line in self.lines if line["kind"] == "assistant"]
        return sum(usage["input"] for usage in usages), sum(usage["output"] for usage in usages)


def create(path: Path, **start: Any) -> Transcript:
    """A new transcript.

    Raises:
        VstackError: the file is there already, or can't be written.
    """
    if path.exists():
        raise VstackError(
            "The transcript is there already", where=str(path), todo="Go on with --resume, or name another"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VstackError(f"The transcript can't be written: {error.strerror}", where=str(path)) from None
    transcript = Transcript(path)
    transcript.add("start", version=VERSION, **start)
    return transcript


def resume(path: Path) -> Transcript:
    """The transcript at ``path``, to be gone on with; a last line that was torn off is dropped.

    Raises:
        VstackError: it does not exist, or is not a transcript.
    """
    try:
        data = read_bytes(path)
    except OSError as error:
        raise VstackError(f"The transcript can't be read: {error.strerror}", where=str(path)) from None
    whole, newline, torn = data.rpartition(b"\n")
    lines = []
    for number, text in enumerate(whole.split(b"\n"), 1):
        try:
            line = json.loads(text)
            line["kind"]
        except (ValueError, TypeError, KeyError):
            raise VstackError(
                "This is not a line of a transcript", where=f"{path}:{number}", todo="Start anew"
            ) from None
        lines.append(line)
    if not lines or lines[0]["kind"] != "start" or lines[0].get("version") != VERSION:
        raise VstackError("This is not a transcript that can be resumed", where=str(path), todo="Start anew")
    if torn:
        # Cut off where the process was killed; the next line must begin on a line of its own.
        with path.open("r+b") as stream:
            stream.truncate(len(whole) + len(newline))
    return Transcript(path, lines)


def _append(messages: list[dict[str, Any]], role: str, content: list[dict[str, Any]]) -> None:
    """Add a message; two of one role in a row become one."""
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] = [*messages[-1]["content"], *content]
    else:
        messages.append({"role": role, "content": list(content)})


def _lost(identifier: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identifier, "content": _LOST, "is_error": True}
