"""Many versions of a model in one module text: each mutated definition becomes a choice over a variable.

The variable ``vs_run``, chosen in Init and never changed, says which run a
state belongs to. Constants whose value differs between runs become choices
over it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vstack.tla.actions import Action
from vstack.tla.places import text_of
from vstack.tla.tree import Definition, Spec
from vstack.validate.mutants import Mutant, definition_text
from vstack.validate.step_goals import StepGoal
from vstack.validate.surgery import call, extended, head, renamed, spliced, without_constants

RUN_MODULE = "VsRun"
RUN = "vs_run"


@dataclass(frozen=True)
class Run:
    """One version of the model in a batch.

    ``goals`` are the names of those asked of it. ``forced`` replaces each goal
    by one that every other version would break: "this is an initial state",
    "this step changes nothing".
    """

    number: int
    goals: tuple[str, ...]
    mutant: Mutant | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    forced: bool = False


@dataclass(frozen=True)
class Registers:
    """Where a batch keeps its notes in TLC's registers.

    Each run has ``width`` of them from ``base`` on. Register 0: no step is taken
    any more; 1 to n: goal number n is open; then whether the run is closed, and
    how many distinct states it has. ``base`` and ``mark``, with which all that
    the batch prints begins, can't be foreseen by the model.
    """

    mark: str
    base: int
    goals: int

    @property
    def closed(self) -> int:
        """The register that says a run has nothing left to show."""
        return self.goals + 1

    @property
    def count(self) -> int:
        """The register that counts a run's distinct states."""
        return self.goals + 2

    @property
    def width(self) -> int:
        """Registers per run."""
        return self.goals + 3


@dataclass(frozen=True)
class Schemata:
    """The user's modules with their choices, by file name.

    ``framed`` says that the actions keep ``vs_run`` themselves; ``constants``
    are those to add to the configuration, ``switched`` those to take out.
    """

    files: dict[str, str]
    framed: bool
    constants: dict[str, str]
    switched: frozenset[str]


def model_schemata(
    spec: Spec, actions: Sequence[Action], runs: Sequence[Run], registers: Registers, steps: Sequence[StepGoal] = ()
) -> Schemata:
    """The modules of ``spec`` in all the versions that ``runs`` need, and the module ``VsRun``."""
    switched = _switched(runs)
    framed = _frame(spec, actions)
    choices: dict[int, tuple[Definition, list[Run]]] = {definition.uid: (definition, []) for definition in framed}
    for run in runs:
        for unit in run.mutant.units if run.mutant else ():
            choices.setdefault(unit.definition.uid, (unit.definition, []))[1].append(run)
    files = {}
    for module in spec.modules.values():
        if module.is_standard or module.path is None:
            continue
        here = [(definition, of) for definition, of in choices.values() if definition.module == module.name]
        frame = {definition.uid for definition in framed}
        places = [(d.span, _choice(module.text, d, of, d.uid in frame)) for d, of in here]
        declared = switched.keys() & {item.name for item in module.constants if item.module == module.name}
        places += [(step.definition.span, step.text) for step in steps if step.definition.module == module.name]
        text = without_constants(spliced(module.text, places), frozenset(declared))
        files[f"{module.name}.tla"] = extended(text, RUN_MODULE) if here or declared else text
    values = {
        name: {text: f"vs_{name}_{at}" for at, text in enumerate(dict.fromkeys(by_run.values()))}
        for name, by_run in switched.items()
    }
    numbers = {definition.name: [run.number for run in of] for definition, of in choices.values() if of}
    files[f"{RUN_MODULE}.tla"] = _run_module(registers, numbers, switched, values)
    constants = {symbol: text for texts in values.values() for text, symbol in texts.items()}
    return Schemata(files, bool(framed), constants, frozenset(switched))


def _frame(spec: Spec, actions: Sequence[Action]) -> tuple[Definition, ...]:
    """The definitions of all actions, if each has one that can be replaced; else none.

    With the frame inside them the actions keep the names that TLC reports.
    """
    found: dict[int, Definition] = {}
    for action in actions:
        definition = action.definition
        if (
            definition is None
            or definition.recursive
            or not definition.name.isidentifier()
            or not spec.has(definition.name)
            or spec.definition(definition.name).uid != definition.uid
        ):
            return ()
        found[definition.uid] = definition
    return tuple(found.values())


def _choice(source: str, definition: Definition, runs: Sequence[Run], framed: bool) -> str:
    """The definition under a name of its own, each mutant of it, and the choice between them."""
    name = definition.name
    by_mutant: dict[str, list[Run]] = {}
    for run in runs:
        assert run.mutant is not None
        by_mutant.setdefault(run.mutant.id, []).append(run)
    parts = []
    arms = []
    for at, same in enumerate(by_mutant.values(), start=1):
        mutant = same[0].mutant
        assert mutant is not None
        unit = next(unit for unit in mutant.units if unit.definition.uid == definition.uid)
        parts.append(renamed(source, definition, definition_text(unit, mutant.edits), f"vs_{at}_{name}"))
        arms.append(f"{_among(same)} -> {call(definition, f'vs_{at}_{name}')}")
    original = call(definition, f"vs_0_{name}")
    chosen = original
    if arms:
        chosen = f"IF {RUN} \\notin vs_runs_{name} THEN {original} ELSE CASE {' [] '.join(arms)} [] OTHER -> {original}"
    frame = f"vs_open /\\ {RUN}' = {RUN} /\\ ({chosen})" if framed else chosen
    return "\n".join(
        [
            renamed(source, definition, text_of(source, definition.span), f"vs_0_{name}"),
            *parts,
            head(source, definition, name),
            f"    {frame}",
            "",
        ]
    )


def _among(runs: Sequence[Run]) -> str:
    if len(runs) == 1:
        return f"{RUN} = {runs[0].number}"
    return f"{RUN} \\in {number_set([run.number for run in runs])}"


def number_set(numbers: Sequence[int]) -> str:
    """``{1, 2, 3}``."""
    return "{" + ", ".join(str(number) for number in numbers) + "}"


def _switched(runs: Sequence[Run]) -> dict[str, dict[int, str]]:
    """The constants that differ between runs: name to run number to text."""
    names = dict.fromkeys(name for run in runs for name in run.constants)
    by_name = {name: {run.number: run.constants[name] for run in runs} for name in names}
    return {name: by_run for name, by_run in by_name.items() if len(set(by_run.values())) > 1}


def _run_module(
    registers: Registers,
    numbers: Mapping[str, Sequence[int]],
    switched: Mapping[str, Mapping[int, str]],
    values: Mapping[str, Mapping[str, str]],
) -> str:
    lines = [
        f"---- MODULE {RUN_MODULE} ----",
        "LOCAL INSTANCE Naturals",
        "LOCAL INSTANCE TLC",
        f"VARIABLE {RUN}",
        f"vs_slot(vs_r, vs_s) == {registers.base} + vs_r * {registers.width} + vs_s",
        "vs_get(vs_r, vs_s) == TLCGet(vs_slot(vs_r, vs_s))",
        "vs_set(vs_r, vs_s, vs_v) == TLCSet(vs_slot(vs_r, vs_s), vs_v)",
        f"vs_at(vs_s) == vs_get({RUN}, vs_s)",
        f"vs_put(vs_s, vs_v) == vs_set({RUN}, vs_s, vs_v)",
        f'vs_say(vs_v) == PrintT(<<"{registers.mark}", vs_v>>)',
        f"vs_tally == vs_put({registers.count}, vs_at({registers.count}) + 1)",
        f"vs_more(vs_n) == vs_at({registers.count}) > vs_n",
        "vs_open == ~vs_at(0)",
    ]
    lines += [f"vs_runs_{name} == {number_set(sorted(set(of)))}" for name, of in numbers.items()]
    symbols = [symbol for texts in values.values() for symbol in texts.values()]
    lines += [f"CONSTANTS {', '.join(symbols)}"] if symbols else []
    for name, by_run in switched.items():
        arms = []
        for text, symbol in values[name].items():
            of = [number for number, value in by_run.items() if value == text]
            lines.append(f"vs_of_{symbol} == {number_set(of)}")
            arms.append(f"{RUN} \\in vs_of_{symbol} -> {symbol}")
        lines.append(f"{name} == CASE {' [] '.join(arms)}")
    return "\n".join([*lines, "====", ""])
