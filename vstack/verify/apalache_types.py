"""What a person approves for Apalache: type annotations, which are comments and yet part of what is checked, and operators."""

from __future__ import annotations

import itertools
import re

from vstack.sections import Apalache
from vstack.tla.lexer import Lexeme, lexemes
from vstack.tla.tree import Spec

_ANNOTATION = re.compile(r"@(type|typeAlias)\s*:\s*([^;]*);", re.DOTALL)
_SIGNS = re.compile(r"^\s*(?:\\\*|\(\*+|\*(?!\)))", re.MULTILINE)


def type_annotations(spec: Spec) -> dict[str, list[str]]:
    """Each module's annotations in order, as ``name: @type: TYPE`` with the next word of the module's text for the name."""
    found = {name: _of(module.text) for name, module in spec.modules.items() if not module.is_standard}
    return {name: listed for name, listed in sorted(found.items()) if listed}


def _of(source: str) -> list[str]:
    listed: list[str] = []
    # Comments that stand together are one to Apalache: a type may go on over several lines.
    groups = [(is_comment, list(items)) for is_comment, items in itertools.groupby(lexemes(source), _is_comment)]
    for (is_comment, items), (_, after) in itertools.pairwise([*groups, (False, [])]):
        if is_comment:
            text = "\n".join(item.text for item in items)
            owner = after[0].text if after else ""
            listed += [
                f"{owner}: @{kind}: {' '.join(_SIGNS.sub('', given).split())}"
                for kind, given in _ANNOTATION.findall(text)
            ]
    return listed


def _is_comment(item: Lexeme) -> bool:
    return item.kind in ("line", "block")


def named_operators(section: Apalache) -> dict[str, tuple[str, ...]]:
    """What the section names, by its role: pinned with all that it uses, the bounds of `Gen` among it."""
    invariants = tuple(entry.invariant for entry in section.goals.values() if entry.invariant)
    return {"constants by": (section.cinit,) if section.cinit else (), "inductive invariant": invariants}
