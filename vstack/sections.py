"""The sections of `vstack.yaml`, as typed, frozen models."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Constants = dict[str, str]
# Limits and floors of a run: a month of wall-clock time is no limit any more.
Seconds = Annotated[float, Field(gt=0, le=2_678_400, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, lt=2**63)]


def _day(value: object) -> object:
    """A day as YAML reads it, or its text; pydantic alone would take a number for seconds since 1970."""
    if (isinstance(value, date) and not isinstance(value, datetime)) or (
        isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value)
    ):
        return value
    raise ValueError(f"`{value}` is no day; write YYYY-MM-DD, for example 2027-01-31")


class Section(BaseModel):
    """A part of `vstack.yaml`: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Repo(Section):
    """A repository that anchors point into; `url` is what git can fetch.

    `here` says that it is the project's own repository: the code lies beside the model. Its anchors
    name commits of its own history, and must hold in the working tree too.
    """

    url: str = ""
    here: bool = False


class Model(Section):
    """The TLA+ model: root module, its operators, and the constants common to all runs (TLA+ text).

    ``fairness_excuse`` says why the specification has a temporal conjunct that is no fairness of an action.
    ``choices`` says of a definition why its CHOOSE leaves no step of the code out,
    ``partial`` of an action why it does not happen for each value of its parameters
    (`floors.every_value`).
    """

    module: str
    init: str = "Init"
    next: str = "Next"
    spec: str = "Spec"
    config: str | None = None
    constants: Constants = {}
    overrides: dict[str, str] = {}
    model_values: list[str] = []
    constraints: list[str] = []
    action_constraints: list[str] = []
    symmetry: str | None = None
    view: str | None = None
    check_deadlock: bool = False
    fairness_excuse: str | None = None
    choices: dict[str, str] = {}
    partial: dict[str, str] = {}


class Proof(Section):
    """How the theorem of a goal is proved; see docs/tlaps.md.

    ``obligations`` is the floor on all obligations of the proof's modules,
    ``modules`` names modules that the proof must reach, ``backends`` the pragmas
    that its steps may name (by default those of `vstack.verify.tlaps_backends`),
    ``stretch`` multiplies the back-ends' time limits, ``seconds`` bounds one
    module's run, ``transcript`` is a recorded run for where tlapm is missing.
    """

    obligations: Count = 1
    modules: list[str] = []
    backends: list[str] = []
    stretch: float = Field(default=1, gt=0, le=100)
    seconds: Seconds = 600
    transcript: str | None = None


class Goal(Section):
    """A named requirement: English, sources, and the formula that states it.

    ``excuse`` says why nothing can break it, where nothing does. The formula of
    a theorem is its name in ``module``, the file of the proof. ``witnesses``
    names state formulas that must come true wherever the goal is to hold;
    ``excuse_vacuous`` says why one of them, or a condition of the formula, need
    not, ``excuse_unique`` why no mistake is noticed by this goal alone.
    """

    kind: Literal["invariant", "action", "temporal", "theorem", "z3"] = "invariant"
    family: Literal["isolation", "integrity", "finality", "conservation"] | None = None
    formula: str | None = None
    module: str | None = None
    english: str
    sources: list[str] = []
    script: str | None = None
    excuse: str | None = None
    witnesses: list[str] = []
    excuse_vacuous: str | None = None
    excuse_unique: str | None = None
    proof: Proof = Proof()

    @property
    def is_searched(self) -> bool:
        """Whether TLC decides it by search: what a matrix, a guard and a mutant speak of."""
        return self.kind in ("invariant", "action", "temporal")


class Environment(Section):
    """A setting of the environment's knobs: which faults and freedoms the world has.

    ``lacks`` names the actions that can't fire in it; every other action must.
    ``fair`` names the environment's actions that the specification makes happen in it.
    """

    english: str
    constants: Constants = {}
    lacks: list[str] = []
    fair: list[str] = []


class Guard(Section):
    """One condition that a fix added, switched by a BOOLEAN constant of the model."""

    constant: str
    english: str
    anchors: list[str] = []
    excuse: str | None = None


class Variant(Section):
    """One revision of the code as the model sees it: the set of guards it has.

    ``lacks`` names the actions of the model that this revision does not have; in a
    run that is to hold, every other action must fire.
    """

    english: str
    commit: str | None = None
    ours: bool = False
    guards: list[str] = []
    constants: Constants = {}
    lacks: list[str] = []


class Kill(Section):
    """One guard taken away alone from `variant`: these goals must fail."""

    guard: str
    variant: str
    environment: str
    violates: list[str]
    constants: Constants = {}
    excuse: str | None = None


class Waiver(Section):
    """A known violation of a cell that is to hold, accepted until a date (UTC, that day included).

    ``state`` names a state formula: only states in which it is true may break
    the goal (a temporal goal: only behaviours that come to one). ``steps`` are
    the names of the actions of the shortest counterexample, the one that breaks
    the goal last; a temporal goal has none.
    """

    variant: str
    environment: str
    goal: str
    state: str
    steps: list[str] = []
    reason: str
    until: Annotated[date, BeforeValidator(_day)]


class ScopeEntry(Section):
    """Code that the models speak for."""

    repo: str
    path: str
    functions: list[str] = []


class Omission(Section):
    """Code or behaviour left out of the models, with its reason."""

    what: str
    reason: str


class Floors(Section):
    """What a run must reach before `holds` counts.

    ``states`` has the least number of distinct states of a complete run by
    variant and environment, above ``distinct_states``, which is for all of them.
    With ``every_value`` each action must happen for each value of its parameters
    in some run of the matrix.
    """

    distinct_states: Count = 1
    mutants: Count = 0
    states: dict[str, dict[str, Count]] = {}
    every_value: bool = False

    def of(self, variant: str | None, environment: str | None) -> int:
        """The least number of distinct states of a complete run."""
        return max(self.distinct_states, self.states.get(variant or "", {}).get(environment or "", 0))


class Budget(Section):
    """Limits of one engine run: wall-clock seconds and Java heap in MiB.

    ``brief`` says that runs take seconds: the JVM then spends less on starting, and searches slower.
    """

    seconds: Seconds = 600
    heap_mb: int = Field(default=1024, ge=1, le=4_194_304)
    brief: bool = False


class Mutation(Section):
    """The automatic mutants: from which variant and environments, and how many at the most."""

    variant: str
    environments: list[str]
    operators: list[str] = []
    excuses: dict[str, str] = {}


class Atomicity(Section):
    """What may not stand inside an action's anchored code, besides `await` and lock releases."""

    calls: list[str] = []
    excuses: dict[str, str] = {}


class TraceField(Section):
    """A field of an event as a TLA+ value.

    ``field`` is a dotted path into the event. ``kind`` says how its JSON reads:
    ``value`` (numbers, booleans, strings; a string that names a model value is
    that model value; a list is a sequence, an object a record), ``set`` (a list
    is a set), ``function`` (an object, or a list of [key, value] pairs, is a function).
    """

    field: str
    kind: Literal["value", "set", "function"] = "value"
    optional: bool = False


class TraceEvent(Section):
    """The model action that an event records, its parameters, and what else it says of the state after it.

    ``variables`` is as in ``TraceMapping``, for this event alone; its
    expressions may speak of the action's parameters.
    """

    action: str
    params: dict[str, str | TraceField] = {}
    variables: dict[str, str | TraceField] = {}


class TraceMapping(Section):
    """How the events of a recorded log (JSON lines) map to actions and variables of the model.

    Order: by ``clock`` where that field is given; else events of one ``thread``
    in the order of the log, after the events whose ``id`` their ``causes`` name,
    and otherwise in any order; without ``thread`` the log's order is the order.
    ``variables`` maps variables (or state expressions of the model) to the
    fields that hold their value after the event. ``ignore`` maps events that
    the model does not speak of to the reason; ``silent`` names actions that may
    happen without an event.
    """

    log: str
    variant: str
    environment: str
    constants: Constants = {}
    event: str = "event"
    clock: str | None = None
    thread: str | None = None
    id: str = "id"
    causes: str = "causes"
    events: dict[str, TraceEvent]
    variables: dict[str, str | TraceField] = {}
    ignore: dict[str, str] = {}
    silent: list[str] = []


class DrivenCell(Section):
    """A cell that is driven on the real code: the counterexample of ``schedule`` (by default its own variant's).

    With the schedule of another variant the code must part from it: that is
    what ``schedule`` is for.
    """

    variant: str
    environment: str
    goal: str
    schedule: str | None = None


class UndrivenCells(Section):
    """Violated cells that are not driven, and why: all of ``variant``, or those of an environment or a goal."""

    variant: str
    environment: str | None = None
    goal: str | None = None
    why: str


class Recording(Section):
    """How a trace is recorded: along the counterexample to ``goal`` of the variant ``schedule`` (by default the trace's own).

    Without ``goal`` the driver runs freely, by its own workload of ``seed``.
    """

    goal: str | None = None
    schedule: str | None = None
    seed: int = 1


class Reproduce(Section):
    """How counterexamples are driven through the real code; see docs/reproduce.md.

    ``driver`` is a Python module that runs in the code's own interpreter, with
    the folders ``pythonpath`` of the checkout of ``repo`` importable and the
    environment ``variables`` set, for at most ``seconds`` a run.
    ``constants`` may give the schedule smaller bounds, ``choices`` passes on
    what the model chooses inside an action (`variable` or `variable[param]`
    after the step), ``variants`` gives the driver settings of each variant,
    ``traces`` says how each trace that the driver records comes about.
    """

    repo: str
    driver: str
    requirements: str | None = None
    without_dependencies: str | None = None
    pythonpath: list[str] = ["."]
    variables: dict[str, str] = {}
    seconds: Seconds = 120
    constants: Constants = {}
    choices: dict[str, dict[str, str]] = {}
    variants: dict[str, dict[str, Any]] = {}
    template: str | None = None
    traces: dict[str, Recording] = {}
    cells: list[DrivenCell] = []
    not_driven: list[UndrivenCells] = []


class Distributed(Section):
    """Distributed TLC: the jar's own server here, and its workers."""

    server: str = "127.0.0.1"
    local_workers: int = Field(default=0, ge=0, le=1024)
    hosts: list[str] = []
    launch: list[str] = ["ssh", "{host}"]


class ApalacheGoal(Section):
    """How Apalache checks a goal: up to ``length`` steps, or by the inductive ``invariant``, an operator of the model."""

    mode: Literal["bounded", "inductive"] = "bounded"
    length: int | None = Field(default=None, ge=1, le=10_000)
    invariant: str | None = None


class Apalache(Section):
    """Goals that Apalache checks in each cell of the matrix that asks for them; see docs/apalache.md.

    ``cinit`` is the operator that chooses the constants (`--cinit`);
    ``transcript`` holds recorded runs for where Apalache is missing, which are
    attested at most. With ``required: false`` a cell that it could not decide
    here is shown, and the outcome rests on the other engines.
    """

    goals: dict[str, ApalacheGoal]
    length: int = Field(default=10, ge=1, le=10_000)
    cinit: str | None = None
    transcript: str | None = None
    required: bool = True


class ToolPaths(Section):
    """Tools that the user names instead of those that come with the package."""

    tlc_jar: str | None = None
    java: str | None = None
    tlapm: str | None = None
    apalache: str | None = None
