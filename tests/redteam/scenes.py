"""What a project has besides its model, added to an arena: code with anchors, a recorded trace, a target branch that moved on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.redteam.arena import LOCK, MODEL, YAML, Arena
from vstack.specify.approval import sign_for_demo
from vstack.specify.approvers import APPROVERS_FILE, put_demo_key
from vstack.specify.lock import parse_lock, write_lock
from vstack.specify.sshkey import ThrowawayKey

LOG = "traces/engine.jsonl"
CODE = "upstream"
_ENGINE = '''"""A page that requests use one after the other."""


class Engine:
    def __init__(self):
        self.page, self.transfer = "free", "none"
        self.phase = {"r1": "new", "r2": "new"}

    def start(self, request):
        self.page = request
        self.transfer = request
        self.phase[request] = "loading"

    def land(self):
        if self.phase[self.transfer] == "loading":
            self.phase[self.transfer] = "ready"
        self.transfer = "none"

    def free(self, request):
{wait}        self.page = "free"
        self.phase[request] = "done"

    def abort(self, request):
        self.phase[request] = "aborted"
'''
_WAIT = "        if self.transfer == request:\n            return\n"
BEFORE, AFTER = _ENGINE.replace("{wait}", ""), _ENGINE.replace("{wait}", _WAIT)


def anchor(arena: Arena, commit: str, first: str, last: str) -> str:
    """The honest anchor of the lines from ``first`` to ``last`` (texts, each the first of its kind) at ``commit``."""
    lines = arena.git("-C", CODE, "show", f"{commit}:engine.py").splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if line.strip() == first)
    end = next(number for number, line in enumerate(lines) if number >= start and line.strip() == last)
    digest = hashlib.sha256("".join(lines[start : end + 1]).encode()).hexdigest()[:16]
    return f"engine:engine.py:{start + 1}-{end + 1}@{commit} sha256:{digest}"


def _commit_code(arena: Arena, text: str, message: str) -> str:
    arena.write(f"{CODE}/engine.py", text)
    arena.git("-C", CODE, "add", "-A")
    arena.git("-C", CODE, "commit", "-q", "-m", message)
    return arena.git("-C", CODE, "rev-parse", "HEAD")


def code(arena: Arena) -> tuple[str, str]:
    """The code that the model stands for, before and after its fix, every action anchored in it, approved and merged.

    Returns the two commits.
    """
    arena.write(".gitignore", arena.read(".gitignore") + f"{CODE}/\n" if (arena.root / ".gitignore").exists() else f"{CODE}/\n")
    arena.git("init", "-q", "-b", "main", CODE)
    commits = tuple(_commit_code(arena, text, name) for text, name in ((BEFORE, "before"), (AFTER, "after")))
    spans = {
        "Start": ("self.page = request", 'self.phase[request] = "loading"'),
        "Land": ('if self.phase[self.transfer] == "loading":', 'self.transfer = "none"'),
        "Free": ('self.page = "free"', 'self.phase[request] = "done"'),
    }
    for action, (first, last) in spans.items():
        marks = "\n".join(f"\\* @anchor {anchor(arena, commit, first, last)}" for commit in commits)
        head = f"{action} ==" if action == "Land" else f"{action}(r) =="
        arena.edit(MODEL, f"\\* @ours the scaffold stands for no code yet\n{head}", f"{marks}\n{head}")
    text = arena.read(YAML)
    text = text.replace("\nmodel:\n", '\nrepos:\n  engine: {url: ""}\n\nmodel:\n', 1)
    text = text.replace("the fix.\n    ours: true", f"the fix.\n    commit: {commits[0]}", 1)
    text = text.replace("with the fix.\n    ours: true", f"with the fix.\n    commit: {commits[1]}", 1)
    wait = anchor(arena, commits[1], "if self.transfer == request:", "return")
    text = text.replace("while a transfer to it runs.\n", f'while a transfer to it runs.\n    anchors: ["{wait}"]\n', 1)
    scope = "scope:\n  - {repo: engine, path: engine.py, functions: [Engine.start, Engine.land, Engine.free]}\n\n"
    arena.write(YAML, text.replace("floors:\n", scope + "floors:\n", 1))
    arena.approve()
    arena.merge("the code")
    return commits[0], commits[1]


def record(*, waits: bool = True) -> list[dict[str, Any]]:
    """What the code above writes when two requests use the page and the first is aborted while it loads."""
    scope: dict[str, Any] = {}
    exec(compile(AFTER if waits else BEFORE, "engine.py", "exec"), scope)
    engine, events = scope["Engine"](), []
    calls = [("start", "r1"), ("abort", "r1"), ("free", "r1"), ("land", ""), ("free", "r1"), ("start", "r2"), ("land", ""), ("free", "r2")]
    for name, request in calls:
        earlier = dict(vars(engine), phase=dict(engine.phase))
        getattr(engine, name)(*([request] if request else []))
        if vars(engine) != earlier:
            events.append({"event": name, "request": request, **vars(engine), "phase": dict(engine.phase)})
    return events


_TRACES = """traces:
  engine:
    log: traces/engine.jsonl
    variant: after
    environment: aborts
    events:
      start: {action: Start, params: {r: request}}
      land: {action: Land}
      free: {action: Free, params: {r: request}}
      abort: {action: Abort, params: {r: request}}
    variables:
      page: page
      transfer: transfer
      phase: {field: phase, kind: function}

"""


def write_log(arena: Arena, events: list[Mapping[str, Any]] | list[dict[str, Any]]) -> None:
    """Put ``events`` into the trace's log."""
    arena.write(LOG, "".join(json.dumps(event) + "\n" for event in events))


def traced(arena: Arena) -> list[dict[str, Any]]:
    """A trace that the code recorded, with its mapping, approved and merged; its events."""
    events = record()
    write_log(arena, events)
    arena.edit(YAML, "floors:\n", _TRACES + "floors:\n")
    arena.approve()
    arena.merge("a trace")
    return events


def approve_with(arena: Arena, key: ThrowawayKey) -> None:
    """Approve what lies there with one key that stays the same, as a person's does who keeps it in an agent."""
    arena.approve()
    path = arena.root / LOCK
    lock = parse_lock(path.read_bytes(), where=str(path))
    write_lock(path, sign_for_demo(lock.model_copy(update={"approvals": ()}), key))
    put_demo_key(arena.root / APPROVERS_FILE, key.key_type, key.public)


def saved(arena: Arena, *names: str) -> dict[str, bytes]:
    """The bytes of files, to bring back later."""
    return {name: Path(arena.root / name).read_bytes() for name in names}


def restore(arena: Arena, files: Mapping[str, bytes]) -> None:
    """Write back what ``saved`` took."""
    for name, data in files.items():
        Path(arena.root / name).write_bytes(data)
