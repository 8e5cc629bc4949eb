"""Recorded events as a trace's log, with a first line that says what recorded them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import write_atomic
from vstack.keep.evidence import machine, now
from vstack.project import Project
from vstack.validate.traces.recorded import HEADER, Recorded, driver_digest, mapping_digest


def write_log(project: Project, name: str, events: str) -> Path:
    """Write ``events`` (JSON lines) as the log of the trace ``name``.

    Raises:
        VstackError: no event was recorded, the trace's variant has no commit, or the file can't be written.
    """
    mapping, section = project.file.traces[name], project.file.reproduce
    commit = project.file.variants[mapping.variant].commit
    assert section is not None
    if not events.strip() or commit is None:
        raise VstackError(
            f"The driver recorded no event for the trace {name}" if commit else f"The variant {mapping.variant} has no commit",
            where=str(project.root / "vstack.yaml"),
        )
    recorded = Recorded(
        repo=section.repo,
        commit=commit,
        driver=driver_digest(project),
        mapping=mapping_digest(mapping),
        recorded=now(),
        machine=machine(),
    )
    path = project.root / mapping.log
    path.parent.mkdir(parents=True, exist_ok=True)
    header = json.dumps({"event": HEADER, **recorded.model_dump()})
    # An address in memory says nothing about the run, and differs in every one.
    write_atomic(path, header + "\n" + re.sub(r" at 0x[0-9a-f]+", "", events))
    return path
