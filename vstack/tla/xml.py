"""From SANY's XML export to the syntax tree."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from xml.etree.ElementTree import Element

from vstack.errors import VstackError
from vstack.tla import tree
from vstack.tla.sources import Source

_DECLARED = {"2": "constant", "3": "variable", "4": "parameter"}
_NEW = {"24": "constant", "25": "variable", "26": "state", "27": "action", "28": "temporal"}
_NOWHERE = tree.Span("", 0, 0, 0, 0)


@contextmanager
def deep_recursion(limit: int = 100_000) -> Iterator[None]:
    """Room for expressions nested thousands deep (a chain of ``/\\`` is one level per conjunct)."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _Builder:
    """One export being turned into a tree; entries are built once, references stay references."""

    def __init__(self, entries: Mapping[str, Element], sources: Mapping[str, Source]) -> None:
        self.entries = entries
        self.sources = sources
        self.lines = {name: source.text.split("\n") for name, source in sources.items()}
        self.symbols: dict[int, tree.Symbol] = {}

    def is_local(self, span: tree.Span) -> bool:
        """Whether the definition at ``span`` is marked LOCAL, which only the text tells."""
        lines = self.lines.get(span.module, ())
        return 1 <= span.line <= len(lines) and lines[span.line - 1].expandtabs(8).startswith("LOCAL", span.column - 1)

    def span(self, element: Element) -> tree.Span:
        location = element.find("location")
        if location is None:
            return _NOWHERE
        column, line, name = location
        return tree.Span(
            name.text or "", int(line[0].text or 0), int(column[0].text or 0), int(line[1].text or 0),
            int(column[1].text or 0),
        )  # fmt: skip

    def level(self, element: Element) -> int:
        return int(element.findtext("level") or 0)

    def ref(self, element: Element) -> tree.Ref:
        """The reference an ``...Ref`` element (or an unnamed entry in place) makes."""
        uid = element.findtext("UID")
        assert uid is not None
        target = self.entries[uid]
        name = target.findtext("uniquename") or ""
        match target.tag:
            case "BuiltInKind":
                kind = "builtin"
            case "OpDeclNode":
                kind = _DECLARED.get(target.findtext("kind") or "", "new")
            case "FormalParamNode":
                kind = "parameter"
            case "UserDefinedOpKind":
                kind = "definition"
            case "ModuleInstanceKind":
                kind = "instance"
            case "TheoremNode" | "TheoremDefNode":
                kind = "theorem"
            case "AssumeNode" | "AssumeDef":
                kind = "assumption"
            case "ModuleNode":
                kind = "module"
            case other:
                raise VstackError(f"SANY's export refers to an unknown kind of symbol, {other}")
        return tree.Ref(kind, name, int(uid))

    def parts(self, element: Element | None) -> list[Element]:
        return [] if element is None else [part for part in element if part.tag not in ("location", "level")]

    def expressions(self, element: Element | None) -> tuple[tree.Node, ...]:
        return tuple(self.expression(part) for part in self.parts(element))

    def expression(self, element: Element) -> tree.Node:
        span, level = self.span(element), self.level(element)
        match element.tag:
            case "OpApplNode":
                operator = element.find("operator")
                assert operator is not None
                bound = element.find("boundSymbols")
                return tree.Apply(
                    self.ref(operator[0]),
                    self.expressions(element.find("operands")),
                    () if bound is None else tuple(self.bound(part) for part in bound),
                    span,
                    level,
                )
            case "NumeralNode":
                return tree.Number(int(element.findtext("IntValue") or 0), span, level)
            case "StringNode":
                value = element.find("StringValue")
                if value is None:  # not a string: the marker of CASE's OTHER
                    return tree.Apply(tree.OTHER, (), (), span, level)
                return tree.String(value.text or "", span, level)
            case "LetInNode":
                body = element.find("body")
                assert body is not None
                return tree.Let(
                    tuple(self.ref(part) for part in self.parts(element.find("opDefs"))),
                    self.expression(body[0]), span, level,
                )  # fmt: skip
            case "AtNode":
                base, path = self.parts(element)
                return tree.At(self.expression(base), self.expression(path), span, level)
            case "OpArgNode":
                argument = element.find("argument")
                assert argument is not None
                return tree.OperatorArgument(self.ref(argument[0]), span, level)
            case "SubstInNode" | "APSubstInNode":
                body, instantiated = element.find("body"), element.find("instTo")
                assert body is not None and instantiated is not None
                return tree.Substituted(
                    self.substitutions(element), self.expression(body[0]), self.ref(instantiated[0]).name, span, level
                )
            case "DecimalNode":
                return tree.Decimal(
                    int(element.findtext("mantissa") or 0), int(element.findtext("exponent") or 0), span, level
                )
            case "LabelNode":
                body = element.find("body")
                assert body is not None
                names = tuple(self.ref(part) for part in self.parts(element.find("params")))
                return tree.Label(element.findtext("uniquename") or "", names, self.expression(body[0]), span, level)
            case "AssumeProveNode":
                prove = element.find("prove")
                assert prove is not None
                return tree.AssumeProve(
                    self.expressions(element.find("assumes")),
                    self.expression(prove[0]),
                    element.find("suffices") is not None,
                    element.find("boxed") is not None,
                    span,
                    level,
                )
            case "NewSymbNode":
                declared, *domain = self.parts(element)
                entry = self.entries[declared.findtext("UID") or ""]
                return tree.NewSymbol(
                    self.ref(declared), _NEW[entry.findtext("kind") or ""], int(entry.findtext("arity") or 0),
                    self.expression(domain[0]) if domain else None, span, level,
                )  # fmt: skip
            case "AssumeDef":
                return self.expression(self.statement(element))
            case tag if element.find("UID") is not None and tag.endswith("Ref"):
                return tree.Fact(self.ref(element), span, level)
            case "ModuleInstanceKind":
                return tree.Fact(tree.Ref("instance", element.findtext("uniquename") or "", 0), span, level)
        raise VstackError(f"SANY's export holds an unknown kind of expression, {element.tag}")

    def bound(self, element: Element) -> tree.BoundSymbols:
        symbols = tuple(self.ref(part) for part in element if part.tag == "FormalParamNodeRef")
        domain = [part for part in element if part.tag not in ("FormalParamNodeRef", "tuple")]
        return tree.BoundSymbols(
            symbols, element.find("tuple") is not None, self.expression(domain[0]) if domain else None
        )

    def substitutions(self, element: Element) -> tuple[tree.Substitution, ...]:
        pairs = self.parts(element.find("substs"))
        return tuple(tree.Substitution(self.ref(pair[0]), self.expression(pair[1])) for pair in pairs)

    def statement(self, element: Element) -> Element:
        """The formula under a named theorem or assumption."""
        return next(part for part in self.parts(element) if part.tag not in ("uniquename", "definition"))

    def symbol(self, uid: str) -> tree.Symbol | None:
        """The entry ``uid`` as a symbol; None for the entries that only wrap another."""
        element, key = self.entries[uid], int(uid)
        if key in self.symbols:
            return self.symbols[key]
        span, name = self.span(element), element.findtext("uniquename") or ""
        match element.tag:
            case "FormalParamNode":
                built: tree.Symbol = tree.Parameter(name, int(element.findtext("arity") or 0), key)
            case "OpDeclNode":
                kind = _DECLARED.get(element.findtext("kind") or "", "new")
                built = tree.Declaration(name, kind, int(element.findtext("arity") or 0), span.module, span, key)
            case "UserDefinedOpKind" | "ModuleInstanceKind" | "BuiltInKind":
                built = self.definition(element, key)
            case "AssumeNode":
                named = element.find("definition")
                body = element.find("body")
                assert body is not None
                built = tree.Assumption(
                    None if named is None else self.ref(named[0]).name, self.expression(body[0]), span, span.module, key
                )
            case "AssumeDef":
                built = tree.Assumption(name, self.expression(self.statement(element)), span, span.module, key)
            case "TheoremNode":
                built = self.theorem(element, key)
            case "TheoremDefNode":
                formula = self.expression(self.statement(element))
                built = tree.Theorem(name, formula, None, False, span, self.level(element), span.module, key)
            case _:
                return None
        self.symbols[key] = built
        return built

    def definition(self, element: Element, key: int) -> tree.Definition:
        span, body = self.span(element), element.find("body")
        formula = None if body is None else self.expression(body[0])
        params = []
        for part in self.parts(element.find("params")):
            parameter = self.symbol(part.findtext("FormalParamNodeRef/UID") or "")
            assert isinstance(parameter, tree.Parameter)
            params.append(parameter)
        name = element.findtext("uniquename") or ""
        kind = {"ModuleInstanceKind": "instance", "BuiltInKind": "builtin"}.get(element.tag, "operator")
        if name == "LAMBDA":
            kind = "lambda"
        elif isinstance(formula, tree.Apply) and formula.operator.name in ("$RecursiveFcnSpec", "$NonRecursiveFcnSpec"):
            kind = "function"
        return tree.Definition(
            name, tuple(params), formula, span, self.level(element), span.module, self.is_local(span),
            element.find("recursive") is not None, kind, key,
        )  # fmt: skip

    def theorem(self, element: Element, key: int) -> tree.Theorem:
        named, body, span = element.find("definition"), element.find("body"), self.span(element)
        assert body is not None
        proof = next((part for part in element if part.tag in ("omitted", "obvious", "by", "steps")), None)
        return tree.Theorem(
            None if named is None else self.ref(named[0]).name,
            self.expression(body[0]),
            None if proof is None else self.proof(proof),
            element.find("suffices") is not None,
            span,
            self.level(element),
            span.module,
            key,
        )

    def proof(self, element: Element) -> tree.Proof:
        if element.tag == "steps":
            return tree.Proof(
                "steps", self.span(element), steps=tuple(self.step(part) for part in self.parts(element))
            )  # fmt: skip
        return tree.Proof(
            element.tag,
            self.span(element),
            self.expressions(element.find("facts")),
            tuple(self.ref(part) for part in self.parts(element.find("defs"))),
            element.find("only") is not None,
        )

    def step(self, element: Element) -> tree.Step:
        match element.tag:
            case "TheoremNodeRef":
                step = self.symbol(element.findtext("UID") or "")
                assert isinstance(step, tree.Theorem)
                return step
            case "TheoremNode":
                return self.theorem(element, 0)
            case "UseOrHideNode":
                return self.use(element)
            case "DefStepNode":
                return tree.DefineStep(tuple(self.ref(part) for part in self.parts(element)), self.span(element))
            case "InstanceNode":
                return self.instance(element)
        raise VstackError(f"SANY's export holds an unknown kind of proof step, {element.tag}")

    def use(self, element: Element) -> tree.UseOrHide:
        return tree.UseOrHide(
            element.find("hide") is not None,
            self.expressions(element.find("facts")),
            tuple(self.ref(part) for part in self.parts(element.find("defs"))),
            element.find("only") is not None,
            self.span(element),
        )

    def instance(self, element: Element) -> tree.Instance:
        return tree.Instance(
            element.findtext("uniquename"),
            element.findtext("module") or "",
            self.substitutions(element),
            tuple(self.ref(part) for part in self.parts(element.find("params"))),
            self.span(element),
        )

    def module(self, element: Element) -> tree.Module:
        name, span = element.findtext("uniquename") or "", self.span(element)
        members = [self.symbol(part.findtext("UID") or "") for part in element if part.tag.endswith("Ref")]
        declared = [item for item in members if isinstance(item, tree.Declaration)]
        # A module inside another has the outer one's file.
        source = self.sources.get(span.module)
        return tree.Module(
            name,
            source.path if source else None,
            source.extends if source else (),
            tuple(item for item in declared if item.kind == "constant"),
            tuple(item for item in declared if item.kind == "variable"),
            tuple(item for item in members if isinstance(item, tree.Definition)),
            tuple(item for item in members if isinstance(item, tree.Assumption)),
            tuple(item for item in members if isinstance(item, tree.Theorem)),
            tuple(self.instance(part) for part in element if part.tag == "InstanceNode"),
            tuple(self.use(part) for part in element if part.tag == "UseOrHideNode"),
            source is None,
            span,
            source.text if source else "",
        )


def to_spec(document: bytes, sources: Mapping[str, Source]) -> tree.Spec:
    """The specification in ``document``, SANY's XML export of the modules in ``sources``.

    Paths, texts, EXTENDS and LOCAL come from ``sources``: the export has none of them.

    Raises:
        VstackError: the document is no such export, or holds a node this reader doesn't know.
    """
    try:
        top = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise VstackError(f"SANY's export is not XML: {error}") from None
    entries: dict[str, Element] = {}
    for entry in top.iterfind("context/entry"):
        entries[entry[0].text or ""] = entry[1]
    inline: list[Element] = top.findall("ModuleNode")
    builder = _Builder(entries, sources)
    with deep_recursion():
        for uid in entries:
            builder.symbol(uid)
        modules = {}
        for element in inline:
            module = builder.module(element)
            modules[module.name] = module
        for uid, element in entries.items():
            if element.tag == "ModuleNode":
                module = builder.module(element)
                modules[module.name] = builder.symbols[int(uid)] = module
    root = modules.get(top.findtext("RootModule") or "")
    if root is None:
        raise VstackError("SANY's export lacks its root module")
    scope = {definition.name: definition for definition in root.definitions}
    return tree.Spec(root, modules, builder.symbols, scope)
