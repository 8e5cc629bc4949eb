"""Rule, where `floors.every_value` asks for it: each action happens for each value of its parameters in some case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vstack.errors import VstackError
from vstack.project import PROJECT_FILE
from vstack.results import Finding
from vstack.tla.actions import Action
from vstack.tla.tree import Spec
from vstack.tla.values import format_value, parse_value
from vstack.tlc.parameters import inner_domains
from vstack.validate.cells import Setting, constants_of, lacking
from vstack.validate.runs import Runner
from vstack.validate.witnesses import Witness, come_to

_MOST = 16


def run_instances(runner: Runner, spec: Spec) -> tuple[Finding, ...]:
    r"""Values that an action's parameter never has in a step, in any case of the matrix: what a narrowed choice leaves out.

    Looked at are parameters that the next-state relation binds over a constant
    or a set written out, of numbers, strings or BOOLEAN. Model values are not:
    without CHOOSE (which `choices` refuses) a model treats them all alike. One
    run after the other is asked for what is still open, from the variant with
    the most guards on, and each ends when it has come to all it was asked for.
    """
    if not runner.project.file.floors.every_value:
        return ()
    seen: dict[Instance, None] = {}
    reached: set[Instance] = set()
    undecided: set[Instance] = set()
    for setting in _settings(runner):
        asked = {
            instance: _witness(instance, place)
            for place, instance in enumerate(_instances(runner, spec, setting))
            if instance not in reached
        }
        seen |= dict.fromkeys(asked)
        if not asked:
            continue
        answer = come_to(runner, spec, setting, tuple(asked.values()))
        if answer is None:
            undecided |= asked.keys()
        else:
            reached |= {instance for instance, witness in asked.items() if witness.name in answer}
    return tuple(
        _finding(runner, instance, decided=instance not in undecided) for instance in seen if instance not in reached
    )


@dataclass(frozen=True)
class Instance:
    r"""The action with ``parameter`` held at ``value``: ``text`` is the step, its quantifiers around the call."""

    action: Action
    parameter: str
    value: str
    text: str


def _settings(runner: Runner) -> list[Setting]:
    file = runner.project.file
    found = [Setting(variant, environment) for variant, row in file.matrix.items() for environment in row]
    return sorted(found, key=lambda setting: -len(file.variants[setting.variant or ""].guards)) or [Setting(None, None)]


def _instances(runner: Runner, spec: Spec, setting: Setting) -> Iterator[Instance]:
    constants = constants_of(runner.project, setting)
    free = {*lacking(runner.project, setting), *runner.project.model.partial}
    for action in runner.actions:
        if action.name in free or action.definition is None:
            continue
        inner = inner_domains(action)
        outer = [bound for bound in action.params if bound.name not in inner and bound.domain_text]
        for held in outer:
            for value in _values(held.domain_text, constants):
                quantifiers = [
                    f"\\E {bound.name} \\in {'{' + value + '}' if bound is held else ' '.join(bound.domain_text.split())} :"
                    for bound in outer
                ]
                call = " ".join(spec.text(action.call_span).split())
                yield Instance(action, held.name, value, " ".join([*quantifiers, call]))


def _values(domain: str, constants: Mapping[str, str]) -> list[str]:
    """The values of a domain whose elements a model may treat each in its own way; none where it can't be told."""
    text = " ".join(domain.split())
    if text == "BOOLEAN":
        return ["FALSE", "TRUE"]
    try:
        found = parse_value(constants.get(text, text))
    except VstackError:
        return []
    if not isinstance(found, frozenset) or len(found) > _MOST or not all(isinstance(one, int | str) for one in found):
        return []
    return sorted(format_value(one) for one in found)


def _witness(instance: Instance, place: int) -> Witness:
    words = f"{instance.action.name} with {instance.parameter} = {instance.value}"
    return Witness("", f"vs_instance_{place + 1}", instance.text, words, declared=True, step=True)


def _finding(runner: Runner, instance: Instance, *, decided: bool) -> Finding:
    name = instance.action.name
    where = f"{name} never happens with {instance.parameter} = {instance.value}, in no case of the matrix"
    return Finding(
        rule="instance-never-fires",
        where=str(runner.project.root / PROJECT_FILE),
        message=where if decided else f"It was not decided whether {where}",
        todo="Mend what keeps it from happening, or have the reason approved:" + f" `model.partial: {{{name}: why}}`",
        outcome="refused" if decided else "undecided",
    )
