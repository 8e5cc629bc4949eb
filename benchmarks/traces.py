"""Replay 22,104 recorded events of a 64-page ledger: vstack's whole replay against raw TLC on the generated module."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.timing import Row, median
from vstack.context import Context, open_project
from vstack.tla.cfg import format_cfg
from vstack.tools.java import clean_environment
from vstack.validate.traces.module import NAME, accept_module
from vstack.validate.traces.replay import prepare, replay

EVENTS = 22_104
PAGES = 64
PAIRS = 3


def record(path: Path) -> None:
    """Run a ledger in Python and log every operation with the full state after it."""
    chance = random.Random(64)
    state, owner, refs = ["free"] * PAGES, ["Nobody"] * PAGES, [0] * PAGES
    with path.open("w") as log:
        for clock in range(EVENTS):
            page = chance.randrange(PAGES)
            entry: dict[str, object] = {"clock": clock, "page": page}
            if state[page] == "free":
                request = chance.randint(1, 8)
                entry |= {"event": "alloc", "request": request}
                state[page], owner[page] = "private", request  # type: ignore[call-overload]
            elif state[page] == "private" and chance.random() < 0.7:
                entry["event"] = "publish"
                state[page], owner[page], refs[page] = "shared", "Nobody", 1
            elif state[page] == "shared" and chance.random() < 0.4:
                entry["event"] = "retain"
                refs[page] += 1
            elif refs[page] > 1:
                entry["event"] = "drop"
                refs[page] -= 1
            else:
                entry["event"] = "free"
                state[page], owner[page], refs[page] = "free", "Nobody", 0
            for name, values in (("state", state), ("owner", owner), ("refs", refs)):
                entry[name] = {str(number): value for number, value in enumerate(values)}
            log.write(json.dumps(entry) + "\n")


def measure() -> list[Row]:
    """Both sides of each pair in turn; the ratio of their medians must be at most 1.2."""
    with tempfile.TemporaryDirectory(prefix="vstack-bench-") as scratch:
        folder = Path(scratch)
        for name in ("Ledger.tla", "vstack.yaml"):
            shutil.copy(Path(__file__).parent / "ledger" / name, folder / name)
        record(folder / "recorded.jsonl")
        context = open_project(folder)
        ours, raw = [], []
        for _ in range(PAIRS):
            started = time.monotonic()
            row = replay(context.project, context.spec, context.actions, "recorded", context.tools)
            ours.append(time.monotonic() - started)
            if row.verdict != "holds" or row.matched != EVENTS:
                raise SystemExit(f"the trace did not replay: {row.reason}")
            raw.append(_raw(context, folder))
    return [Row("replay of 22,104 events, 64 pages", median(ours), median(raw), "raw TLC on the generated module", 1.2)]


def _raw(context: Context, folder: Path) -> float:
    """Seconds that `java tlc2.TLC` takes on the generated module alone, JVM start included."""
    prepared = prepare(context.project, context.spec, context.actions, "recorded")
    text = accept_module(prepared.walk)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        where = Path(place)
        (where / f"{NAME}.tla").write_text(text)
        shutil.copy(folder / "Ledger.tla", where)
        (where / "raw.cfg").write_text(format_cfg(prepared.job.cfg, old_jar=True)[0])
        command = [*context.tools.java, "-Xmx1024m", f"-Djava.io.tmpdir={where}", "-XX:+UseParallelGC"]
        command += ["-cp", str(context.tools.jar), "tlc2.TLC", "-tool", "-deadlock", "-config", "raw.cfg", NAME]
        started = time.monotonic()
        ended = subprocess.run(command, cwd=where, env=clean_environment(where), capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
    if ended.returncode != 0 or '"complete">>' not in ended.stdout:
        raise SystemExit(f"raw TLC did not replay the trace: {ended.stdout[-500:]}")
    return seconds
