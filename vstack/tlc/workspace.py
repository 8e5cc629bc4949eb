"""A private folder for one TLC run: the modules it reaches, its configuration, nothing else."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.files import read_text, sha256_bytes
from vstack.tla.cfg import format_cfg
from vstack.tla.sources import Source, gather
from vstack.tlc.job import TlcJob
from vstack.tools.find import Tools

CONFIG = "vstack.cfg"


@dataclass(frozen=True)
class Workspace:
    """The folder, the root module's name, and where each copied module really comes from."""

    folder: Path
    root: str
    sources: Mapping[str, Source]

    @property
    def config(self) -> Path:
        """The configuration, as an absolute path."""
        return self.folder / CONFIG

    @property
    def metadir(self) -> Path:
        """Where TLC may keep its states."""
        return self.folder / "states"

    @property
    def temporary(self) -> Path:
        """This run's own ``java.io.tmpdir``: TLC unpacks standard modules to fixed names in it."""
        return self.folder / "tmp"

    def place(self, module: str, line: int) -> str:
        """``file:line`` in the file that a module was copied from."""
        source = self.sources.get(module)
        return f"{source.path if source else 'module ' + module}:{line}"


@contextlib.contextmanager
def workspace(job: TlcJob, tools: Tools) -> Iterator[Workspace]:
    """Make the folder for ``job``; it is gone on every way out.

    Raises:
        VstackError: a module can't be read or shadows a standard one, the
            configuration needs what this jar doesn't have, or the temp folder
            can't be written.
        RefusedError: a module is not the one that ``job.digests`` speaks of.
    """
    try:
        name = tempfile.mkdtemp(prefix="vstack-tlc-")
    except OSError as error:
        raise VstackError(
            f"No temp folder can be made for TLC: {error.strerror}", todo="Make room there, or name another with TMPDIR"
        ) from None
    folder = Path(name).resolve()
    try:
        yield _fill(folder, job, tools)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fill(folder: Path, job: TlcJob, tools: Tools) -> Workspace:
    text = _configuration(job, tools)
    root = f"{job.module.stem}.tla"
    try:
        if root not in job.extra_files:
            (folder / root).write_text(read_text(job.module), encoding="utf-8")
        for name, content in job.extra_files.items():
            (folder / name).write_text(content, encoding="utf-8")
        found = gather(folder / root, [job.module.absolute().parent, *job.search], tools.standard_modules)
        for source in found.values():
            if source.path.parent != folder:
                (folder / f"{source.name}.tla").write_text(source.text, encoding="utf-8")
        (folder / "tmp").mkdir()
        (folder / CONFIG).write_text(text, encoding="utf-8")
    except OSError as error:
        raise VstackError(f"The temp folder for TLC can't be written: {error.strerror}", where=str(folder)) from None
    sources = {name: _original(source, folder, job) for name, source in found.items()}
    _unchanged(sources.values(), job)
    return Workspace(folder, job.module.stem, sources)


def _unchanged(sources: Iterable[Source], job: TlcJob) -> None:
    """What TLC runs is what SANY read, and what was compared with the lock: a file may have been swapped in between."""
    for source in sources:
        if not job.digests or source.path.name in job.extra_files:
            continue
        if job.digests.get(str(source.path.absolute())) != sha256_bytes(source.text.encode()):
            raise RefusedError(
                "The module changed, or came into being, while the check ran: what TLC would run is not what was read",
                where=str(source.path),
                todo="Leave the modules alone while a check runs, and run it again",
            )


def _original(source: Source, folder: Path, job: TlcJob) -> Source:
    if source.path.parent != folder:
        return source
    if source.path.name in job.extra_files:
        return replace(source, path=Path(source.path.name))
    return replace(source, path=job.module)


def _configuration(job: TlcJob, tools: Tools) -> str:
    """The configuration for this jar: deadlock checking is a flag, and traces show the real variables, never an ALIAS."""
    cfg = replace(job.cfg, check_deadlock=None, alias=None)
    if cfg.postcondition and not tools.features.cfg_keyword("POSTCONDITION"):
        raise VstackError(
            f"The configuration has a POSTCONDITION ({cfg.postcondition}), which TLC {tools.tlc_version} doesn't know",
            where=str(tools.jar),
            todo="Name a newer tla2tools.jar with VSTACK_TLC_JAR, or take the POSTCONDITION out",
        )
    return format_cfg(cfg, old_jar=not cfg.postcondition)[0]
