"""Modules read through SANY, the parser of the TLA+ tools, by its XML export."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import read_text, sha256_bytes, write_atomic
from vstack.process import Finished, run
from vstack.tla.messages import complaint
from vstack.tla.sources import Source, gather
from vstack.tla.tree import Spec
from vstack.tla.xml import to_spec
from vstack.tools.jar import Jar, find_jar
from vstack.tools.java import clean_environment

_OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xss64m",
    "-Xmx768m",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
)
_CACHE_FORMAT = "sany-xml-1"


def load(
    path: Path,
    *,
    search: Sequence[Path],
    java: Sequence[str],
    jar: Path,
    cache: Path | None = None,
    seconds: float = 120.0,
    library: Mapping[str, str] = {},
) -> Spec:
    """The module at ``path`` with everything it reaches, names resolved by SANY.

    ``search`` holds further folders with modules, ``library`` texts of modules
    that count as standard ones beside the jar's, ``java`` the command of the
    JVM, ``cache`` a folder that keeps exports by the hash of the module texts
    and of the jar. What is in the cache is believed: a caller that must not
    believe the working tree gives none.

    Raises:
        VstackError: a file is missing or unreadable, shadows a standard module,
            or doesn't parse (SANY's message, with ``file:line``).
    """
    tools = _jar(jar)
    # The jar's own modules win: SANY finds none of their names in its working folder first.
    library = {name: text for name, text in library.items() if name not in tools.standard_modules}
    sources = gather(path, search, tools.standard_modules | library.keys())
    stored = None if cache is None else cache / f"{_key(path.stem, sources, tools, library)}.xml"
    if stored is not None and stored.is_file():
        with contextlib.suppress(VstackError):  # a damaged entry is made anew
            return to_spec(read_text(stored).encode(), sources)
    try:
        document = _export(path.stem, sources, java, tools, seconds, library)
    except OSError as error:  # the temp folder is full or can't be written
        raise VstackError(
            f"SANY's temp folder can't be used: {error.strerror}",
            where=tempfile.gettempdir(),
            todo="Make room, or name another folder in TMPDIR",
        ) from None
    if stored is not None:
        write_atomic(stored, document)
    return to_spec(document, sources)


def _jar(path: Path) -> Jar:
    """The jar at ``path``, read once per process while the file is unchanged."""
    status = path.stat() if path.is_file() else None
    return _read_jar(path, status and (status.st_mtime_ns, status.st_size))


@functools.lru_cache(maxsize=8)
def _read_jar(path: Path, _status: tuple[int, int] | None) -> Jar:
    return find_jar(path)


def _key(root: str, sources: Mapping[str, Source], tools: Jar, library: Mapping[str, str]) -> str:
    parts = [_CACHE_FORMAT, tools.sha256, root]
    for name in sorted(library):
        parts += [f"library {name}", sha256_bytes(library[name].encode())]
    for name in sorted(sources):
        parts += [name, sha256_bytes(sources[name].text.encode())]
    return sha256_bytes("\n".join(parts).encode())


def _export(
    root: str,
    sources: Mapping[str, Source],
    java: Sequence[str],
    tools: Jar,
    seconds: float,
    library: Mapping[str, str],
) -> bytes:
    """SANY's XML for ``root``, run in a folder of its own that holds the sources and nothing else."""
    with tempfile.TemporaryDirectory(prefix="vstack-sany-") as place:
        folder = Path(place)
        modules, scratch = folder / "modules", folder / "tmp"
        modules.mkdir()
        scratch.mkdir()
        for name, text in library.items():
            (modules / f"{name}.tla").write_text(text, encoding="utf-8", newline="")
        for source in sources.values():
            (modules / f"{source.name}.tla").write_text(source.text, encoding="utf-8", newline="")
        ended = _java("tla2sany.xml.XMLExporter", ["-o", f"{root}.tla"], java, tools, modules, scratch, seconds)
        if ended.stopped:
            raise VstackError(f"SANY did not end: {ended.stopped}", where=str(sources[root].path))
        if ended.returncode == 0 and ended.stdout.startswith("<?xml"):
            return ended.stdout.encode()
        # The exporter drops the detail of a parse error; SANY itself prints it.
        detail = _java("tla2sany.SANY", [f"{root}.tla"], java, tools, modules, scratch, seconds)
        output = "\n".join((detail.stdout, detail.stderr, ended.stderr))
        raise complaint(output, root, sources, tools.standard_modules | library.keys())


def _java(
    main: str, arguments: Sequence[str], java: Sequence[str], tools: Jar, modules: Path, scratch: Path, seconds: float
) -> Finished:
    # Standard modules are unpacked to fixed names in the temp folder: parallel runs must not share one.
    command = [*java, *_OPTIONS, f"-Djava.io.tmpdir={scratch}", "-cp", str(tools.path), main, *arguments]
    try:
        return run(command, cwd=modules, env=clean_environment(scratch), seconds=seconds)
    except FileNotFoundError:
        raise VstackError(
            "Java can't be started", where=java[0], todo="Install Java 11 or later, or the extra `tlc`"
        ) from None
