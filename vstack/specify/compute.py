"""The pins of a project as it stands: closures of its formulas, and its settings."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vstack.abstract.marks import read_marks
from vstack.errors import VstackError
from vstack.files import read_text, sha256_file
from vstack.project import Project
from vstack.sections import Goal
from vstack.specify.forms import Formed, assumption_form, shape_form
from vstack.specify.pins import Pin, PinnedDefinition, Pins, digest_of
from vstack.specify.settings import pin_settings
from vstack.tla.actions import Action, split_next
from vstack.tla.cfg import Cfg, parse_cfg
from vstack.tla.closure import closure
from vstack.tla.places import Span, text_of
from vstack.tla.tree import ACTION_LEVEL, STATE_LEVEL, TEMPORAL_LEVEL, Definition, Spec
from vstack.verify.apalache_types import named_operators, type_annotations
from vstack.verify.tlaps_spec import read_proof, statement_span, theorem_of
from vstack.verify.z3_goal import z3_pins

_LEVELS = {ACTION_LEVEL: "an action formula", TEMPORAL_LEVEL: "a temporal formula"}


def compute_pins(project: Project, spec: Spec | None) -> Pins:
    """The pins of ``project``; ``spec`` is its model as SANY reads it (None if all goals are Z3's).

    Raises:
        VstackError: a goal, environment action or other operator that
            `vstack.yaml` names is not defined, or a goal is not of its kind.
    """
    builder = _Builder(project, spec)
    goals = {name: builder.goal(name, goal) for name, goal in project.file.goals.items()}
    settings = pin_settings(project.file)
    if "tools" in settings:
        settings["tools"] = _tools(project, settings["tools"])
    if "traces" in settings:
        settings["traces"] = _traces(project, settings["traces"])
    if spec is None:
        return Pins(
            goals=goals, assumptions=builder.of_proofs, settings=settings, definitions=builder.definitions
        )  # fmt: skip
    if "apalache" in settings:
        value = {**settings["apalache"].value, "annotations": type_annotations(spec)}
        settings["apalache"] = Pin(digest=digest_of(value), value=value)
    model = project.model
    actions = split_next(spec, model.next)
    names = _action_names(actions)
    settings["actions"] = Pin(digest=digest_of(names), value=names)
    ours = sorted({mark.action for mark in read_marks(project, spec)[0] if mark.ours})
    if ours:
        # A mark in a comment frees an action of its anchors; which actions have it is a person's word.
        settings["actions without code"] = Pin(digest=digest_of(ours), value=ours)
    if model.config is not None:
        # Only what the file says: a keyword that a later version learns to read changes no hash.
        content = {key: value for key, value in asdict(builder.cfg).items() if value not in (None, ())}
        settings["config"] = Pin(digest=digest_of(content), value=content)
    named = [action.definition for action in actions if action.definition is not None]
    relation = shape_form(spec, model.next, by_name=named, overrides=builder.overrides)
    fairness = shape_form(spec, model.spec, by_name=[*named, spec.definition(model.next)], overrides=builder.overrides)
    environment = {name: builder.named(name) for name in (model.init, *project.file.environment_actions)}
    return Pins(
        goals=goals,
        # A fault whose body is whole can still be tamed by what the relation puts around its call.
        environment={**environment, model.next: builder.formed(relation)},
        assumptions={**builder.assumptions(), **builder.of_proofs},
        operators=builder.operators(),
        fairness={model.spec: builder.formed(fairness)},
        settings=settings,
        definitions=builder.definitions,
    )


class _Builder:
    """Collects the definitions that the pins share."""

    def __init__(self, project: Project, spec: Spec | None) -> None:
        self.project, self.maybe_spec = project, spec
        self.definitions: dict[str, PinnedDefinition] = {}
        self.cfg = Cfg()
        self.overrides: dict[str, str] = {}
        # What each theorem's proof assumes, by the goal's name and the assumption's.
        self.of_proofs: dict[str, Pin] = {}
        if project.file.model is not None:
            if project.model.config is not None:
                path = project.root / project.model.config
                self.cfg = parse_cfg(read_text(path), where=str(path))
            self.overrides = {**self.cfg.overrides, **project.model.overrides}

    @property
    def spec(self) -> Spec:
        assert self.maybe_spec is not None
        return self.maybe_spec

    def goal(self, name: str, goal: Goal) -> Pin:
        value = {"kind": goal.kind, **goal.model_dump(mode="json", exclude_defaults=True, exclude={"module"})}
        if goal.kind == "z3":
            path = self.project.root / str(goal.script)
            if not path.is_file():
                raise VstackError(
                    f"The script of goal {name} does not exist", where=str(path), todo="Mend `script` in vstack.yaml"
                )
            value["script sha256"] = sha256_file(path)
            # Each assumption by name and structure: what a person reads, and what a run is held to.
            value["obligations"] = z3_pins(self.project, name)
            return Pin(digest=digest_of(value), value=value)
        if goal.kind == "theorem":
            return self.theorem(name, goal, value)
        formula = str(goal.formula)
        own = self.spec.definition(formula)
        check_kind(name, goal.kind, own, where=self.place(own.span))
        pin = self.named(formula)
        witnesses = [self.witness(name, witness) for witness in goal.witnesses]
        keys = dict.fromkeys(key for each in (pin, *witnesses) for key in each.definitions)
        digests = [pin.digest, value, *(each.digest for each in witnesses)]
        return Pin(digest=digest_of(digests), definitions=tuple(keys), value=value)

    def witness(self, goal: str, name: str) -> Pin:
        """The pin of a state formula that a goal names as its witness.

        Raises:
            VstackError: it is not defined, or not a formula over one state.
        """
        definition = self.spec.definition(name)
        check_kind(f"{goal}, witness {name}", "invariant", definition, where=self.place(definition.span))
        return self.named(name)

    def theorem(self, name: str, goal: Goal, value: dict[str, Any]) -> Pin:
        """The pin of a theorem's statement with all behind it; the proof is free, what it assumes is pinned beside it."""
        proof = read_proof(self.project, name)
        stated = theorem_of(proof, name, goal)
        # A configuration's overrides are TLC's alone: a proof is about what the modules say.
        inner = _Builder(self.project, proof)
        inner.overrides, inner.definitions = {}, self.definitions
        found = closure(proof, str(stated.name))
        own = f"{proof.root.name}!{stated.name}"
        inner.define(own, found.digest, statement_span(stated))
        for member in found.members:
            inner.define(f"{member.module}!{member.name}", member.digest, member.span)
        self.of_proofs |= {f"{name}: {key}": pin for key, pin in inner.assumptions().items()}
        keys = (own, *(f"{member.module}!{member.name}" for member in found.members))
        return Pin(digest=digest_of([found.digest, value]), definitions=keys, value=value)

    def named(self, name: str) -> Pin:
        """The pin of a definition of the model's scope by its closure."""
        found = closure(self.spec, name, overrides=self.overrides)
        own = self.spec.definition(name)
        keys: list[str] = []
        for member in found.members:
            key = f"{member.module}!{member.name}"
            self.define(key, member.digest, member.span)
            keys.insert(0 if member.span == own.span else len(keys), key)
        return Pin(digest=found.digest, definitions=tuple(keys))

    def formed(self, formed: Formed, *own: str) -> Pin:
        """The pin of a form that is not a closure; ``own`` are keys that come before those of its definitions."""
        keys = []
        for definition, digest in formed.definitions:
            keys.append(f"{definition.module}!{definition.name}")
            self.define(keys[-1], digest, definition.span)
        return Pin(digest=formed.digest, definitions=(*own, *keys))

    def assumptions(self) -> dict[str, Pin]:
        """A pin for each ASSUME or AXIOM of the modules outside the jar, by its name or its module and hash."""
        pins = {}
        seen: set[int] = set()
        for module in self.spec.modules.values():
            if module.is_standard:
                continue
            for assumption in module.assumptions:
                if assumption.uid in seen:
                    continue
                seen.add(assumption.uid)
                formed = assumption_form(self.spec, assumption, self.overrides)
                key = assumption.name or f"{assumption.module} {formed.digest[:12]}"
                own = f"{assumption.module}!{key}"
                self.define(own, formed.digest, assumption.span)
                pins[key] = self.formed(formed, own)
        return pins

    def operators(self) -> dict[str, Pin]:
        """Pins of what else `vstack.yaml` names: what narrows or replaces the state space, and the states that waivers let be."""
        model = self.project.model
        named = {
            "constraint": (*self.cfg.constraints, *model.constraints),
            "action constraint": (*self.cfg.action_constraints, *model.action_constraints),
            "symmetry": (model.symmetry or self.cfg.symmetry,),
            "view": (model.view or self.cfg.view,),
            "override": tuple(self.overrides.values()),
            "waiver": tuple(waiver.state for waiver in self.project.file.waivers),
        }
        if self.project.file.apalache is not None:
            named |= named_operators(self.project.file.apalache)
        return {
            f"{role} {name}": self.named(name) for role, names in named.items() for name in dict.fromkeys(names) if name
        }

    def place(self, span: Span) -> str:
        """``file:line`` relative to the project."""
        path = self.spec.modules[span.module].path
        assert path is not None
        root = self.project.root
        return f"{path.relative_to(root) if path.is_relative_to(root) else path}:{span.line}"

    def define(self, key: str, digest: str, span: Span) -> None:
        """Keep a definition's text under ``key``; the first of a key stays."""
        if key in self.definitions:
            return
        module = self.spec.modules[span.module]
        # Bulleted lists hang on columns: the first line gets its indentation back before all lose the same.
        whole = " " * (span.column - 1) + text_of(module.text, span)
        text = textwrap.dedent(whole.expandtabs(8))
        self.definitions[key] = PinnedDefinition(digest=digest, place=self.place(span), text=text)


def _tools(project: Project, pin: Pin) -> Pin:
    """The pin of the tools that the project names, by their bytes too: a launcher can be a script that does anything."""
    value = dict(pin.value)
    for name in ("tlc_jar", "java", "tlapm", "apalache"):
        named = getattr(project.file.tools, name)
        if named is not None:
            path = project.root / Path(named).expanduser()
            path = path / "bin" / "java" if path.is_dir() else path
            value[f"{name} sha256"] = sha256_file(path) if path.is_file() else "missing"
    return Pin(digest=digest_of(value), value=value)


def _traces(project: Project, pin: Pin) -> Pin:
    """The pin of the traces, each log by its bytes too: a log that was thinned or edited is another log."""
    value = {
        name: {**entry, "log sha256": _log_digest(project.root / entry["log"])} for name, entry in pin.value.items()
    }
    return Pin(digest=digest_of(value), value=value)


def _log_digest(path: Path) -> str:
    return sha256_file(path) if path.is_file() else "missing"


def _action_names(actions: Iterable[Action]) -> list[str]:
    """The actions' names; a disjunct without one counts by number, for the line in its name moves."""
    named: set[str] = set()
    unnamed: Counter[str] = Counter()
    for action in actions:
        base, at, _ = action.name.partition("@")
        if at:
            unnamed[base] += 1
        else:
            named.add(base)
    return sorted(
        [*named, *(f"{base}, unnamed disjunct {n}" for base, count in unnamed.items() for n in range(1, count + 1))]
    )


def check_kind(goal: str, kind: str, definition: Definition, *, where: str) -> None:
    """Whether ``definition`` can be the formula of a goal of this kind.

    Raises:
        VstackError: it has parameters, or an invariant is not over one state.
    """
    if definition.params:
        raise VstackError(f"Goal {goal}: {definition.name} has parameters, so it states nothing by itself", where=where)
    if kind == "invariant" and definition.level > STATE_LEVEL:
        better = "action" if definition.level == ACTION_LEVEL else "temporal"
        raise VstackError(
            f"Goal {goal} is an invariant, but {definition.name} is {_LEVELS[definition.level]}",
            where=where,
            todo=f"State it over one state, or give the goal the kind `{better}`",
        )
    if kind == "action" and definition.level == ACTION_LEVEL:
        raise VstackError(
            f"Goal {goal}: TLC checks an action property as `[][A]_vars`, and {definition.name} is a bare action",
            where=where,
            todo=f"Write `[][...]_vars` around the body of {definition.name}",
        )
