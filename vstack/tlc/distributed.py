"""Distributed TLC: the jar's own server here, and its workers here or on other machines."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic

from vstack.errors import VstackError
from vstack.process import Finished, run
from vstack.sections import Distributed
from vstack.tlc.collect import Collector
from vstack.tlc.job import Budget, Requirements, TlcJob
from vstack.tlc.outcome import Outcome, TlcResult
from vstack.tlc.progress import Progress
from vstack.tlc.run import run_tlc
from vstack.tlc.single import KEPT_LINES, jvm, make_result
from vstack.tlc.verdict import decide
from vstack.tlc.workspace import Workspace, workspace
from vstack.tools.find import Tools
from vstack.tools.java import clean_environment
from vstack.verdicts import Verdict

_SERVER = "tlc2.tool.distributed.TLCServer"
_WORKER = "tlc2.tool.distributed.TLCWorker"
_PORT = "-Dtlc2.tool.distributed.TLCServer.port={port}"
# Workers end by themselves when the search is over, a little before the server or after it.
_LEAVE_SECONDS = 3.0
_SERVER_SECONDS = 30.0


def run_distributed(
    job: TlcJob,
    tools: Tools,
    machines: Distributed,
    *,
    requirements: Requirements | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> TlcResult:
    """Check the invariants of ``job`` with the jar's server on this machine and its workers on ``machines``.

    Server and workers of TLC 2.15 print no coverage, so that a run with
    required actions can't come out as ``holds``. They say nothing of what was
    violated, exit with 0 after it, and print the end of the behaviour only: the
    violation is found again on this machine alone, within the time left.
    Where it isn't, the verdict is ``undecided``, and the reason says so.

    Raises:
        VstackError: there is no worker, or the configuration has a PROPERTY,
            which the server leaves unchecked without a word.
    """
    if not machines.local_workers and not machines.hosts:
        raise VstackError(
            "Distributed TLC has no workers", todo="Give local_workers or hosts under distributed in vstack.yaml"
        )
    if job.cfg.properties:
        raise VstackError(
            f"Distributed TLC does not check temporal properties ({', '.join(job.cfg.properties)}), and says nothing of it",
            todo="Check them on one machine, or state them as invariants",
        )
    needed = requirements or Requirements()
    result, unnamed = _serve(replace(job, coverage=False), tools, machines, needed, on_progress)
    if not unnamed:
        return result
    left = max(job.budget.seconds - result.seconds, 1.0)
    alone = run_tlc(
        replace(job, budget=Budget(left, job.budget.heap_mb)), tools, requirements=needed, on_progress=on_progress
    )
    seconds = result.seconds + alone.seconds
    if alone.verdict is Verdict.VIOLATED:
        return replace(alone, seconds=seconds)
    reason = "a distributed worker found a violation that TLC does not name, and one machine alone did not find it"
    return replace(result, verdict=Verdict.UNDECIDED, reason=f"{reason}: {alone.reason}", seconds=seconds)


def _serve(
    job: TlcJob,
    tools: Tools,
    machines: Distributed,
    requirements: Requirements,
    on_progress: Callable[[Progress], None] | None,
) -> tuple[TlcResult, bool]:
    """One run of server and workers, and whether a worker reported a violation."""
    started = monotonic()
    port = _free_port()
    with workspace(job, tools) as place:
        command = _server_command(job, tools, machines, place, port)
        seen = Collector(on_progress)
        with _workers(job, tools, machines, place, port) as lost:
            finished = run(
                command,
                cwd=place.folder,
                env=clean_environment(place.temporary),
                seconds=job.budget.seconds,
                on_line=seen.line,
                on_tick=lambda: seen.tick() or lost(),
                keep_lines=KEPT_LINES,
            )
        if seen.unnamed_violation:
            outcome = Outcome(Verdict.UNDECIDED, "a distributed worker found a violation that TLC does not name")
        else:
            outcome = decide(seen, finished, job, requirements, place, tools)
    return make_result(seen, finished, outcome, job, command, tools, monotonic() - started), seen.unnamed_violation


def _server_command(job: TlcJob, tools: Tools, machines: Distributed, place: Workspace, port: int) -> tuple[str, ...]:
    properties = (_PORT.format(port=port), f"-Djava.rmi.server.hostname={machines.server}")
    options = ("-tool", "-checkpoint", "0", "-metadir", str(place.metadir), "-config", str(place.config))
    flags = () if job.check_deadlock else ("-deadlock",)
    return (*jvm(job, tools, place.temporary, *properties), _SERVER, *options, *flags, place.root)


def _worker_commands(
    job: TlcJob, tools: Tools, machines: Distributed, port: int, folders: list[Path]
) -> list[tuple[str, ...]]:
    """One command per worker; a host's is wrapped in ``launch`` and uses the same paths to Java and jar there."""
    one = (_PORT.format(port=port), "-Dtlc2.tool.distributed.TLCWorker.threadCount=1")
    local = [
        (*jvm(job, tools, folder, *one, "-Djava.rmi.server.hostname=127.0.0.1"), _WORKER, machines.server)
        for folder in folders
    ]
    remote = [
        (
            *(part.format(host=host) for part in machines.launch),
            *jvm(job, tools, Path("/tmp"), _PORT.format(port=port), f"-Djava.rmi.server.hostname={host}"),
            _WORKER,
            machines.server,
        )
        for host in machines.hosts
    ]
    return local + remote


@contextmanager
def _workers(
    job: TlcJob, tools: Tools, machines: Distributed, place: Workspace, port: int
) -> Iterator[Callable[[], str | None]]:
    """Start the workers; end them with the block. What is yielded says when none of them is left."""
    folders = [Path(tempfile.mkdtemp(prefix="worker-", dir=place.folder)) for _ in range(machines.local_workers)]
    over = threading.Event()
    ends: list[Finished] = []
    gone: list[float] = []
    commands = _worker_commands(job, tools, machines, port, folders)

    def work(command: tuple[str, ...]) -> None:
        ends.append(
            run(
                command,
                cwd=place.folder,
                env=clean_environment(place.temporary),
                seconds=job.budget.seconds + _LEAVE_SECONDS,
                on_tick=lambda: "the server has ended" if over.is_set() else None,
                keep_lines=KEPT_LINES,
            )
        )

    def lost() -> str | None:
        if len(ends) < len(commands):
            return None
        gone.append(monotonic())
        if monotonic() - gone[0] < _SERVER_SECONDS and not any(end.returncode for end in ends):
            return None
        said = " ".join((ends[0].stderr + ends[0].stdout).split())[-300:]
        return f"all distributed workers ended before the server: {said}"

    threads = [threading.Thread(target=work, args=(command,), daemon=True) for command in commands]
    try:
        for thread in threads:
            thread.start()
        yield lost
        for thread in threads:
            thread.join(timeout=_LEAVE_SECONDS)
    finally:
        over.set()
        for thread in threads:
            thread.join()
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])
