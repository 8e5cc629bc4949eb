"""What recorded a trace: code, commit, driver and mapping, by hash. When one changes, the trace is stale."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from vstack.errors import VstackError
from vstack.files import sha256_bytes, sha256_file
from vstack.project import Project
from vstack.results import Result
from vstack.sections import TraceMapping
from vstack.validate.traces.log import Event, read_log

# The first line of a log that `vstack reproduce --record` wrote: no event of the code, but what recorded it.
HEADER = "vstack.recorded"


class Recorded(Result):
    """The code's repo and commit, the driver and the mapping by SHA-256, when and where."""

    repo: str
    commit: str
    driver: str
    mapping: str
    recorded: str
    machine: str

    @property
    def words(self) -> str:
        """Where and when it was recorded."""
        return f"{self.repo} at {self.commit[:12]}, {self.recorded[:10]}"

    def stale(self, project: Project, mapping: TraceMapping) -> str | None:
        """Why a trace with this header no longer speaks for the project; None if it does.

        Raises:
            VstackError: the driver is missing.
        """
        commit, section = project.file.variants[mapping.variant].commit, project.file.reproduce
        if section is None or self.repo != section.repo:
            return f"it is a recording of {self.repo}, which nothing here drives"
        if self.commit != commit:
            return f"it was recorded at commit {self.commit[:12]}, the variant {mapping.variant} is {str(commit)[:12]}"
        if self.driver != driver_digest(project):
            return "the driver has changed since it was recorded"
        if self.mapping != mapping_digest(mapping):
            return "its mapping in vstack.yaml has changed since it was recorded"
        return None


def read_recorded(path: Path) -> tuple[Recorded | None, tuple[Event, ...]]:
    """What recorded the log at ``path``, where it says so, and its events.

    Raises:
        VstackError: the log is missing or does not read, its header is damaged, or it holds no event.
    """
    first, *events = read_log(path)
    if first.field("event") != HEADER:
        return None, (first, *events)
    try:
        recorded = Recorded.model_validate({name: value for name, value in first.data.items() if name != "event"})
    except ValidationError as error:
        raise VstackError(
            f"The log's first line does not say what recorded it: {error.errors()[0]['loc']}",
            where=f"{path}:{first.line}",
            todo="Record it again with `vstack reproduce --record`",
        ) from None
    if not events:
        raise VstackError("The trace holds no event", where=str(path), todo="Record it again")
    return recorded, tuple(events)


def driver_digest(project: Project) -> str:
    """SHA-256 over the driver and the Python files beside it.

    Raises:
        VstackError: the driver is missing, or a file beside it can't be read.
    """
    section = project.file.reproduce
    assert section is not None
    driver = project.root / section.driver
    if not driver.is_file():
        raise VstackError("The driver does not exist", where=str(driver), todo="Mend `reproduce.driver` in vstack.yaml")
    files = sorted(driver.parent.glob("**/*.py"))
    try:
        rows = [f"{file.relative_to(driver.parent)} {sha256_file(file)}\n" for file in files]
    except OSError as error:
        raise VstackError(
            f"A Python file beside the driver can't be read: {error.strerror}",
            where=str(error.filename),
            todo="Move it out of the driver's folder",
        ) from None
    return sha256_bytes("".join(rows).encode())


def mapping_digest(mapping: TraceMapping) -> str:
    """SHA-256 over a trace's mapping, but for where its log lies."""
    return digest(mapping.model_dump(mode="json", exclude={"log"}))


def digest(data: object) -> str:
    """SHA-256 over plain data, whatever the order of its keys."""
    return sha256_bytes(json.dumps(data, sort_keys=True, ensure_ascii=False).encode())
