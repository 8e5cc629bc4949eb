"""A program with Apalache's command line and output over TLC: its verdicts come from a real search.

No build of Apalache comes with any package, so that the runner is tested against
this one: it understands the options that vstack gives, searches with TLC, and
prints and writes what Apalache's documentation says that Apalache does. What it
can't show is whether Apalache itself takes the same modules.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from vstack.tla.cfg import parse_cfg
from vstack.tla.values import FnValue, ModelValue, Record
from vstack.tlc.job import Budget, TlcJob
from vstack.tlc.run import run_tlc
from vstack.tools.find import find_tools
from vstack.verdicts import Verdict

_REPOSITORY = Path(__file__).parents[2]


def install(folder: Path) -> Path:
    """Put the program into ``folder``; its path, for VSTACK_APALACHE."""
    path = folder / "apalache-mc"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(_REPOSITORY)!r})\n"
        "from tests.verify.apalache_stand_in import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    path.chmod(0o755)
    return path


def main(arguments: list[str]) -> int:
    """`check --NAME=VALUE... MODULE.tla`; the exit status is Apalache's."""
    assert arguments[0] == "check"
    options = dict(option.split("=", 1) for option in arguments[1:-1])
    known = {"--config", "--init", "--next", "--inv", "--length", "--run-dir"}
    _say("# APALACHE version: 0.0.0 | build: stand-in")
    if set(options) - known:
        _say(f"unknown option {sorted(set(options) - known)}")
        print("EXITCODE: ERROR (255)")
        return 255
    _say(f"  > Set the initialization predicate to {options['--init']}")
    _say(f"  > Set the transition predicate to {options['--next']}")
    _say(f"  > Set an invariant to {options['--inv']}")
    length = int(options["--length"])
    trace = _violation(Path(arguments[-1]), options, length)
    steps = length if trace is None else len(trace) - 1
    for number in range(steps + 1):
        _say(f"State {number}: Checking 1 state invariants")
        if trace is None or number < steps:
            _say(f"State {number}: state invariant 0 holds.")
    if trace is None:
        _say("The outcome is: NoError")
        _say(f"Checker reports no error up to computation length {length}")
        print("EXITCODE: OK")
        return 0
    folder = Path(options["--run-dir"])
    folder.mkdir()
    states = [{"#meta": {"index": number}, **state} for number, state in enumerate(trace)]
    (folder / "violation1.itf.json").write_text(json.dumps({"#meta": {"format": "ITF"}, "vars": sorted(trace[0]), "states": states}))
    _say(f"State {steps}: state invariant 0 violated.")
    _say("Found 1 error(s)")
    _say("The outcome is: Error")
    _say("Checker has found an error")
    print("EXITCODE: ERROR (12)")
    return 12


def _violation(module: Path, options: dict[str, str], length: int) -> list[dict[str, Any]] | None:
    """The states of a shortest violation of at most ``length`` steps."""
    cfg = parse_cfg(Path(options["--config"]).read_text(), where="cfg")
    cfg = type(cfg)(constants=cfg.constants, init=options["--init"], next=options["--next"], invariants=(options["--inv"],))
    tools = find_tools()
    result = run_tlc(TlcJob(module.resolve(), (), cfg, Budget(60, 512), coverage=False, brief=True), tools)
    if result.verdict is Verdict.VIOLATED and result.trace is not None and len(result.trace.steps) <= length + 1:
        return [{name: _itf(value) for name, value in step.state.items()} for step in result.trace.steps]
    if result.verdict not in (Verdict.VIOLATED, Verdict.HOLDS) and result.distinct:
        raise SystemExit(f"TLC: {result.reason}")
    return None


def _itf(value: Any) -> Any:
    match value:
        case bool() | str():
            return value
        case int():
            return {"#bigint": str(value)}
        case ModelValue():
            return value.name
        case tuple():
            return {"#tup": [_itf(item) for item in value]}
        case frozenset():
            return {"#set": [_itf(item) for item in value]}
        case Record():
            return {str(name): _itf(item) for name, item in value.items()}
        case FnValue():
            return {"#map": [[_itf(key), _itf(item)] for key, item in value.items()]}
    raise TypeError(value)


def _say(text: str) -> None:
    print(f"{text:<66}I@00:00:00.000")
