"""Recover the parameters of a counterexample's actions, which TLC does not print."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vstack.errors import VstackError
from vstack.tla.actions import Action
from vstack.tla.cfg import Cfg
from vstack.tla.places import offsets
from vstack.tla.tree import ACTION_LEVEL, Apply, Node, Span, children
from vstack.tla.values import Value
from vstack.tlc.job import Budget, TlcJob
from vstack.tlc.outcome import TlcResult
from vstack.tlc.printed import printed_tuples
from vstack.tlc.replay import COUNTER, MODULE, replay_job, replayable
from vstack.tlc.run import run_tlc
from vstack.tlc.trace import INITIAL, Step, Trace
from vstack.tlc.workspace import workspace
from vstack.tools.find import Tools
from vstack.verdicts import Verdict

_LONGEST = 2_000
_SECONDS = 60.0
_TRIES = 4
_MARK = "vstack-fits"
_INNER = "vstack_in_"
_EXISTS = ("$BoundedExists", "\\E")
_ERROR_LINE = re.compile(rf"{MODULE}\.tla:(\d+)")


@dataclass(frozen=True)
class _Candidate:
    """An action that may explain some steps: where it is tried, the names recorded, the TLA+ text that tries it."""

    action: Action
    steps: tuple[int, ...]
    names: tuple[str, ...]
    text: str
    called: bool = False


def recover_parameters(trace: Trace, job: TlcJob, actions: Sequence[Action], tools: Tools) -> Trace:
    """``trace`` with the parameters of each step's action, as far as its two states determine them.

    TLC walks along the states once more, in a generated module, and for each
    step tries every action of that name with every binding of its parameters.
    A parameter that all fitting bindings agree on is filled in; others are left
    out, and ``params`` is None where none is known. A step that TLC names after
    the next-state relation gets the name of the one action that fits. Where the
    module can't be written (a state with an unlisted set, an unnamed action whose
    text needs names that are out of scope) the steps concerned stay as they are.
    """
    wanted = _wanted(trace, actions)
    if not wanted or len(trace.steps) > _LONGEST or not replayable(trace):
        return trace
    try:
        with workspace(job, tools) as place:
            texts = {name: source.text for name, source in place.sources.items()}
        candidates = [
            _candidate(action, steps, texts[action.node.span.module])
            for action, steps in wanted
            if action.node.span.module in texts
        ]
        result = _walk(trace, job, candidates, tools)
    except VstackError:
        return trace
    if result is None:
        return trace
    walked, kept = result
    fits = _fits(walked.printed, kept)
    return replace(trace, steps=tuple(_filled(step, fits.get(step.number, [])) for step in trace.steps))


def _wanted(trace: Trace, actions: Sequence[Action]) -> list[tuple[Action, tuple[int, ...]]]:
    """Each action with the numbers of the steps it may explain; none where no step leaves anything to find."""
    steps: dict[int, list[int]] = {}
    for step in trace.steps:
        if step.action == INITIAL or step.number < 2:
            continue
        exact = [index for index, action in enumerate(actions) if action.node.span == step.span]
        named = [index for index, action in enumerate(actions) if action.name == step.action]
        for index in exact or named or range(len(actions)):
            if actions[index].params or actions[index].name != step.action:
                steps.setdefault(index, []).append(step.number)
    return [(actions[index], tuple(numbers)) for index, numbers in sorted(steps.items())]


def _walk(
    trace: Trace, job: TlcJob, candidates: Sequence[_Candidate], tools: Tools
) -> tuple[TlcResult, Sequence[_Candidate]] | None:
    """TLC's walk along the trace.

    A candidate whose text SANY doesn't take is tried by its name instead, or
    left out, and the walk begins again.
    """
    for _ in range(_TRIES):
        if not candidates:
            return None
        body, first_lines = _body(candidates)
        budget = Budget(min(_SECONDS, job.budget.seconds), job.budget.heap_mb)
        walk = replay_job(trace, replace(job, budget=budget), body=body, cfg=Cfg(init="VstackInit", next="VstackNext"))
        result = run_tlc(walk, tools)
        if result.verdict is not Verdict.ERROR:
            return result, candidates
        offset = walk.extra_files[f"{MODULE}.tla"].split(body)[0].count("\n")
        lines = {int(line) - offset for line in _ERROR_LINE.findall(result.reason)}
        bad = {max((index for index, first in enumerate(first_lines) if first <= line), default=-1) for line in lines}
        if not bad - {-1}:
            return None
        tried = (_called(one) if index in bad else one for index, one in enumerate(candidates))
        candidates = [candidate for candidate in tried if candidate is not None]
    return None


def _called(candidate: _Candidate) -> _Candidate | None:
    """The candidate as a call of its definition, for a text that needs the LET around it; None where it has no name.

    A parameter that a quantifier inside the definition binds is not tried then.
    """
    action = candidate.action
    definition = action.definition
    if definition is None or definition.name != action.name or candidate.called:
        return None
    inner = inner_domains(action)
    outer = [bound for bound in action.params if bound.name not in inner]
    arguments = ", ".join(formal.name for formal in definition.params)
    call = f"{definition.name}({arguments})" if arguments else definition.name
    lines = [f"  {line}" for line in _prefix(action, [(bound.name, bound.domain_text) for bound in outer])]
    text = "\n".join([*lines, f"  IF {call} THEN @RECORD@ ELSE TRUE"])
    return replace(candidate, names=tuple(bound.name for bound in outer), text=text, called=True)


def _body(candidates: Sequence[_Candidate]) -> tuple[str, list[int]]:
    """The definitions that try each candidate, and the line (from 1) where each starts."""
    lines: list[str] = []
    starts: list[int] = []
    for index, candidate in enumerate(candidates):
        starts.append(len(lines) + 1)
        values = ", ".join(candidate.names)
        text = candidate.text.replace("@RECORD@", f'PrintT(<<"{_MARK}", {COUNTER}, {index}, <<{values}>>>>)')
        lines += f"VstackTry{index} ==\n{text}".split("\n")
    lines += ["VstackNext ==", f"  /\\ {COUNTER} < VstackLength", "  /\\ VstackStep"]
    lines += [
        f"  /\\ {COUNTER} \\in {{{', '.join(str(number - 1) for number in candidate.steps)}}} => VstackTry{index}"
        for index, candidate in enumerate(candidates)
    ]
    return "\n".join(lines), starts


def _candidate(action: Action, steps: tuple[int, ...], text: str) -> _Candidate:
    r"""The action's text under its quantifiers, columns kept, since TLA+'s bulleted lists live by them.

    Once all primed variables have values TLC takes an action as a predicate and
    stops at the first witness of ``\E``; ``\A`` with a test that prints sees
    every binding. A quantifier inside the text binds ``b`` out of sight, so its domain becomes
    ``{vstack_in_b}``, and ``vstack_in_b`` ranges over the domain outside.
    """
    inner = inner_domains(action)
    outer = [bound for bound in action.params if bound.name not in inner]
    start, end = offsets(text, action.node.span)
    body, position = " " * (action.node.span.column - 1), start
    binders: list[str] = []
    for name, span in sorted(inner.items(), key=lambda item: (item[1].line, item[1].column)):
        first, last = offsets(text, span)
        body += f"{text[position:first]}{{{_INNER}{name}}}\n{' ' * span.end_column}"
        binders.append(f"\\A {_INNER}{name} \\in ({' '.join(text[first:last].split())}) :")
        position = last
    body += text[position:end]
    lines = [f"  {line}" for line in (*_prefix(action, [(bound.name, bound.domain_text) for bound in outer]), *binders)]
    lines += ["  IF", body, "  THEN @RECORD@ ELSE TRUE"]
    names = (*(bound.name for bound in outer), *(_INNER + name for name in inner))
    candidate = _Candidate(action, steps, names, "\n".join(lines))
    whole = action.definition.body if action.definition else None
    under_let = whole is not None and whole.span != action.node.span
    return (_called(candidate) if under_let else None) or candidate


def _prefix(action: Action, outer: Sequence[tuple[str, str]]) -> list[str]:
    """The quantifiers around the action, and its formal parameters as LETs as soon as their arguments are bound."""
    formals = action.definition.params if action.definition else ()
    lets = [
        (formal.name, argument)
        for formal, argument in zip(formals, action.arguments, strict=False)
        if formal.name != argument
    ]
    words = {word for _, argument in lets for word in re.findall(r"\w+", argument)}
    last = max((index for index, (name, _) in enumerate(outer) if name in words), default=-1)
    quantifiers = [
        f"\\A {name} \\in ({' '.join(domain.split())}) :" if domain else f"\\A {name} :" for name, domain in outer
    ]
    bound = [f"LET {name} == ({' '.join(argument.split())}) IN" for name, argument in lets]
    return [*quantifiers[: last + 1], *bound, *quantifiers[last + 1 :]]


def inner_domains(action: Action) -> Mapping[str, Span]:
    """The domains of the action's own parameters that a quantifier inside its text binds, by name."""
    names = {bound.name for bound in action.params}
    found: dict[str, Span] = {}
    pending: list[Node] = [action.node]
    while pending:
        node = pending.pop()
        if isinstance(node, Apply) and node.operator.name in _EXISTS and node.level >= ACTION_LEVEL:
            for group in node.bound:
                if len(group.symbols) == 1 and group.domain is not None and group.symbols[0].name in names:
                    found.setdefault(group.symbols[0].name, group.domain.span)
        pending.extend(children(node))
    return found


_Fit = tuple[Action, Mapping[str, Value]]


def _fits(printed: Sequence[str], candidates: Sequence[_Candidate]) -> dict[int, list[_Fit]]:
    """What the walk printed, by the number of the step it explains."""
    fits: dict[int, list[_Fit]] = {}
    for entry in printed_tuples(printed, _MARK):
        _, at, index, values = entry
        assert isinstance(at, int) and isinstance(index, int) and isinstance(values, tuple)
        candidate = candidates[index]
        names = (name.removeprefix(_INNER) for name in candidate.names)
        fits.setdefault(at + 1, []).append((candidate.action, dict(zip(names, values, strict=True))))
    return fits


def _filled(step: Step, fits: Sequence[_Fit]) -> Step:
    names = {action.name for action, _ in fits}
    if len(names) != 1:
        return step
    agreed = {
        name: value
        for name, value in fits[0][1].items()
        if all(other.get(name) == value and name in other for _, other in fits)
    }
    return replace(step, action=names.pop(), params=agreed or None)
