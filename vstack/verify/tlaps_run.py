"""Run tlapm over one module: clean copies, empty cache, a command line and an environment of vstack's own."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vstack.process import run
from vstack.verify.tlaps_tool import Tlapm, environment

# Beyond this much output something is wrong, and a transcript must stay readable.
_KEPT_LINES = 2_000_000


@dataclass(frozen=True)
class ModuleRun:
    """One run of tlapm: ``output`` is its standard error, which holds the toolbox protocol."""

    module: str
    arguments: tuple[str, ...]
    returncode: int
    stopped: str
    seconds: float
    output: str


def arguments(module: str, stretch: float, lines: tuple[int, int] = (0, 0)) -> tuple[str, ...]:
    """The command line after the program's name; the cache is a fresh folder beside the copies.

    ``lines`` are the first and last that are asked about, by default all.

    ``--strict`` tells gaps and failures in the exit status, ``--nofp`` with the
    empty cache lets no earlier result count, ``--prefer-stdlib`` reads the
    library's modules from the installation alone.
    """
    options = ("--nofp", "--prefer-stdlib", "--cache-dir", "../cache")
    return (
        "--strict",
        "--toolbox",
        str(lines[0]),
        str(lines[1]),
        *options,
        "--stretch",
        f"{stretch:g}",
        f"{module}.tla",
    )


def run_module(
    tlapm: Tlapm, module: str, sources: Mapping[str, str], given: tuple[str, ...], *, seconds: float
) -> ModuleRun:
    """Run tlapm with ``arguments`` in a fresh folder that holds ``sources`` (texts by module name) and nothing else."""
    with tempfile.TemporaryDirectory(prefix="vstack-tlaps-") as place:
        folder = Path(place)
        for name in ("modules", "cache", "home"):
            (folder / name).mkdir()
        for name, text in sources.items():
            (folder / "modules" / f"{name}.tla").write_text(text, encoding="utf-8", newline="")
        ended = run(
            [str(tlapm.path), *given],
            cwd=folder / "modules",
            env=environment(folder / "home"),
            seconds=seconds,
            keep_lines=_KEPT_LINES,
        )
    # Where the folder and the program lie differs from run to run and says nothing.
    output = ended.stderr.replace(str(folder), "FOLDER").replace(str(tlapm.path.parent.parent), "TLAPM")
    return ModuleRun(module, given, ended.returncode, ended.stopped or "", round(ended.seconds, 3), output)
