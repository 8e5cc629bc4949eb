"""One TLC process: a private folder, a clean environment, a budget, and a result that says what it proves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from vstack.process import Finished, run
from vstack.tlc.collect import Collector
from vstack.tlc.job import Requirements, TlcJob
from vstack.tlc.outcome import Outcome, TlcResult
from vstack.tlc.progress import Progress
from vstack.tlc.trace import Trace, read_trace
from vstack.tlc.verdict import decide
from vstack.tlc.workspace import Workspace, workspace
from vstack.tools.find import Tools
from vstack.tools.java import clean_environment
from vstack.verdicts import Verdict

KEPT_LINES = 200
# With -continue there may be a violation per state; each trace is as long as the search is deep.
_KEPT_TRACES = 100


def command_line(job: TlcJob, tools: Tools, place: Workspace) -> tuple[str, ...]:
    """The exact command for ``job`` in its folder."""
    command = [
        *jvm(job, tools, place.temporary),
        "tlc2.TLC",
        "-tool",
        "-workers",
        str(job.workers),
        "-fp",
        str(job.fingerprint),
        # TLC 2.15 crashes when it writes a checkpoint of a behaviour of 65,536 states or more.
        "-checkpoint",
        "0",
        "-metadir",
        str(place.metadir),
        "-config",
        str(place.config),
    ]
    command += ["-coverage", "1"] if job.coverage else []
    command += [] if job.check_deadlock else ["-deadlock"]
    command += ["-continue"] if job.continue_after_violation else []
    return (*command, place.root)


def jvm(job: TlcJob, tools: Tools, temporary: Path, *properties: str) -> tuple[str, ...]:
    """How a JVM with TLC's jar is started: heap, own temp folder, an end at once where the heap is exhausted."""
    return (
        *tools.java,
        f"-Xmx{job.budget.heap_mb}m",
        "-XX:+UseSerialGC" if job.brief else "-XX:+UseParallelGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-Dfile.encoding=UTF-8",
        f"-Djava.io.tmpdir={temporary}",
        *(("-XX:TieredStopAtLevel=1",) if job.brief else ()),
        *properties,
        "-cp",
        str(tools.jar),
    )


def run_once(
    job: TlcJob, tools: Tools, requirements: Requirements, on_progress: Callable[[Progress], None] | None
) -> TlcResult:
    """Run TLC once on ``job``; see ``vstack.tlc.run`` for what is raised.

    Nothing is left running, and no file, on any way out.
    """
    started = monotonic()
    with workspace(job, tools) as place:
        command = command_line(job, tools, place)
        seen = Collector(on_progress)
        finished = run(
            command,
            cwd=place.folder,
            env=clean_environment(place.temporary),
            seconds=job.budget.seconds,
            on_line=seen.line,
            on_tick=seen.tick,
            keep_lines=KEPT_LINES,
        )
        outcome = decide(seen, finished, job, requirements, place, tools)
    return make_result(seen, finished, outcome, job, command, tools, monotonic() - started)


def make_result(
    seen: Collector,
    finished: Finished,
    outcome: Outcome,
    job: TlcJob,
    command: tuple[str, ...],
    tools: Tools,
    seconds: float,
) -> TlcResult:
    """The result of a run whose outcome is known, with what was seen of it on the way."""
    traces: tuple[Trace, ...] = ()
    if outcome.verdict is Verdict.VIOLATED:
        read = (read_trace(violation.message, violation.following) for violation in seen.violations[:_KEPT_TRACES])
        traces = tuple(trace for trace in read if trace)
    latest = seen.last_progress
    generated, distinct, queue = seen.final or (
        (latest.generated, latest.distinct, latest.queue) if latest else (0, 0, 0)
    )
    return TlcResult(
        verdict=outcome.verdict,
        reason=outcome.reason,
        violated=outcome.violated,
        kind=outcome.kind,
        trace=traces[0] if traces else None,
        traces=traces,
        shortest=job.workers == 1 and outcome.kind not in (None, "temporal"),
        distinct=distinct,
        generated=generated,
        queue=queue,
        depth=seen.depth,
        fired=seen.coverage.fired(),
        seconds=seconds,
        returncode=finished.returncode,
        command=command,
        tlc_version=tools.tlc_version,
        warnings=tuple(seen.warnings),
        output_tail="".join(seen.tail) + finished.stderr,
        printed=tuple(seen.printed),
        where=outcome.where,
    )
