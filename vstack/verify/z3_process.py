"""Starts the two processes behind a Z3 goal: the one that translates a script, and the one that decides."""

from __future__ import annotations

import functools
import importlib.util
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vstack.errors import RefusedError, VstackError
from vstack.files import sha256_file
from vstack.process import run
from vstack.verify.smtlib import Obligation, exported_obligation

# Isolated mode keeps PYTHON* variables, the user's site and the working folder out; vstack is
# loaded from where it stands now, so that no other package of that name, and no `z3.py` beside it, can get in.
_BOOT = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("vstack", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
package = importlib.util.module_from_spec(spec)
sys.modules["vstack"] = package
spec.loader.exec_module(package)
importlib.import_module("vstack.verify." + sys.argv[2]).main(sys.argv[3:])
"""
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Export:
    """What a script's process wrote: its obligations, what it was kept from doing, and what kept it."""

    obligations: tuple[Obligation, ...]
    enforced: tuple[str, ...] = ()


class OutOfTimeError(VstackError):
    """A process did not end within its time: nothing was decided."""

    exit_code = 3


def command(module: str, *arguments: str) -> list[str]:
    """The command line of one of the processes."""
    return [sys.executable, "-I", "-B", "-c", _BOOT, str(_PACKAGE), module, *arguments]


def _environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}


def export(script: Path, *, seconds: float, memory_mb: int) -> Export:
    """The obligations of a Python script, run where it can change nothing.

    Raises:
        OutOfTimeError: it did not end in time.
        RefusedError: it reached outside of its process, or its export is not what obligations are made of.
        VstackError: it failed, or ended without an export.
    """
    with tempfile.TemporaryDirectory(prefix="vstack-z3-") as name:
        folder = Path(name)
        ended = run(
            command("z3_child", str(script.resolve()), str(seconds), str(memory_mb)),
            cwd=folder,
            env=_environment(folder),
            seconds=seconds,
        )
    if ended.stopped or ended.returncode == -24:  # SIGXCPU
        raise OutOfTimeError(f"The script did not end: {ended.stopped or 'out of processor time'}", where=str(script))
    try:
        answer = json.loads(ended.stdout)
    except ValueError:
        raise VstackError(
            f"The script ended (status {ended.returncode}) without giving its obligations: {ended.stderr.strip()[-300:]}",
            where=str(script),
            todo="Define `goal()` so that it returns its obligations; printing or exiting proves nothing",
        ) from None
    if answer["refused"]:
        raise RefusedError(
            f"[z3-reach] The script tried to {'; '.join(answer['refused'][:3])}",
            where=str(script),
            todo="A goal's script only states formulas: it may not write, read the project, start programs or use the network",
        )
    if answer.get("tampered"):
        raise RefusedError(
            f"[z3-tampered] The script replaced {', '.join(answer['tampered'][:3])}",
            where=str(script),
            todo="A goal's script states formulas with z3 as it is: with other functions its text would not say what it means",
        )
    if "error" in answer:
        line = answer["error"]["line"]
        raise VstackError(
            f"The script failed: {answer['error']['what']}",
            where=f"{script}:{line}" if line else str(script),
            todo="Mend the script",
        )
    obligations = tuple(
        exported_obligation(each["name"], each["assumptions"], each["text"], str(script))
        for each in answer["obligations"]
    )
    return Export(obligations, tuple(answer["enforced"]))


def decide(
    obligations: tuple[Obligation, ...], *, mode: str, seconds: float, memory_mb: int
) -> tuple[list[dict[str, Any]], str]:
    """The lines that the deciding process printed, and why it was stopped (empty if it ended by itself).

    Raises:
        VstackError: the process failed; out of time or memory is no failure.
    """
    with tempfile.TemporaryDirectory(prefix="vstack-z3-") as name:
        folder = Path(name)
        job = {
            "mode": mode,
            "seconds": seconds,
            "memory_mb": memory_mb,
            "obligations": [
                {"name": o.name, "declarations": o.declarations, "assumptions": o.assumptions, "goal": o.goal}
                for o in obligations
            ],
        }
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        # z3 keeps its own time; this is for when it does not.
        ended = run(
            command("z3_solve", str(folder / "job.json")), cwd=folder, env=_environment(folder), seconds=seconds + 15
        )
    lines = []
    for line in ended.stdout.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            break
    if lines and lines[-1].get("done"):
        return lines, ""
    if ended.returncode > 0 and not ended.stopped:
        last = ended.stderr.strip().rpartition("\n")[2]
        raise VstackError(
            f"The deciding process failed: {last[-300:]}",
            todo="Install z3-solver again; if that doesn't help, report this",
        )
    return lines, ended.stopped or f"the deciding process died (signal {-ended.returncode}), out of memory or time"


@functools.cache
def solver_sha256() -> str:
    """SHA-256 of the solver's library, found without loading it."""
    spec = importlib.util.find_spec("z3")
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        for name in ("libz3.so", "libz3.dylib", "libz3.dll"):
            path = Path(folder) / "lib" / name
            if path.exists():
                return sha256_file(path)
    return ""
