"""A small real program in a git repository of its own, with a race at one commit and its fix at the next, and its project."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.specify.test_base import git
from vstack.specify.scaffold import write_project

PROGRAM = '''\
"""One page of memory that requests use in turn; data arrives by a thread of its own."""
import threading


class Server:
    def __init__(self):
        self.owner, self.memory, self.coming = None, b"", None
        self.phase = {}

    def start(self, request, wire):
        self.owner, self.phase[request] = request, "loading"
        thread = threading.Thread(target=self._receive, args=(request, wire), name="receiver")
        self.coming = (request, thread)
        thread.start()

    def _receive(self, request, wire):
        data = wire.get()
        self.memory = data
        if self.phase[request] == "loading":
            self.phase[request] = "ready"
        self.coming = None

    def abort(self, request):
        if self.phase[request] == "loading":
            self.phase[request] = "aborted"

    def free(self, request):
        GUARD
        self.owner, self.phase[request] = None, "done"
        return True
'''
BUGGY = PROGRAM.replace("        GUARD\n", "")
FIXED = PROGRAM.replace("GUARD", "if self.coming and self.coming[0] == request:\n            return False")

DRIVER = '''\
"""Drives handover.Server: the transport is a queue that the driver feeds."""
import queue

from handover import Server


class Parted(Exception):
    pass


class Driver:
    engine_threads = ("receiver",)

    def __init__(self, case):
        self.case, self.server, self.wires = case, Server(), {}
        self.requests = case.constants["Requests"]
        self.actions = {"Start": self.start, "Land": self.land, "Free": self.free, "Abort": self.abort}

    def log(self, event, **fields):
        self.case.record(event, state=self.observe(), **fields)

    def start(self, r):
        self.wires[r] = queue.Queue()
        self.server.start(r, self.wires[r])
        self.log("started", request=r)

    def land(self):
        request, thread = self.server.coming
        self.wires[request].put(request.encode())
        thread.join()
        self.log("landed")

    def free(self, r):
        if not self.server.free(r):
            raise Parted("free() refuses while the transfer runs")
        self.log("freed", request=r)

    def abort(self, r):
        self.server.abort(r)
        self.log("aborted", request=r)

    def observe(self):
        server = self.server
        return {
            "page": server.owner or "free",
            "transfer": server.coming[0] if server.coming else "none",
            "phase": {r: server.phase.get(r, "new") for r in self.requests},
        }

    def seen(self, goal):
        if goal == "Isolation" and self.server.coming and self.server.owner != self.server.coming[0]:
            return f"the transfer of {self.server.coming[0]} runs, and the page is {self.server.owner or 'free'}"
        return None

    def free_run(self):
        for r in self.requests:
            self.start(r)
            if self.case.seed % 2:
                self.abort(r)
            self.land()
            self.free(r)

    def close(self):
        if self.server.coming:
            self.land()


def open_driver(case):
    return Driver(case)
'''

TEMPLATE = '''\
"""{{ english }}"""
import queue

from handover import Server


def test_{{ goal | lower }}():
    server, wires = Server(), {r: queue.Queue() for r in ("r1", "r2")}
{% for step in steps %}
{% if step.action == "Start" %}
    server.start("{{ step.params.r }}", wires["{{ step.params.r }}"])
{% elif step.action == "Abort" %}
    server.abort("{{ step.params.r }}")
{% elif step.action == "Free" %}
    server.free("{{ step.params.r }}")
{% endif %}
{% endfor %}
    writer, thread = server.coming
    owner = server.owner
    wires[writer].put(b"data")
    thread.join()
    assert owner == writer, "the page was freed under a transfer"
'''

MAPPING = {
    "variant": "before",
    "environment": "aborts",
    "events": {
        "started": {"action": "Start", "params": {"r": "request"}},
        "landed": {"action": "Land"},
        "freed": {"action": "Free", "params": {"r": "request"}},
        "aborted": {"action": "Abort", "params": {"r": "request"}},
    },
    "variables": {
        "page": {"field": "state.page"},
        "transfer": {"field": "state.transfer"},
        "phase": {"field": "state.phase", "kind": "function"},
    },
}


@dataclass(frozen=True)
class World:
    """The project, the checkouts at both commits, and the commits."""

    project: Path
    buggy: Path
    fixed: Path

    def edit(self, change) -> None:  # type: ignore[no-untyped-def]
        """Change `vstack.yaml` as data."""
        path = self.project / "vstack.yaml"
        data = yaml.safe_load(path.read_text())
        change(data)
        path.write_text(yaml.safe_dump(data, sort_keys=False))

    def driver(self, before: str, after: str) -> None:
        """Change the driver's text."""
        path = self.project / "reproduce" / "driver.py"
        assert before in path.read_text()
        path.write_text(path.read_text().replace(before, after))


def make_world(folder: Path) -> World:
    """A world in ``folder``, whose program has a space in its path."""
    buggy, fixed, project = folder / "the code", folder / "fixed", folder / "project"
    buggy.mkdir(parents=True)
    git(buggy, "init", "-q", "-b", "main")
    git(buggy, "config", "user.email", "person@example.org")
    git(buggy, "config", "user.name", "Person")
    commits = []
    for text in (BUGGY, FIXED):
        (buggy / "handover.py").write_text(text)
        git(buggy, "add", ".")
        git(buggy, "commit", "-q", "-m", "a commit")
        commits.append(git(buggy, "rev-parse", "HEAD").strip())
    git(buggy, "checkout", "-q", commits[0])
    git(buggy, "worktree", "add", "-q", str(fixed), commits[1])
    project.mkdir()
    write_project(project, "toy")
    (project / "reproduce").mkdir()
    (project / "reproduce" / "driver.py").write_text(DRIVER)
    (project / "reproduce" / "test.py.j2").write_text(TEMPLATE)
    (project / "reproduce" / "requirements.txt").write_text("# nothing but Python\n")
    world = World(project, buggy, fixed)

    def add(data) -> None:  # type: ignore[no-untyped-def]
        data["repos"] = {"code": {"url": ""}}
        for name, commit in zip(("before", "after"), commits, strict=True):
            data["variants"][name] = {**data["variants"][name], "ours": False, "commit": commit}
        cell = {"environment": "aborts", "goal": "Isolation"}
        data["reproduce"] = {
            "repo": "code",
            "driver": "reproduce/driver.py",
            "requirements": "reproduce/requirements.txt",
            "template": "reproduce/test.py.j2",
            "seconds": 60,
            "cells": [{"variant": "before", **cell}, {"variant": "after", **cell, "schedule": "before"}],
            "traces": {"along": {"goal": "Isolation"}, "free": {"seed": 3}},
        }
        data["traces"] = {name: {"log": f"traces/{name}.jsonl", **deepcopy(MAPPING)} for name in ("along", "free")}

    world.edit(add)
    return world
