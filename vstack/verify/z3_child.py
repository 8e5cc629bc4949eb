"""Runs a project's Z3 script in a process of its own and writes its obligations out as SMT-LIB.

This process only translates: what it says is read as formulas, never as a
verdict. One JSON object goes to what was standard output when it began; the
script's own output goes nowhere.
"""

from __future__ import annotations

import json
import os
import sys
import types
from pathlib import Path
from typing import Any

from vstack.verify.isolation import isolate, watch


def main(arguments: list[str]) -> None:
    """Arguments: script, seconds, MiB."""
    script, seconds, memory_mb = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    source = script.read_bytes()
    enforced = isolate(seconds=seconds, memory_mb=memory_mb)

    import z3

    from vstack.verify import z3_api

    refused: list[str] = []
    installed = (sys.prefix, sys.base_prefix, str(Path(z3.__file__).parents[1]), str(Path(z3_api.__file__).parents[1]))
    enforced.append(watch(installed, script, refused))
    answer: dict[str, Any] = {"obligations": []}
    z3.main_ctx()
    before = _callables()
    try:
        given = _read(_obligations(source, str(script)))
        answer["tampered"] = _changed(before)
        answer["obligations"] = _export(given)
    except BaseException as error:  # SystemExit and MemoryError of a script are its errors too
        answer["error"] = _words(error, str(script))
    answer |= {"refused": refused, "enforced": enforced}
    json.dump(answer, channel)
    channel.flush()
    os._exit(0)


def _obligations(source: bytes, name: str) -> list[Any]:
    module = types.ModuleType("vstack_goal_script")
    module.__file__ = name
    sys.modules[module.__name__] = module
    exec(compile(source, name, "exec"), module.__dict__)
    if not callable(getattr(module, "goal", None)):
        raise TypeError("the script defines no function `goal()`")
    given = module.goal()
    return list(given) if isinstance(given, list | tuple) else [given]


def _read(obligations: list[Any]) -> list[tuple[str, dict[str, Any], Any]]:
    """Name, assumptions and goal of each, copied out of whatever the script made them of."""
    for each in obligations:
        missing = [part for part in ("name", "goal", "assumptions") if not hasattr(each, part)]
        if missing:
            raise TypeError(f"`goal()` gave a {type(each).__name__}, not a vstack.verify.z3_api.Obligation")
    return [
        (str(each.name), {str(name): term for name, term in dict(each.assumptions).items()}, each.goal)
        for each in obligations
    ]


def _export(obligations: list[tuple[str, dict[str, Any], Any]]) -> list[dict[str, Any]]:
    """Name, names of assumptions, and SMT-LIB text with one assertion each, the goal's last."""
    import z3

    found = []
    for name, assumptions, goal in obligations:
        solver = z3.Solver()
        for part, formula in [*assumptions.items(), ("goal", goal)]:
            if not isinstance(formula, z3.BoolRef):
                raise TypeError(f"obligation {name}: `{part}` is a {type(formula).__name__}, not a Z3 formula")
            solver.add(formula)
        found.append({"name": name, "assumptions": list(assumptions), "text": solver.sexpr()})
    return found


def _callables() -> dict[str, dict[str, Any]]:
    """The functions and classes of z3 and of vstack as they stand, and what their classes hold."""
    found: dict[str, dict[str, Any]] = {}
    for name, module in list(sys.modules.items()):
        if module is None or name.partition(".")[0] not in ("z3", "vstack"):
            continue
        found[name] = {key: value for key, value in vars(module).items() if callable(value)}
        for key, value in found[name].items():
            if isinstance(value, type) and value.__module__ == name:
                found[f"{name}.{key}"] = {part: inner for part, inner in vars(value).items() if part != "__doc__"}
    return found


def _changed(before: dict[str, dict[str, Any]]) -> list[str]:
    """What is no longer as it was, so that a formula may not mean what its text says; additions to a module are none."""
    now = _callables()
    return sorted(
        f"{place}.{name}"
        for place, held in before.items()
        for name in held.keys() | (now.get(place, {}).keys() if place not in sys.modules else set())
        if now.get(place, {}).get(name) is not held.get(name)
    )


def _words(error: BaseException, script: str) -> dict[str, Any]:
    line = error.lineno if isinstance(error, SyntaxError) else None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == script:
            line = frame.tb_lineno
        frame = frame.tb_next
    return {"what": f"{type(error).__name__}: {error}"[:2000], "line": line}
