"""What the guard costs: an agent's hooks and the commit hook against a bare interpreter, at 1,000 pinned files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Row, median, seconds_of
from vstack.guard.index import record
from vstack.specify.lock import Lock, write_lock
from vstack.specify.pins import Pin, PinnedDefinition, Pins

TIMES = 15
FILES = 1000
_GUARD = str(Path(__file__).parent.parent / "vstack" / "guard" / "__main__.py")


def measure() -> list[Row]:
    """Each moment of a hook, and a commit that touches nothing pinned, alternating with `python3 -c pass`."""
    # An interpreter of its own: what a virtual environment adds to a bare start would flatter us.
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin:/opt/homebrew/bin") or sys.executable
    with tempfile.TemporaryDirectory(prefix="vstack-bench-") as scratch:
        folder = Path(scratch)
        _project(folder)
        calls = {
            "pre, an edit": (
                "pre",
                {"tool_name": "Edit", "tool_input": {"file_path": str(folder / "model" / "Model.tla")}},
            ),
            "pre, a command": (
                "pre",
                {"tool_name": "Bash", "tool_input": {"command": "git status && grep -rn Goal goals | head"}},
            ),
            "post": ("post", {"tool_name": "Bash", "tool_input": {"command": "make"}}),
            "stop, every byte read": ("stop", {}),
        }
        bare: list[float] = []
        ours: dict[str, list[float]] = {name: [] for name in [*calls, "commit"]}
        for _ in range(TIMES):
            bare.append(seconds_of([python, "-c", "pass"], cwd=folder))
            for name, (moment, payload) in calls.items():
                (folder / ".payload").write_text(json.dumps({"cwd": str(folder), **payload}))
                with (folder / ".payload").open() as stream:
                    command = [python, "-I", "-S", _GUARD, moment, "--host", "claude"]
                    ours[name].append(seconds_of(command, cwd=folder, stdin=stream))
            ours["commit"].append(seconds_of([python, "-I", "-S", _GUARD, "commit"], cwd=folder))
    rows = [
        Row(f"guard {name}, {FILES:,} pinned files", median(ours[name]), median(bare), "python3 -c pass", 2)
        for name in calls
    ]
    return [
        *rows,
        Row(f"commit hook, {FILES:,} pinned files", median(ours["commit"]), median(bare), "python3 -c pass", 3),
    ]


def _project(folder: Path) -> None:
    """A repository whose lock pins as many modules; a change to a free file is staged."""
    (folder / "goals").mkdir()
    (folder / "model").mkdir()
    (folder / "model" / "Model.tla").write_text("---- MODULE Model ----\n====\n")
    definitions, goals = {}, {}
    for number in range(FILES):
        name, text = f"Goals{number}", f"Goal{number} == \\A r \\in Requests : owner[r] # {number}"
        (folder / "goals" / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{text}\n====\n")
        definitions[f"{name}!Goal{number}"] = PinnedDefinition(digest="0" * 64, place=f"goals/{name}.tla:2", text=text)
        goals[f"Goal{number}"] = Pin(digest="0" * 64, definitions=(f"{name}!Goal{number}",))
    settings = {"model": Pin(digest="0" * 64, value={"module": "model/Model.tla"})}
    write_lock(
        folder / "vstack.lock",
        Lock(project="bench", sequence=1, pins=Pins(definitions=definitions, goals=goals, settings=settings)),
    )
    (folder / "vstack.yaml").write_text("version: 1\nproject: bench\n")
    (folder / ".gitignore").write_text(".vstack/\n.payload\n")
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    record(str(folder))
    (folder / "README.md").write_text("free to edit\n")
    subprocess.run(["git", "add", "README.md"], cwd=folder, check=True)
