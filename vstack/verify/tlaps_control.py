"""The control of a proof: its theorem with FALSE for the conclusion, which must not be provable.

Where it is, the hypotheses or the assumptions contradict each other, or the
formula they speak of is met by nothing, and the theorem says nothing.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vstack.files import sha256_bytes
from vstack.tla.closure import closure
from vstack.tla.conjuncts import CONJUNCTION, is_operator
from vstack.tla.tree import ACTION_LEVEL, Apply, AssumeProve, NewSymbol, Node, Spec, Theorem
from vstack.verify.tlaps_hypotheses import hypotheses, unfolded
from vstack.verify.tlaps_protocol import parse

_PLAIN = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Control:
    """The root module with the controls before its end, and the lines of each of them (first and last)."""

    text: str
    theorems: tuple[tuple[int, int], ...]

    @property
    def lines(self) -> tuple[int, int]:
        """The lines that tlapm is asked about."""
        return self.theorems[0][0], self.theorems[-1][1]


def control_of(spec: Spec, theorem: Theorem) -> Control:
    """The controls of ``theorem``: by back-ends for first-order logic and, for temporal ones, for temporal logic."""
    named = (item.name for item in spec.root.assumptions if item.name and _PLAIN.fullmatch(item.name))
    facts = list(dict.fromkeys(named))
    names = {member.name for member in closure(spec, str(theorem.name)).members}
    definitions = sorted(name for name in names if _PLAIN.fullmatch(name) and spec.has(name))
    lines = spec.root.text.splitlines()
    before, end = lines[: spec.root.span.end_line - 1], lines[spec.root.span.end_line - 1 :]
    # By all texts that it could stand in: none of them can have a theorem of this name already.
    texts = "\n".join(sorted({module.text for module in spec.modules.values()}))
    name = f"VstackControl{sha256_bytes(texts.encode())[:16]}"
    added: list[str] = []
    places: list[tuple[int, int]] = []
    for number, (statement, extra) in enumerate(_statements(spec, theorem), start=1):
        first = len(before) + len(added) + 1
        added += [f"THEOREM {name}x{number} ==", *statement.splitlines()]
        by = ", ".join([*facts, *extra])
        using = f" DEF {', '.join(definitions)}" if definitions else ""
        proof = f"BY {by}{using}" if by else f"BY{using}" if using else "OBVIOUS"
        added += textwrap.wrap(proof, 100, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
        places.append((first, len(before) + len(added)))
    return Control("\n".join([*before, *added, *end]) + "\n", tuple(places))


def proved_controls(control: Control, output: str) -> tuple[int, ...]:
    """The numbers of the controls that a run proved, all obligations of each of them."""
    found = []
    obligations = parse(output).obligations.values()
    for number, (first, last) in enumerate(control.theorems, start=1):
        mine = [item for item in obligations if first <= item.start[0] and item.end[0] <= last]
        if mine and all(item.status in ("proved", "trivial") for item in mine):
            found.append(number)
    return tuple(found)


def tried_controls(control: Control, output: str) -> bool:
    """Whether each control was given to a back-end and has an answer."""
    obligations = parse(output).obligations.values()
    ended = [item for item in obligations if item.status in ("proved", "trivial", "failed")]
    return all(any(first <= item.start[0] <= last for item in ended) for first, last in control.theorems)


def _statements(spec: Spec, theorem: Theorem) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each control's statement with the back-end that it names.

    The hypotheses are gathered through the names that stand for them, so that
    none hides in a definition of the theorem's own formula.
    """
    given = [item for item in hypotheses(spec, theorem.body, visible=True) if spec.text(item.span)]
    declared = [item for item in given if isinstance(item, NewSymbol)]
    if theorem.level <= ACTION_LEVEL:
        yield _refuted(spec, given), ()
        return
    yield _refuted(spec, given), ("PTL",)
    parts = [part for item in given if not isinstance(item, NewSymbol) for part in _conjuncts(spec, item)]
    if parts:
        yield _refuted(spec, [*declared, *parts]), ()


def _refuted(spec: Spec, given: Sequence[Node]) -> str:
    """That ``given`` imply FALSE; each keeps its columns, for bulleted lists hang on them."""
    texts = [_in_place(spec, item) for item in given]
    if not texts:
        return "  FALSE"
    if any(isinstance(item, NewSymbol | AssumeProve) for item in given):
        return "ASSUME\n" + ",\n".join(texts) + "\nPROVE FALSE"
    return "(\n" + "\n) /\\ (\n".join(texts) + "\n) => FALSE"


def _conjuncts(spec: Spec, node: Node) -> Iterator[Node]:
    """What of a hypothesis is about a state or a step: a solver without temporal logic can refute it."""
    opened = unfolded(spec, node)
    if is_operator(opened, *CONJUNCTION) and isinstance(opened, Apply):
        for operand in opened.operands:
            yield from _conjuncts(spec, operand)
    elif node.level <= ACTION_LEVEL and spec.text(node.span):
        yield node


def _in_place(spec: Spec, node: Node) -> str:
    return " " * (node.span.column - 1) + spec.text(node.span)
