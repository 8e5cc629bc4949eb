"""Comments, strings and module names are told apart in any mixture."""

from __future__ import annotations

import pytest

from vstack.tla.lexer import lexemes, module_names

FRAME = "---- MODULE M ----\n{}\n====\n"


@pytest.mark.parametrize(
    ("body", "extends", "instances"),
    [
        ("EXTENDS A, B", ("A", "B"), ()),
        ("EXTENDS A,\n  B \\* C\n , D", ("A", "B", "D"), ()),
        ("EXTENDS A (* , X *), B\nF == 1", ("A", "B"), ()),
        ("\\* EXTENDS A\n(* EXTENDS B (* INSTANCE C *) *)", (), ()),
        ('F == "EXTENDS A" \\* INSTANCE B', (), ()),
        ("I == INSTANCE A WITH x <- y\nLOCAL INSTANCE B\nJ(p) == INSTANCE A", (), ("A", "B")),
        ('F == "(*"\nINSTANCE A\nG == "*)"', (), ("A",)),
        ('(* " *) INSTANCE A (* " *)', (), ("A",)),
        ("EXTENDS A\n---- MODULE Inner ----\nEXTENDS B\n====\nINSTANCE C", ("A", "B"), ("C",)),
        ("F == INSTANCES", (), ()),
        ('F == "a\\"b" \\* "\nINSTANCE A', (), ("A",)),
        ("----\nINSTANCE A\n-------\nINSTANCE B", (), ("A", "B")),
    ],
)
def test_module_names(body: str, extends: tuple[str, ...], instances: tuple[str, ...]) -> None:
    assert module_names(FRAME.format(body)) == (extends, instances)


def test_what_stands_around_the_module_is_not_read() -> None:
    text = "EXTENDS No (* never closed\n" + FRAME.format("EXTENDS A") + "INSTANCE No\n" + FRAME.format("EXTENDS No")
    assert module_names(text) == (("A",), ())


def test_the_pieces_cover_the_text() -> None:
    source = FRAME.format('F(a) == a \\o "x (* y" (* z "q *) \\* end')
    items = list(lexemes(source))
    assert all(source[item.start : item.end] == item.text for item in items)
    assert [item.kind for item in items if item.kind in ("string", "block", "line")] == ["string", "block", "line"]


@pytest.mark.parametrize("end", ["EXTENDS", "EXTENDS A,", "INSTANCE", '"open', "(* open", "EXTENDS A", ""])
def test_a_text_that_breaks_off(end: str) -> None:
    assert module_names(f"---- MODULE M ----\n{end}")[1] == ()


def test_a_text_without_a_module() -> None:
    assert list(lexemes("no module here")) == [] and module_names("") == ((), ())
