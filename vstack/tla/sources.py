"""The files of a specification: which modules a root module reaches, and where each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import read_text
from vstack.tla.lexer import lexemes, module_names


@dataclass(frozen=True, slots=True)
class Source:
    """One module file that is not in the jar: what it extends and instantiates is as written."""

    name: str
    path: Path
    text: str
    extends: tuple[str, ...]
    instances: tuple[str, ...]


def gather(path: Path, search: Sequence[Path], standard: frozenset[str]) -> dict[str, Source]:
    """The root module at ``path`` and every module file it reaches, root first.

    A module is looked for in the root's folder, then in ``search`` in order. A
    name that no folder holds is left out: SANY says which module misses it.

    Raises:
        VstackError: the root can't be read, or a reached file has a standard module's name.
    """
    folders = list(dict.fromkeys([path.parent, *search]))
    found: dict[str, Source] = {}
    pending = [(path.stem, path)]
    while pending:
        name, place = pending.pop(0)
        if name in found:
            continue
        if name in standard:
            raise VstackError(
                f"The file shadows the standard module {name}",
                where=str(place),
                todo="Rename the module: a specification must mean the same wherever it is read",
            )
        text = read_text(place)
        extends, instances = module_names(text)
        if next(iter(lexemes(text)), None) is None:
            raise VstackError(
                "The file holds no module",
                where=str(place),
                todo=f"It must begin with ---- MODULE {name} ---- and end with ====",
            )
        found[name] = Source(name, place, text, extends, instances)
        for wanted in (*extends, *instances):
            file = next((folder / f"{wanted}.tla" for folder in folders if (folder / f"{wanted}.tla").exists()), None)
            if file is not None:
                pending.append((wanted, file))
    return found
