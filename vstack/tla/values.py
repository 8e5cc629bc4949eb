"""TLA+ values as TLC prints them, as Python values, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vstack.errors import VstackError

# An interval longer than this stays symbolic: 1..1000000000 must not fill the memory.
INTERVAL_LIMIT = 100_000

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*")
      | (?P<number>-?\d+(?!\w))
      | (?P<word>\\?\w+(?:!\w+)*)
      | (?P<blank>\s+)
      | (?P<sign><<|>>|\|->|:>|@@|\.\.|/\\|->|.)""",
    re.VERBOSE | re.DOTALL,
)
_IDENTIFIER = re.compile(r"\w*[A-Za-z]\w*\Z", re.ASCII)
_CLOSING = {"{": "}", "[": "]", "(": ")", "<<": ">>"}
_ENDS = frozenset({",", "}", "]", ")", ">>", "@@", ":>", "/\\"})
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", '"': '"', "\\": "\\"}
# What tells a set that TLC left unlisted from text that is no value at all.
_LAZY_SIGNS = frozenset(
    {"SUBSET", "UNION", "DOMAIN", "\\cup", "\\union", "\\cap", "\\intersect", "\\X", "\\", "->", "..", ":", "\\in"}
)
_LAZY_NAMES = frozenset({"Nat", "Int", "Real", "STRING", "Infinity"})


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A model value: equal to itself alone."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbolic:
    """A set TLC prints without listing it (``SUBSET S``, ``[S -> T]``, ``Nat``), as its text on one line."""

    text: str


class FnValue(Mapping["Value", "Value"]):
    """A function: an immutable, hashable mapping from domain to range."""

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Iterable[tuple[Value, Value]] | Mapping[Value, Value]) -> None:
        self._items: dict[Value, Value] = dict(items)
        self._hash: int | None = None

    def __getitem__(self, key: Value) -> Value:
        return self._items[key]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FnValue) and self._items == other._items

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items!r})"


class Record(FnValue):
    """A function whose domain is a set of strings: the fields."""

    __slots__ = ()


Value = bool | int | str | frozenset["Value"] | tuple["Value", ...] | FnValue | ModelValue | Symbolic


def function(items: Iterable[tuple[Value, Value]]) -> Value:
    """The function with these pairs, in its one form: a sequence is a tuple, string keys make a Record."""
    pairs = dict(items)
    if set(pairs) == set(range(1, len(pairs) + 1)) and not any(isinstance(key, bool) for key in pairs):
        return tuple(pairs[index] for index in range(1, len(pairs) + 1))
    return Record(pairs) if all(isinstance(key, str) for key in pairs) else FnValue(pairs)


class _Unlisted(Exception):
    """The text is not a listed value here: take it as symbolic."""


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [match for match in _TOKEN.finditer(text) if match.lastgroup != "blank"]
        self.index = 0

    def peek(self) -> str | None:
        return self.tokens[self.index].group() if self.index < len(self.tokens) else None

    def take(self, expected: str | None = None) -> re.Match[str]:
        if self.index >= len(self.tokens):
            raise _Unlisted
        token = self.tokens[self.index]
        if expected is not None and token.group() != expected:
            raise _Unlisted
        self.index += 1
        return token

    def value(self) -> Value:
        start = self.index
        try:
            found = self.listed()
            if self.peek() is None or self.peek() in _ENDS:
                return found
        except _Unlisted:
            pass
        self.index = start
        return self.symbolic()

    def symbolic(self) -> Symbolic:
        """The text up to where a value must end, brackets balanced."""
        first, lazy = self.index, False
        expected: list[str] = []
        while (sign := self.peek()) is not None:
            if not expected and sign in _ENDS:
                break
            if sign in _CLOSING:
                expected.append(_CLOSING[sign])
            elif expected and sign == expected[-1]:
                expected.pop()
            lazy = lazy or sign in _LAZY_SIGNS
            self.index += 1
        if expected or not lazy:
            self.index = first
            raise self.error()
        text = self.text[self.tokens[first].start() : self.tokens[self.index - 1].end()]
        return Symbolic(" ".join(text.split()))

    def error(self) -> VstackError:
        place = self.tokens[self.index].start() if self.index < len(self.tokens) else len(self.text)
        near = self.text[max(0, place - 20) : place + 30].replace("\n", " ")
        line = self.text.count("\n", 0, place) + 1
        return VstackError(f"The text is no value as TLC prints one, near {near!r} in its line {line}")

    def listed(self) -> Value:
        token = self.take()
        text, kind = token.group(), token.lastgroup
        if kind == "string":
            return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), text[1:-1], flags=re.DOTALL)
        if kind == "number":
            return self.interval(int(text)) if self.peek() == ".." else int(text)
        if text in ("TRUE", "FALSE"):
            return text == "TRUE"
        if kind == "word" and not text.startswith("\\"):
            return Symbolic(text) if text in _LAZY_NAMES else ModelValue(text)
        if text == "{":
            return frozenset(self.sequence("}"))
        if text == "<<":
            return tuple(self.sequence(">>"))
        if text == "[":
            return self.record()
        if text == "(":
            return self.explicit()
        raise _Unlisted

    def interval(self, low: int) -> Value:
        self.take("..")
        high = self.take()
        if high.lastgroup != "number":
            raise _Unlisted
        if int(high.group()) - low > INTERVAL_LIMIT:
            return Symbolic(f"{low}..{high.group()}")
        return frozenset(range(low, int(high.group()) + 1))

    def sequence(self, closing: str) -> list[Value]:
        items: list[Value] = []
        if self.peek() == closing:
            self.take()
            return items
        while True:
            first = self.index
            items.append(self.value())
            item, signs = items[-1], (token.group() for token in self.tokens[first : self.index])
            if isinstance(item, Symbolic) and not item.text.startswith("[") and ":" in signs:
                raise _Unlisted  # {x \in S : P}: a set of its own, not a list of elements
            if self.take().group() == closing:
                return items
            if self.tokens[self.index - 1].group() != ",":
                raise _Unlisted

    def record(self) -> Value:
        fields: list[tuple[Value, Value]] = []
        while True:
            name = self.take()
            if name.lastgroup != "word":
                raise _Unlisted
            self.take("|->")
            fields.append((name.group(), self.value()))
            if self.take().group() == "]":
                return function(fields)
            if self.tokens[self.index - 1].group() != ",":
                raise _Unlisted

    def explicit(self) -> Value:
        pairs: list[tuple[Value, Value]] = []
        while True:
            key = self.value()
            self.take(":>")
            pairs.append((key, self.value()))
            if self.take().group() == ")":
                return function(pairs)
            if self.tokens[self.index - 1].group() != "@@":
                raise _Unlisted


def parse_value(text: str) -> Value:
    """The value that ``text`` prints.

    int, bool and str stand for themselves, a set is a frozenset (an interval
    too), a tuple or sequence a tuple, a function or record a ``FnValue`` or
    ``Record``, a model value a ``ModelValue``; a set that TLC leaves unlisted
    is ``Symbolic``. A function on 1..n is the sequence that it equals.

    Raises:
        VstackError: the text is no value.
    """
    parser = _Parser(text)
    try:
        value = parser.value()
    except _Unlisted:
        raise parser.error() from None
    if parser.peek() is not None:
        raise parser.error()
    return value


def parse_state(text: str) -> dict[str, Value]:
    """The variables of a state that ``text`` prints: ``/\\ x = 1`` per variable, or ``x = 1`` alone.

    Raises:
        VstackError: the text is no state.
    """
    parser, state = _Parser(text), {}
    try:
        while parser.peek() is not None:
            if parser.peek() == "/\\":
                parser.take()
            name = parser.take()
            if name.lastgroup != "word":
                raise parser.error()
            parser.take("=")
            state[name.group()] = parser.value()
            if parser.peek() not in (None, "/\\"):
                raise parser.error()
    except _Unlisted:
        raise parser.error() from None
    return state


def order_key(value: Value) -> tuple:  # type: ignore[type-arg]
    """A sort key over all values: by kind, then by size and elements; the same on every run."""
    match value:
        case bool():
            return (0, value)
        case int():
            return (1, value)
        case str():
            return (2, value)
        case ModelValue():
            digits = [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", value.name)]
            return (3, tuple((isinstance(part, str), part) for part in digits))
        case tuple():
            return (4, len(value), tuple(order_key(item) for item in value))
        case frozenset():
            return (5, len(value), tuple(order_key(item) for item in ordered(value)))
        case FnValue():
            keys = ordered(value)
            return (6, len(value), tuple((order_key(key), order_key(value[key])) for key in keys))
        case Symbolic():
            return (7, value.text)
    raise TypeError(f"not a TLA+ value: {value!r}")


def ordered(values: Iterable[Value]) -> list[Value]:
    """The values of a set, or the keys of a function, in ``order_key`` order."""
    return sorted(values, key=order_key)


def format_value(value: Value) -> str:
    """``value`` as TLA+ text on one line, as TLC would print it; sets in ``order_key`` order."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case str():
            return quoted(value)
        case ModelValue():
            return value.name
        case Symbolic():
            return value.text
        case tuple():
            return f"<<{', '.join(format_value(item) for item in value)}>>"
        case frozenset():
            return f"{{{', '.join(format_value(item) for item in ordered(value))}}}"
        case Record() if all(isinstance(key, str) and _IDENTIFIER.match(key) for key in value):
            return f"[{', '.join(f'{key} |-> {format_value(value[key])}' for key in ordered(value))}]"
        case FnValue():
            return f"({' @@ '.join(f'{format_value(key)} :> {format_value(value[key])}' for key in ordered(value))})"
    raise TypeError(f"not a TLA+ value: {value!r}")


def quoted(text: str) -> str:
    """``text`` as a TLA+ string."""
    back = {plain: f"\\{letter}" for letter, plain in _ESCAPES.items()}
    return '"' + "".join(back.get(letter, letter) for letter in text) + '"'


def to_json(value: Value) -> object:
    """``value`` as JSON data, in the form of Apalache's ITF traces.

    A sequence is a list, a record an object, a set ``{"#set": [...]}``, another
    function ``{"#map": [[key, value], ...]}``; a symbolic set is
    ``{"#unserializable": text}`` and a model value ``{"#model": name}``.
    """
    match value:
        case bool() | int() | str():
            return value
        case ModelValue():
            return {"#model": value.name}
        case Symbolic():
            return {"#unserializable": value.text}
        case tuple():
            return [to_json(item) for item in value]
        case frozenset():
            return {"#set": [to_json(item) for item in ordered(value)]}
        case Record():
            return {str(key): to_json(value[key]) for key in ordered(value)}
        case FnValue():
            return {"#map": [[to_json(key), to_json(value[key])] for key in ordered(value)]}
    raise TypeError(f"not a TLA+ value: {value!r}")
