"""A behaviour as a generated module: its states as data, a counter that walks along them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vstack.tla.cfg import Assignment, Cfg
from vstack.tla.values import FnValue, ModelValue, Symbolic, Value, format_value
from vstack.tlc.job import TlcJob
from vstack.tlc.trace import Trace

MODULE = "VstackReplay"
COUNTER = "vstack_at"
# A model value that a configuration only mentions in a set can't be named in a module:
# a constant of the generated module is set to it instead.
_MODEL_VALUE = "vstack_mv_"


def replayable(trace: Trace) -> bool:
    """Whether the states can be written as data: no set that TLC printed without listing it."""
    return not any(_has_symbolic(value) for step in trace.steps for value in step.state.values())


def replay_job(trace: Trace, job: TlcJob, *, body: str, cfg: Cfg) -> TlcJob:
    """A job on a generated module that extends ``job``'s module and holds ``trace`` as ``VstackTrace``.

    The module defines ``VstackInit`` (the first state), ``VstackStep`` (to the
    next state, by number) and ``VstackLength``; ``body`` is added to it.
    ``cfg`` says what to check; its constants are completed with the model's.
    """
    names = sorted({name for step in trace.steps for name in step.state})
    values = sorted({found for step in trace.steps for value in step.state.values() for found in _model_values(value)})
    rows = ",\n  ".join(
        "[" + ", ".join(f"{name} |-> {format_value(_renamed(value))}" for name, value in step.state.items()) + "]"
        for step in trace.steps
    )
    declared = f"CONSTANTS {', '.join(_MODEL_VALUE + value for value in values)}\n" if values else ""
    first = " /\\ ".join(f"{name} = VstackTrace[1].{name}" for name in names)
    after = " /\\ ".join(f"{name}' = VstackTrace[{COUNTER} + 1].{name}" for name in names)
    text = f"""---- MODULE {MODULE} ----
EXTENDS {job.module.stem}, Naturals, TLC
{declared}VARIABLE {COUNTER}
VstackTrace == <<
  {rows}
>>
VstackLength == {len(trace.steps)}
VstackInit == {COUNTER} = 1 /\\ {first}
VstackStep == {COUNTER}' = {COUNTER} + 1 /\\ {after}
{body}
====
"""
    constants = (*job.cfg.constants, *(Assignment(_MODEL_VALUE + value, value) for value in values))
    return replace(
        job,
        module=job.module.with_name(f"{MODULE}.tla"),
        cfg=replace(cfg, constants=constants),
        extra_files={**job.extra_files, f"{MODULE}.tla": text},
        workers=1,
        check_deadlock=False,
        coverage=False,
        continue_after_violation=False,
        brief=True,
    )


def _children(value: Value) -> Iterable[Value]:
    if isinstance(value, FnValue):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, (tuple, frozenset)) else ()


def _model_values(value: Value) -> Iterable[str]:
    if isinstance(value, ModelValue):
        yield value.name
    for child in _children(value):
        yield from _model_values(child)


def _has_symbolic(value: Value) -> bool:
    return isinstance(value, Symbolic) or any(_has_symbolic(child) for child in _children(value))


def _renamed(value: Value) -> Value:
    if isinstance(value, ModelValue):
        return ModelValue(_MODEL_VALUE + value.name)
    if isinstance(value, FnValue):
        return type(value)((_renamed(key), _renamed(item)) for key, item in value.items())
    if isinstance(value, tuple):
        return tuple(_renamed(item) for item in value)
    return frozenset(_renamed(item) for item in value) if isinstance(value, frozenset) else value
