"""Edits by span leave text that SANY reads as what was meant."""

from __future__ import annotations

import pytest

from tests.tla.conftest import Read
from tests.tla.test_xml import every
from vstack.errors import VstackError
from vstack.tla.closure import closure
from vstack.tla.edit import Edit, apply_edits
from vstack.tla.places import Span
from vstack.tla.tree import Apply, Node, Spec, Substituted

LISTS = r"""
EXTENDS Naturals
VARIABLES x, y
A == /\ x = 1 => /\ y = 1
                 /\ y < 5
     /\ x < 9
B == x = 2 /\ (\/ y = 3
               \/ y = 4)
C ==	/\ x = 1	/\ y = 2 \* tabs and /\ bullets
	/\ x + y < 9
D == y = 9 /\ \/ y = 3
              \/ y = 4
"""


def find(spec: Spec, definition: str, text: str) -> Span:
    body = spec.definition(definition).body
    assert body is not None
    (span,) = {node.span for node in every(body) if spec.text(node.span) == text}
    return span


CASES = [
    ("A", "x = 1", "x > 1000000"),
    ("A", "x = 1", "TRUE"),
    ("A", "x = 1", "/\\ x = 1\n/\\ y = 7\n/\\ x # y"),
    ("A", "1", "(1 + 2 + 3 + 4 + 5)"),
    ("A", "y = 1", "y = 1 \\/ y = 2"),
    ("A", "y < 5", "\\/ y < 5\n\\/ y > 6"),
    ("A", "x < 9", "x < 9 => y > 2"),
    ("B", "x = 2", "x \\in {2, 3, 4} \\union {5}"),
    ("B", "y = 3", "y = 3 /\\ x = 3"),
    ("C", "x = 1", "x = 11111111111111"),
    ("C", "y = 2", "y = 3 => x = 3"),
    ("C", "x", "y"),
    ("D", "y = 9", "x + y + x + y = 9"),
    ("D", "y = 9", "TRUE"),
]


def test_a_replaced_expression_means_the_replacement_in_its_place(read: Read) -> None:
    """Each edit is made twice: with the text, and with a call of a definition that holds the text."""
    spec = read(Lists=LISTS)
    root, modules = ["EXTENDS Naturals", "VARIABLES x, y"], {}
    for number, (definition, old, new) in enumerate(CASES):
        body = spec.definition(definition).body
        assert body is not None
        span = next(node.span for node in every(body) if spec.text(node.span) == old)
        lines = "\n".join(f"    {line}" for line in new.split("\n"))
        edited = apply_edits(spec.root.text, [Edit(span, new)])
        named = apply_edits(spec.root.text, [Edit(span, "New")])
        modules[f"Edited{number}"] = edited.replace("MODULE Lists", f"MODULE Edited{number}")
        modules[f"Named{number}"] = named.replace("MODULE Lists", f"MODULE Named{number}").replace(
            "VARIABLES x, y\n", f"VARIABLES x, y\nNew ==\n{lines}\n"
        )
        root += [f"E{number} == INSTANCE Edited{number}", f"N{number} == INSTANCE Named{number}"]
    both = read(All="\n".join(root), helpers=modules)
    for number, (definition, old, new) in enumerate(CASES):
        edited_form, named_form = inlined(both, f"E{number}!{definition}"), inlined(both, f"N{number}!{definition}")
        assert edited_form == named_form, (definition, old, new, modules[f"Edited{number}"])
        assert edited_form != inlined(spec, definition)


def inlined(spec: Spec, name: str) -> str:
    """The definition as one expression: ``New`` opened, lists flat, the instance left out."""

    def operands(node: Node, operator: str) -> list[str]:
        node = opened(node)
        if isinstance(node, Apply) and plain(node.operator.name) == operator:
            return [text for operand in node.operands for text in operands(operand, operator)]
        return [shown(node)]

    def plain(operator: str) -> str:
        return {"$ConjList": "\\land", "$DisjList": "\\lor"}.get(operator, operator)

    def opened(node: Node) -> Node:
        if isinstance(node, Substituted):
            return opened(node.body)
        if isinstance(node, Apply) and node.operator.name == "New":
            body = getattr(spec.resolve(node.operator), "body", None)
            assert body is not None
            return opened(body)
        return node

    def shown(node: Node) -> str:
        node = opened(node)
        if not isinstance(node, Apply):
            return repr(getattr(node, "value", node))
        operator = plain(node.operator.name)
        if operator in ("\\land", "\\lor"):
            return f"({operator} {' '.join(operands(node, operator))})"
        return f"({operator} {' '.join(shown(operand) for operand in node.operands)})"

    body = spec.definition(name).body
    assert body is not None
    return shown(body)


def test_several_edits_at_once(read: Read) -> None:
    spec = read(Lists=LISTS)
    edits = [
        Edit(find(spec, "A", "x < 9"), "x < 10"),
        Edit(find(spec, "A", "y = 1"), "TRUE"),
        Edit(find(spec, "C", "y = 2"), "FALSE"),
    ]
    edited = apply_edits(spec.root.text, edits)
    again = read(Lists=edited)
    assert edited == apply_edits(spec.root.text, list(reversed(edits)))
    assert closure(again, "B").digest == closure(spec, "B").digest
    assert "(x < 10)" in edited and "=> /\\ TRUE\n" in edited and "/\\ FALSE \\*" in edited


def test_text_that_is_no_expression_is_put_in_as_it_is(read: Read) -> None:
    spec = read(Lists=LISTS)
    span = spec.definition("B").span
    edited = apply_edits(spec.root.text, [Edit(span, "B == x = 7\nNew == y = 8", is_expression=False)])
    assert read(Lists=edited).has("New")


def test_overlapping_edits_are_refused(read: Read) -> None:
    spec = read(Lists=LISTS)
    body = spec.definition("A").body
    assert body is not None
    with pytest.raises(VstackError, match="overlap"):
        apply_edits(spec.root.text, [Edit(body.span, "TRUE"), Edit(find(spec, "A", "x < 9"), "FALSE")])


@pytest.mark.parametrize("span", [Span("M", 90, 1, 90, 2), Span("M", 1, 80, 1, 90), Span("M", 0, 1, 1, 1)])
def test_a_span_of_another_text_is_refused(span: Span) -> None:
    with pytest.raises(VstackError, match="outside"):
        apply_edits("one line\n", [Edit(span, "TRUE")])
