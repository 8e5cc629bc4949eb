"""One TLC run as data: what to check, how hard, and what a pass must show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vstack.tla.cfg import Cfg


@dataclass(frozen=True)
class Budget:
    """What one run may use: wall-clock seconds, JVM start included, and megabytes of JVM heap."""

    seconds: float
    heap_mb: int


@dataclass(frozen=True)
class TlcJob:
    """A breadth-first search of one module under one configuration.

    ``module`` is the root module's file; modules it reaches are looked for next
    to it, then in the folders of ``search``. ``extra_files`` are generated
    modules by file name (``Gen.tla``), which win over files of that name; the
    root may be one of them. ``check_deadlock`` decides, whatever the
    configuration says. With ``continue_after_violation`` TLC names only the first
    invariant that a state violates: one that is never named needn't hold.
    ``fingerprint`` is TLC's ``-fp`` (0 to 130). ``brief``
    says that the run is one of seconds: the JVM then takes a third less CPU
    time to start, and searches slower. ``digests`` are the SHA-256 of the modules
    by absolute path as SANY read them: where there are any, no other file and no
    other text of one is run.
    """

    module: Path
    search: tuple[Path, ...]
    cfg: Cfg
    budget: Budget
    workers: int = 1
    check_deadlock: bool = False
    coverage: bool = True
    fingerprint: int = 0
    extra_files: Mapping[str, str] = field(default_factory=dict)
    continue_after_violation: bool = False
    brief: bool = False
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Requirements:
    """What a complete run must show before it may be called ``holds``: a state floor, and actions that fired."""

    distinct_states: int = 1
    actions: tuple[str, ...] = ()
