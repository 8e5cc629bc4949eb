"""Every rule that the sources name has an id, every id a rule, and the page tells them all."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from vstack.audit.catalog import DOCS, RULES, page

SOURCES = Path(__file__).parents[2] / "vstack"
NAME = re.compile(r"[a-z]+(-[a-z]+)+")


def named_in_sources() -> set[str]:
    """The rule of each `Finding(rule=...)`, and the first argument of the helpers that make findings."""
    found = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [keyword.value for keyword in node.keywords if keyword.arg == "rule"]
            if called in ("_finding", "refuse", "rule_id"):
                given += node.args[:1]
            given += [side for value in given if isinstance(value, ast.IfExp) for side in (value.body, value.orelse)]
            for value in given:
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and NAME.fullmatch(value.value):
                    found.add(value.value)
                elif isinstance(value, ast.JoinedStr) and isinstance(head := value.values[0], ast.Constant):
                    found |= {name for name in RULES if name.startswith(head.value)}
    return found


def named_in_reasons() -> set[str]:
    """The rules that stand in front of an engine's own reason: `[z3-assumed] ...`."""
    pattern = r"\[((?:z3|tlaps|apalache)-[a-z-]+)\]"
    return {name for path in SOURCES.rglob("*.py") for name in re.findall(pattern, path.read_text())}


def test_names_in_the_sources_and_in_the_catalog_are_the_same() -> None:
    # These are chosen by an expression, or are a name of one word.
    chosen = {"trace-refused", "trace-differs", "cell"}
    assert named_in_sources() | named_in_reasons() | chosen == set(RULES)


def test_ids_are_unique_and_well_formed() -> None:
    ids = [rule.id for rule in RULES.values()]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"VS[1-9]\d\d", one) for one in ids)
    assert all(name == rule.name for name, rule in RULES.items())


def test_the_page_is_up_to_date() -> None:
    assert DOCS.read_text() == page(), "run `python -m vstack.audit.catalog`"
