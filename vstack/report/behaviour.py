"""A counterexample read for people: its steps with process, English, parameters, changes and code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from vstack.report.tags import fill, plain, read_tags
from vstack.report.values import Difference, differences, show
from vstack.results import CaseReport, Evidence
from vstack.tlc import trace

ENVIRONMENT = "environment"
MODEL = "model"


@dataclass(frozen=True)
class Code:
    """A place in the real code: ``text`` is ``repo:path:first-last@commit``, ``url`` its page if known."""

    text: str
    url: str | None


@dataclass(frozen=True)
class Step:
    """One step of a behaviour; ``number`` counts from 1, the initial state being 0.

    ``label`` is the action with its parameters, ``process`` who takes it (the
    lane), ``english`` what it does, ``elsewhere`` that its code is at other
    commits only than that of the variant; ``starts``, ``lands``, ``sends`` and
    ``receives`` are the keys of transfers and messages, parameters filled in.
    """

    number: int
    action: str
    label: str
    process: str
    environment: bool
    english: str
    params: tuple[tuple[str, str], ...]
    changes: tuple[Difference, ...]
    state: tuple[tuple[str, str], ...]
    code: tuple[Code, ...]
    elsewhere: bool
    where: str
    starts: tuple[str, ...] = ()
    lands: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    receives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Behaviour:
    """A counterexample: the initial state, the steps after it, how it ends, and the goal it breaks.

    ``loop_to`` is the number of the step whose state the run returns to, again and
    again (0 for the initial state); ``stuttering`` says that after the last step nothing ever happens.
    ``values`` are the variables that the goal speaks of, at the end.
    """

    initial: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    loop_to: int | None
    stuttering: bool
    goal: str
    goal_english: str
    values: tuple[tuple[str, str], ...]
    lanes: tuple[str, ...]

    @property
    def loop_steps(self) -> tuple[Step, ...]:
        """The steps of the loop (empty without one)."""
        if self.loop_to is None:
            return ()
        return tuple(step for step in self.steps if step.number > self.loop_to)


def read_behaviour(evidence: Evidence, report: CaseReport) -> Behaviour | None:
    """The counterexample in ``evidence``, or None where the run recorded none."""
    if not evidence.trace:
        return None
    recorded = trace.Trace.from_json(evidence.trace)
    first, last = recorded.steps[0], recorded.steps[-1]
    commit = report.variant_commits.get(str(evidence.subject.get("variant", "")))
    pairs = enumerate(pairwise(recorded.steps), start=1)
    steps = tuple(_step(number, *pair, report, commit) for number, pair in pairs)
    name = evidence.violated or str(evidence.subject.get("goal", ""))
    goal = next((row for row in report.goals if row.name == name), None)
    return Behaviour(
        initial=_state(first),
        steps=steps,
        loop_to=None if recorded.loop_to is None else recorded.loop_to - first.number,
        stuttering=recorded.stuttering,
        goal=name,
        goal_english=goal.english.strip() if goal else "",
        values=_spoken_of([goal.formula, *goal.helpers] if goal else [], last, steps),
        lanes=_lanes(steps, report),
    )


def _step(number: int, before: trace.Step, now: trace.Step, report: CaseReport, commit: str | None) -> Step:
    about = report.actions.get(now.action, {})
    params = {name: show(value) for name, value in (now.params or {}).items()}
    bare = {name: plain(value) for name, value in (now.params or {}).items()}
    environment = bool(about.get("environment"))
    code = _code(about.get("anchors") or (), commit)
    changed = (differences(name, before.state[name], value) for name, value in now.state.items())
    return Step(
        number=number,
        action=now.action,
        label=f"{now.action}({', '.join(params.values())})" if params else now.action,
        process=str(about.get("process") or (ENVIRONMENT if environment else MODEL)),
        environment=environment,
        english=_english(about.get("english"), now.action, bare),
        params=tuple(params.items()),
        changes=tuple(part for parts in changed for part in parts),
        state=_state(now),
        code=code,
        elsewhere=bool(about.get("anchors")) and not code,
        where=f"{now.span.module}.tla:{now.span.line}" if now.span else "",
        **{key: read_tags(about.get(key), bare, before.state, now.state) for key in _TRAFFIC},
    )


def _code(anchors: Sequence[Mapping[str, Any]], commit: str | None) -> tuple[Code, ...]:
    """The anchors at the commit of the variant that ran; all where the variant has no commit."""
    places = [Code(str(item["text"]), item.get("url")) for item in anchors]
    return tuple(place for place in places if commit is None or _same(place.text.rpartition("@")[2], commit))


def _same(one: str, other: str) -> bool:
    """Whether two commits, either of which may be cut short, are one."""
    return one.startswith(other) or other.startswith(one)


_TRAFFIC = ("starts", "lands", "sends", "receives")


def unfilled(english: str) -> str:
    """An action's English with ``{name}`` shown as the bare name, for where no step gives it a value."""
    return re.sub(r"\{(\w+)\}", r"\1", english)


def _english(text: Any, action: str, params: Mapping[str, str]) -> str:
    """The model's comment with its parameters filled in, or the action's name taken apart.

    A parameter is written ``{name}``; one whose name is a letter that is no
    English word may stand bare ("the client sends request r").
    """
    words = " ".join(str(text or "").split())
    if not words:
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", action).capitalize() + "."
    for name, value in params.items():
        words = words.replace("{" + name + "}", value)
    words = fill(unfilled(words), {name: value for name, value in params.items() if re.fullmatch("[b-z]", name)})
    return words if words.endswith((".", "!", "?")) else words + "."


def _state(step: trace.Step) -> tuple[tuple[str, str], ...]:
    return tuple((name, show(value)) for name, value in step.state.items())


def _spoken_of(formulas: Sequence[str], last: trace.Step, steps: tuple[Step, ...]) -> tuple[tuple[str, str], ...]:
    """The variables that the goal's formulas name; if they name none, those that the last step changed."""
    words = {word for formula in formulas for word in re.findall(r"\w+", formula)}
    names = [name for name in last.state if name in words]
    if not names and steps:
        touched = {re.split(r"[\[. ]", change.place)[0] for change in steps[-1].changes}
        names = [name for name in last.state if name in touched]
    return tuple((name, show(last.state[name])) for name in names)


def _lanes(steps: tuple[Step, ...], report: CaseReport) -> tuple[str, ...]:
    """The processes that act or are sent to, in the project's order, the environment first."""
    seen = dict.fromkeys(step.process for step in steps)
    for step in steps:
        for sent in step.sends:
            if " to " in sent:
                seen.setdefault(sent.rsplit(" to ", 1)[1].strip())
    known = [name for name in report.processes if name in seen]
    rest = [name for name in seen if name not in known]
    return tuple(sorted([*known, *rest], key=lambda name: name != ENVIRONMENT))
