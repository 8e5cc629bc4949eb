"""The normal form of definitions, over which approvals are hashed: what a formula means, without how it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vstack.files import sha256_bytes
from vstack.tla import tree
from vstack.tla.conjuncts import CONJUNCTION, DISJUNCTION, is_operator

# Part of every hash: raise it when the form below changes, and no old approval is read as a new one.
NORMAL_FORM = 1


@dataclass(frozen=True, slots=True)
class Use:
    """A definition used in a form: it counts by its digest, its name is for readers."""

    digest: str
    name: str


Form = str | Use | tuple["Form", ...]


@dataclass(frozen=True, slots=True)
class Normalized:
    """A definition in normal form, the declared symbols that it reaches, the definitions that it uses."""

    form: Form
    digest: str
    free: frozenset[int]
    uses: tuple[int, ...]


def digest_of(form: Form) -> str:
    """The SHA-256 of a form, with the normal form's version."""
    return sha256_bytes(f"vstack normal form {NORMAL_FORM}\n{''.join(_written(form))}".encode())


def _written(form: Form) -> Iterator[str]:
    match form:
        case str():
            # Length first: no text can be mistaken for structure.
            yield f"{len(form)}:{form} "
        case Use():
            yield f"@{form.digest} "
        case _:
            yield "("
            for part in form:
                yield from _written(part)
            yield ")"


class Normalizer:
    """Normal forms over one specification and configuration.

    ``overridden`` maps keys of symbols to the definition that replaces each,
    ``assigned`` keys of constants (or definitions) to the text of the values given to them.
    """

    def __init__(self, spec: tree.Spec, overridden: Mapping[int, tree.Definition], assigned: Mapping[int, str]) -> None:
        self.spec = spec
        self.overridden = overridden
        self.assigned = assigned
        self.done: dict[int, Normalized] = {}
        # The forms of LET definitions by digest: in no hash, for ``normal_text``.
        self.let_forms: dict[str, Form] = {}
        # Keys of the definitions being normalized, and for each the outermost that it goes back to.
        self._open: list[int] = []
        self._lowest: list[int] = []

    def definition(self, definition: tree.Definition) -> Normalized:
        """The normal form of a definition outside LET."""
        if definition.uid in self.done:
            return self.done[definition.uid]
        assert definition.body is not None
        frame = _Frame(self)
        form, lowest = self.closed(definition, frame)
        result = Normalized(form, digest_of(form), frozenset(frame.free), tuple(frame.uses))
        if self.is_self_contained(lowest):
            self.done[definition.uid] = result
        return result

    def statement(self, body: tree.Node) -> Normalized:
        """The normal form of a theorem's or an assumption's formula."""
        frame = _Frame(self)
        form: Form = ("statement", frame.form(body))
        return Normalized(form, digest_of(form), frozenset(frame.free), tuple(frame.uses))

    def closed(self, definition: tree.Definition, frame: _Frame) -> tuple[Form, int]:
        """A definition's form in ``frame``, and the depth of the outermost open definition that it goes back to."""
        assert definition.body is not None
        self._open.append(definition.uid)
        self._lowest.append(len(self._open))
        with_params = frame.bound([item.uid for item in definition.params])
        arities = tuple(str(item.arity) for item in definition.params)
        form: Form = ("definition", arities, with_params.form(definition.body))
        self._open.pop()
        lowest = self._lowest.pop()
        if self._lowest:
            self._lowest[-1] = min(self._lowest[-1], lowest)
        return form, lowest

    def is_self_contained(self, lowest: int) -> bool:
        """Whether a form with this ``lowest`` goes back to no definition that is still open.

        One that does depends on where its cycle of RECURSIVE definitions was entered.
        """
        return lowest >= len(self._open)

    def back(self, uid: int) -> Form | None:
        """A use of a definition that is being normalized: how far up it stands."""
        if uid not in self._open:
            return None
        depth = len(self._open) - 1 - self._open[::-1].index(uid)
        self._lowest[-1] = min(self._lowest[-1], depth)
        return ("recursion", str(len(self._open) - 1 - depth))


class _Frame:
    """Where a form is written: the bound symbols by depth, the LET definitions in scope, what is reached."""

    def __init__(self, owner: Normalizer) -> None:
        self.owner = owner
        self.depths: dict[int, int] = {}
        self.lets: dict[int, _Frame] = {}
        self.let_digests: dict[int, str] = {}
        self.free: set[int] = set()
        self.uses: dict[int, None] = {}

    def bound(self, uids: list[int]) -> _Frame:
        """This frame with more bound symbols; what is reached is shared."""
        inner = _Frame(self.owner)
        inner.free, inner.uses, inner.lets = self.free, self.uses, self.lets
        inner.depths = self.depths | {uid: len(self.depths) + place for place, uid in enumerate(uids)}
        return inner

    def form(self, node: tree.Node) -> Form:
        """The form of an expression."""
        for name, operators in (("and", CONJUNCTION), ("or", DISJUNCTION)):
            if is_operator(node, *operators):
                return (name, *self.flat(node, operators))
        match node:
            case tree.Apply():
                return self.apply(node)
            case tree.Number():
                return ("number", str(node.value))
            case tree.Decimal():
                return ("decimal", str(node.mantissa), str(node.exponent))
            case tree.String():
                return ("string", node.value)
            case tree.At():
                return ("@",)  # the syntax alone says which component
            case tree.OperatorArgument():
                return ("operator", self.ref(node.operator))
            case tree.Label():
                return self.form(node.body)
            case tree.Let():
                return self.let(node)
            case tree.Substituted():
                return self.substituted(node)
            case tree.Fact():
                return ("fact", self.ref(node.ref))
            case tree.AssumeProve():
                return self.assume_prove(node)
            case tree.NewSymbol():
                return ("new", node.declared, str(node.arity), "" if node.domain is None else self.form(node.domain))

    def flat(self, node: tree.Node, operators: tuple[str, ...]) -> Iterator[Form]:
        """The operands of nested conjunctions (or disjunctions) in order: bullets and infix are one."""
        assert isinstance(node, tree.Apply)
        for operand in node.operands:
            if is_operator(operand, *operators):
                yield from self.flat(operand, operators)
            else:
                yield self.form(operand)

    def apply(self, node: tree.Apply) -> Form:
        groups: list[Form] = []
        symbols: list[int] = []
        for group in node.bound:
            domain: Form = "" if group.domain is None else self.form(group.domain)
            groups.append(("bind", str(len(group.symbols)), "tuple" if group.is_tuple else "", domain))
            symbols += [symbol.uid for symbol in group.symbols]
        inner = self.bound(symbols) if symbols else self
        operands = tuple(inner.form(operand) for operand in node.operands)
        head = self.ref(node.operator)
        return ("apply", head, tuple(groups), *operands) if groups or operands else head

    def ref(self, ref: tree.Ref) -> Form:
        """A use of a symbol."""
        owner = self.owner
        if ref.uid in self.depths:
            return ("bound", str(self.depths[ref.uid]))
        if ref.uid in owner.overridden:
            return ("override", self.use(owner.overridden[ref.uid]))
        value = owner.assigned.get(ref.uid)
        if value is not None:  # a constant, or a definition that the configuration replaces by a value
            self.free.add(ref.uid)
            return ("assigned", ref.name, value)
        if ref.kind in ("constant", "variable"):
            self.free.add(ref.uid)
            return (ref.kind, ref.name)
        if ref.kind == "builtin":
            return ("builtin", ref.name)
        symbol = owner.spec.symbols.get(ref.uid)
        if isinstance(symbol, tree.Definition) and symbol.body is not None:
            return self.use(symbol)
        if isinstance(symbol, tree.Theorem | tree.Assumption):
            return self.form(symbol.body)
        return (ref.kind, ref.name)

    def use(self, definition: tree.Definition) -> Form:
        """A use of a definition: of the jar's by name, of a LET's or LAMBDA by its form, else by its digest."""
        owner = self.owner
        standard = owner.spec.standard_name(definition)
        if standard is not None:
            return ("standard", standard)
        back = owner.back(definition.uid)
        if back is not None:
            return back
        if definition.uid in self.lets:
            return self.let_use(definition)
        if definition.kind == "lambda":
            return owner.closed(definition, self)[0]
        found = owner.definition(definition)
        self.free |= found.free
        self.uses[definition.uid] = None
        return Use(found.digest, definition.name)

    def let(self, node: tree.Let) -> Form:
        """LET is its body, with each definition known by its own form: order and unused ones don't matter."""
        inner = self.bound([])
        found = (self.owner.spec.symbols.get(ref.uid) for ref in node.definitions)
        added = {item.uid: inner for item in found if isinstance(item, tree.Definition)}
        inner.lets = self.lets | added
        return inner.form(node.body)

    def let_use(self, definition: tree.Definition) -> Use:
        """A use of a LET's definition, by a digest over the LET's frame: depths say which bound symbol is meant."""
        home = self.lets[definition.uid]
        known = home.let_digests.get(definition.uid)
        if known is None:
            form, lowest = self.owner.closed(definition, home)
            known = digest_of(form)
            self.owner.let_forms[known] = form
            if self.owner.is_self_contained(lowest):
                home.let_digests[definition.uid] = known
        return Use(known, definition.name)

    def substituted(self, node: tree.Substituted) -> Form:
        """An instantiated body with the substitutions that it reaches."""
        inner = self.bound([])
        inner.free = set()
        body = inner.form(node.body)
        reached = [item for item in node.substitutions if item.declared.uid in inner.free]
        self.free |= inner.free - {item.declared.uid for item in node.substitutions}
        pairs = sorted((item.declared.name, self.form(item.value)) for item in reached)
        return ("substitute", *pairs, body)

    def assume_prove(self, node: tree.AssumeProve) -> Form:
        declared = [item.symbol.uid for item in node.assumes if isinstance(item, tree.NewSymbol)]
        inner = self.bound(declared)
        head = "boxed assume" if node.boxed else "assume"
        return (head, *(inner.form(item) for item in node.assumes), "prove", inner.form(node.prove))
