"""Runs tlapm over the modules beside this file and keeps what it printed in outputs.json.

The outputs in the repository were recorded with tlapm 1.6.0-pre (commit 4600b24), z3 4.8.9,
Zenon and LS4, without Isabelle. `python -m tests.verify.tlaps.record` records them again
with the tlapm that VSTACK_TLAPM names.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
STRICT = ("--strict", "--toolbox", "0", "0", "--nofp", "--stretch", "4", "--cache-dir", "CACHE")
# name: the module, what else is on its command line, and whether the cache of the run before is kept.
RUNS = {
    "proved": ("Proved", STRICT),
    "failed": ("Failed", STRICT),
    "out of time": ("Late", STRICT),
    "omitted": ("Gaps", STRICT),
    "omitted, not strict": ("Gaps", STRICT[1:]),
    "nothing selected": ("Proved", ("--strict", "--toolbox", "2", "2", *STRICT[4:])),
    "a part": ("Proved", ("--strict", "--toolbox", "3", "4", *STRICT[4:])),
    "not proving": ("Failed", (*STRICT, "--noproving")),
    "cached": ("Proved", ("--strict", "--toolbox", "0", "0", "--stretch", "4", "--cache-dir", "CACHE")),
    "recursive": ("Recursive", STRICT),
    "does not parse": ("Broken", STRICT),
}
TEXTS = {
    "Recursive": "---- MODULE Recursive ----\nEXTENDS Naturals, TLAPS\nRECURSIVE F(_)\nF(n) == IF n = 0 THEN 0 ELSE F(n - 1)\nTHEOREM T == F(0) = 0\n  BY DEF F\n====\n",
    "Broken": "---- MODULE Broken ----\nTHEOREM T == 1 + = 2\n====\n",
}


def main() -> None:
    """Record all runs."""
    tlapm = Path(os.environ["VSTACK_TLAPM"]).resolve()
    outputs = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in HERE.glob("*.tla"):
            (folder / path.name).write_text(path.read_text())
        for module, text in TEXTS.items():
            (folder / f"{module}.tla").write_text(text)
        for label, (module, options) in RUNS.items():
            cache = folder / ("cache-proved" if label in ("proved", "cached") else f"cache-{len(outputs)}")
            argv = [str(tlapm), *(str(cache) if item == "CACHE" else item for item in options), f"{module}.tla"]
            environment = {"PATH": "/usr/bin:/bin", "HOME": name, "LC_ALL": "C.UTF-8"}
            ended = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            text = ended.stderr.replace(name, "FOLDER").replace(str(tlapm.parent.parent), "TLAPM")
            outputs[label] = {"module": module, "returncode": ended.returncode, "stderr": text}
    (HERE / "outputs.json").write_text(json.dumps(outputs, indent=1) + "\n")


if __name__ == "__main__":
    main()
