"""Rule: what a person reads is what is pinned. No character moves the cursor, turns the line round or has no width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from vstack.files import read_text
from vstack.project import PROJECT_FILE, Project
from vstack.results import Finding
from vstack.tla.tree import Spec

# Tab, line feed and carriage return lay text out; all other controls act on a terminal.
_LAYOUT = frozenset("\t\n\r")
# Marks that order letters of scripts written from right to left turn what stands after them, too; the others show nothing.
_UNSEEN = frozenset("\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")


def check_plain_text(project: Project, spec: Spec | None) -> tuple[Finding, ...]:
    """Each line of `vstack.yaml` and of the model's modules with a character that shows other text than there is.

    In YAML an escape (``"\\e"``) writes such a character too: the strings as read are looked at as well.
    """
    path = project.root / PROJECT_FILE
    found = list(_lines(str(path), read_text(path)))
    if not found:
        for key, text in _strings(project.file.model_dump(mode="json"), ()):
            found += [_finding(str(path), name, f"`{key}`") for name in _deceiving(text)]
    modules = spec.modules.values() if spec is not None else ()
    for module in modules:
        if module.path is not None and not module.is_standard:
            found += _lines(str(module.path), read_text(module.path))
    return tuple(dict.fromkeys(found))


def _lines(path: str, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        for name in dict.fromkeys(_deceiving(line)):
            yield _finding(f"{path}:{number}", name, "The line")


def _deceiving(text: str) -> Iterator[str]:
    for character in text:
        if character in _UNSEEN or (unicodedata.category(character) == "Cc" and character not in _LAYOUT):
            yield f"U+{ord(character):04X} {unicodedata.name(character, 'control character')}"


def _strings(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield ".".join(path), value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield ".".join(path), str(key)
            yield from _strings(item, (*path, str(key)))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, path)


def _finding(where: str, name: str, what: str) -> Finding:
    return Finding(
        rule="deceiving-text",
        where=where,
        message=f"{what} holds {name}: what a person sees and approves is not what is there",
        todo="Take the character out",
    )
