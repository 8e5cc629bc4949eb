"""Record a trace of the real code: its driver runs along a counterexample, or freely."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from vstack.context import Context
from vstack.errors import VstackError
from vstack.project import PROJECT_FILE
from vstack.reproduce.checkout import check_checkout
from vstack.reproduce.logs import write_log
from vstack.reproduce.plan import find_schedule, reproduce_section
from vstack.reproduce.run import Order, run_driver
from vstack.validate.cells import Setting, as_items, constants_of
from vstack.validate.traces.replay import trace_mapping


def record_trace(
    context: Context, name: str, checkout: Path, python: Path, on_event: Callable[[str], None]
) -> Path:
    """Run the driver as `reproduce.traces` says for the trace ``name``, and write its log.

    Along a schedule the driver may stop where the code parts from it: what was
    recorded until then is the code's own behaviour.

    Raises:
        VstackError: the trace is not declared, the run could not be made, or it recorded nothing.
    """
    project = context.project
    mapping, section = trace_mapping(project, name), reproduce_section(project)
    if name not in section.traces:
        raise VstackError(
            f"Nothing says how the trace {name} is recorded",
            where=str(project.root / PROJECT_FILE),
            todo="Add it under `reproduce.traces`",
        )
    check_checkout(project, mapping.variant, checkout)
    recording = section.traces[name]
    own = Setting(mapping.variant, mapping.environment, (), as_items(mapping.constants))
    schedule = None
    if recording.goal is not None:
        source = Setting(recording.schedule or mapping.variant, mapping.environment, (), as_items(mapping.constants))
        schedule = find_schedule(context, source, recording.goal, on_event)
    order = Order(
        variant=mapping.variant,
        environment=mapping.environment,
        goal=recording.goal,
        constants=constants_of(project, own),
        steps=schedule.steps if schedule else (),
        settle=schedule.endless if schedule else False,
        free_run=schedule is None,
        seed=recording.seed,
    )
    on_event(f"recording {name}")
    seen = run_driver(project, checkout, python, order)
    if seen.problem is not None:
        raise VstackError(f"The trace {name} could not be recorded: {seen.problem}", where=str(project.root / section.driver))
    return write_log(project, name, seen.events)
