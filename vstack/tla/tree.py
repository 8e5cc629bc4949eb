"""The typed, immutable syntax tree of a TLA+ specification, as SANY resolves it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vstack.errors import VstackError
from vstack.tla.places import Span as Span
from vstack.tla.places import text_of

CONSTANT_LEVEL, STATE_LEVEL, ACTION_LEVEL, TEMPORAL_LEVEL = range(4)


@dataclass(frozen=True, slots=True)
class Ref:
    """A resolved use of a name.

    ``kind`` is ``builtin``, ``constant``, ``variable``, ``parameter`` (of a
    definition, or bound by a quantifier), ``new`` (declared by NEW in an
    ASSUME/PROVE), ``definition``, ``instance``, ``theorem``, ``assumption`` or
    ``module``. ``uid`` is the key of ``Spec.symbols``; it means nothing outside
    one ``Spec``.
    """

    kind: str
    name: str
    uid: int


# What stands in place of a condition in CASE's last arm.
OTHER = Ref("builtin", "OTHER", 0)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A formal parameter: its name, its arity (0 unless it is an operator), its key."""

    name: str
    arity: int
    uid: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """A CONSTANT, a VARIABLE or a NEW symbol; ``kind`` is as in ``Ref``."""

    name: str
    kind: str
    arity: int
    module: str
    span: Span
    uid: int


@dataclass(frozen=True, slots=True)
class BoundSymbols:
    """The symbols one domain binds: ``x, y \\in S``, or ``<<x, y>> \\in S`` if ``is_tuple``."""

    symbols: tuple[Ref, ...]
    is_tuple: bool
    domain: Node | None


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator applied to operands; built-in operators have SANY's names (``$IfThenElse``)."""

    operator: Ref
    operands: tuple[Node, ...]
    bound: tuple[BoundSymbols, ...]
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    span: Span
    level: int = CONSTANT_LEVEL


@dataclass(frozen=True, slots=True)
class Decimal:
    """``mantissa * 10 ** exponent``."""

    mantissa: int
    exponent: int
    span: Span
    level: int = CONSTANT_LEVEL


@dataclass(frozen=True, slots=True)
class String:
    value: str
    span: Span
    level: int = CONSTANT_LEVEL


@dataclass(frozen=True, slots=True)
class Let:
    definitions: tuple[Ref, ...]
    body: Node
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class At:
    """``@`` in an EXCEPT: the expression it updates and the path of the component."""

    base: Node
    path: Node
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class OperatorArgument:
    """An operator (or LAMBDA) given as an argument."""

    operator: Ref
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class Substitution:
    """``declared <- value`` of an INSTANCE."""

    declared: Ref
    value: Node


@dataclass(frozen=True, slots=True)
class Substituted:
    """The body of an instantiated definition under the INSTANCE's substitutions."""

    substitutions: tuple[Substitution, ...]
    body: Node
    instantiated: str
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class NewSymbol:
    """A symbol that an ASSUME/PROVE declares; ``declared`` is how: ``constant``, ``variable``, ``state``, ``action`` or ``temporal``."""

    symbol: Ref
    declared: str
    arity: int
    domain: Node | None
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class AssumeProve:
    assumes: tuple[Node, ...]
    prove: Node
    suffices: bool
    boxed: bool
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    parameters: tuple[Ref, ...]
    body: Node
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A theorem, an assumption or a module named as a fact in a proof."""

    ref: Ref
    span: Span
    level: int = CONSTANT_LEVEL


Node = (
    Apply
    | Number
    | Decimal
    | String
    | Let
    | At
    | OperatorArgument
    | Substituted
    | NewSymbol
    | AssumeProve
    | Label
    | Fact
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition; ``kind`` is ``operator``, ``function``, ``lambda``, ``instance`` or ``builtin``.

    ``module`` is where the text of the definition stands (for ``INSTANCE``, the
    text of the instance). ``body`` is None for ``instance`` and ``builtin``.
    """

    name: str
    params: tuple[Parameter, ...]
    body: Node | None
    span: Span
    level: int
    module: str
    local: bool
    recursive: bool
    kind: str
    uid: int


@dataclass(frozen=True, slots=True)
class Assumption:
    name: str | None
    body: Node
    span: Span
    module: str
    uid: int


@dataclass(frozen=True, slots=True)
class Proof:
    """``kind`` is ``omitted``, ``obvious``, ``by`` or ``steps``; the other fields are those of that kind."""

    kind: str
    span: Span
    facts: tuple[Node, ...] = ()
    definitions: tuple[Ref, ...] = ()
    only: bool = False
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem, or a step of a proof that asserts something (name ``<1>2``)."""

    name: str | None
    body: Node
    proof: Proof | None
    suffices: bool
    span: Span
    level: int
    module: str
    uid: int


@dataclass(frozen=True, slots=True)
class UseOrHide:
    hide: bool
    facts: tuple[Node, ...]
    definitions: tuple[Ref, ...]
    only: bool
    span: Span


@dataclass(frozen=True, slots=True)
class DefineStep:
    definitions: tuple[Ref, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Instance:
    """An INSTANCE; ``name`` is None for one without ``Name ==``."""

    name: str | None
    module: str
    substitutions: tuple[Substitution, ...]
    parameters: tuple[Ref, ...]
    span: Span


Step = Theorem | UseOrHide | DefineStep | Instance


@dataclass(frozen=True, slots=True)
class Module:
    """A module. ``definitions`` holds what is in its scope, what it extends included.

    ``path`` is None and ``text`` empty for the modules of the jar; ``extends``
    is as written.
    """

    name: str
    path: Path | None
    extends: tuple[str, ...]
    constants: tuple[Declaration, ...]
    variables: tuple[Declaration, ...]
    definitions: tuple[Definition, ...]
    assumptions: tuple[Assumption, ...]
    theorems: tuple[Theorem, ...]
    instances: tuple[Instance, ...]
    uses: tuple[UseOrHide, ...]
    is_standard: bool
    span: Span
    text: str = field(repr=False)

    def own_definitions(self) -> tuple[Definition, ...]:
        """The definitions whose text stands in this module, not in one it extends."""
        return tuple(definition for definition in self.definitions if definition.module == self.name)


Symbol = Definition | Declaration | Parameter | Theorem | Assumption | Module


@dataclass(frozen=True, slots=True)
class Spec:
    """A root module with every module it reaches, names resolved."""

    root: Module
    modules: Mapping[str, Module]
    symbols: Mapping[int, Symbol] = field(repr=False)
    _scope: Mapping[str, Definition] = field(repr=False)

    def definition(self, name: str) -> Definition:
        """The definition ``name`` in the root module's scope (``Inst!Name`` for an instance's).

        Raises:
            VstackError: there is none; the nearest name is given.
        """
        found = self._scope.get(name)
        if found is not None:
            return found
        near = difflib.get_close_matches(name, self._scope, n=1)
        declared = {item.name: item.kind for item in (*self.root.constants, *self.root.variables)}
        what = f"{name} is not defined in module {self.root.name}"
        if name in declared:
            what = f"{name} is a {declared[name].upper()} of module {self.root.name}, not a definition"
        raise VstackError(
            what,
            where=str(self.root.path),
            todo=f"The nearest name is {near[0]}" if near else "Define it, or name another operator",
        )

    def has(self, name: str) -> bool:
        """Whether the root module's scope defines ``name``."""
        return name in self._scope

    def resolve(self, ref: Ref) -> Symbol:
        """What ``ref`` names."""
        return self.symbols[ref.uid]

    def standard_name(self, definition: Definition) -> str | None:
        """``Module!name`` if the definition is one of the jar's, also through an INSTANCE of its module; else None.

        One under substitutions (``INSTANCE RealTime WITH ...``) is not: it is what its body says.
        """
        body = definition.body
        for module in (definition.module, body.span.module if body is not None else ""):
            if module in self.modules and self.modules[module].is_standard:
                return f"{module}!{definition.name.rsplit('!', 1)[-1]}"
        return None

    def text(self, span: Span) -> str:
        """The source text at ``span``; empty where the module is the jar's."""
        module = self.modules.get(span.module)
        return text_of(module.text, span) if module is not None and module.text else ""

    def sources(self) -> tuple[Path, ...]:
        """The files of the modules that are not in the jar, root first."""
        paths = {module.path: None for module in (self.root, *self.modules.values()) if module.path}
        return tuple(paths)


def children(node: Node) -> Iterator[Node]:
    """The nodes directly under ``node``; the bodies of LET definitions and LAMBDAs are not under it."""
    match node:
        case Apply():
            yield from node.operands
            for group in node.bound:
                if group.domain is not None:
                    yield group.domain
        case Let() | Label():
            yield node.body
        case At():
            yield node.base
            yield node.path
        case Substituted():
            for substitution in node.substitutions:
                yield substitution.value
            yield node.body
        case NewSymbol():
            if node.domain is not None:
                yield node.domain
        case AssumeProve():
            yield from node.assumes
            yield node.prove
        case _:
            return


def references(node: Node) -> tuple[Ref, ...]:
    """What ``node`` itself names: the operator that it applies or hands over, the definitions of a LET."""
    match node:
        case Apply() | OperatorArgument():
            return (node.operator,)
        case Let():
            return node.definitions
        case _:
            return ()
