"""What SANY prints about a module that doesn't parse, as one error with file and line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from vstack.errors import VstackError
from vstack.tla.lexer import lexemes
from vstack.tla.sources import Source

_SEMANTIC = re.compile(
    r"^line (\d+), col \d+ to line \d+, col \d+ of module (\w+)\s*\n\s*\n(.+?)(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL
)
_PARSING = re.compile(r"^Parsing file (.+)$", re.MULTILINE)
_PARSE_ERROR = re.compile(r"\*\*\*Parse Error\*\*\*\s*\n(.+?)(?=\n\s*\n|\n+Residual|\Z)", re.DOTALL)
_LEXICAL_ERROR = re.compile(r"^(?:\*\*\*)?\s*(Lexical error.*|.*[Ll]exical error.*)$", re.MULTILINE)
_AT_LINE = re.compile(r"\bat line (\d+)|\bline (\d+),? col")
_MISSING = re.compile(r"Cannot find source file for module (\w+)(?: imported in module (\w+))?")
_SHOWN = 5


def complaint(output: str, root: str, sources: Mapping[str, Source], standard: frozenset[str]) -> VstackError:
    """The error that SANY's ``output`` tells of.

    At most five messages are shown, each with its place; what SANY says under
    "Warnings" is left out.
    """
    missing = _MISSING.search(output)
    if missing:
        return _missing_module(missing.group(1), missing.group(2) or root, sources, sources[root].path.parent, standard)
    errors = output.split("*** Warnings:")[0]
    found: dict[str, None] = {}
    where = None
    for line, module, text in _SEMANTIC.findall(errors):
        place = _place(sources, module, int(line))
        where = where or place
        found[f"{place}: {' '.join(text.split())}"] = None
    if not found:
        for error in (_PARSE_ERROR.search(output), _LEXICAL_ERROR.search(output)):
            if error is None:
                continue
            files = _PARSING.findall(output, 0, error.start())
            module = Path(files[-1].strip()).stem if files else root
            line = _AT_LINE.search(error.group(0))
            where = _place(sources, module, int(line.group(1) or line.group(2))) if line else _place(sources, module, 0)
            found[" ".join(error.group(1).split())] = None
            break
    if not found:
        said = [text for text in (line.strip() for line in output.splitlines()) if text and not text.startswith("at ")]
        return VstackError(
            f"SANY can't read the module: {' '.join(said[-3:])[:500]}", where=str(sources[root].path)
        )  # fmt: skip
    messages = list(found)
    if where and len(messages) == 1:
        messages = [messages[0].removeprefix(f"{where}: ")]
    shown = "; ".join(messages[:_SHOWN])
    more = f" (and {len(messages) - _SHOWN} more)" if len(messages) > _SHOWN else ""
    return VstackError(f"SANY does not accept the module: {shown.rstrip('.')}{more}", where=where)


def _place(sources: Mapping[str, Source], module: str, line: int) -> str:
    file = str(sources[module].path) if module in sources else f"module {module}"
    return f"{file}:{line}" if line else file


def _missing_module(
    name: str, importer: str, sources: Mapping[str, Source], folder: Path, standard: frozenset[str]
) -> VstackError:
    where = _place(sources, importer, 0)
    if importer in sources:
        text = sources[importer].text
        for item in lexemes(text):
            if item.kind == "word" and item.text == name:
                where = _place(sources, importer, text.count("\n", 0, item.start) + 1)
                break
    known = sorted(standard | {file.stem for file in folder.glob("*.tla") if file.is_file()})
    # Goals and Reals share three letters of five, and are not near: whoever meant the one did not write the other.
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    return VstackError(
        f"There is no module {name}, which module {importer} uses",
        where=where,
        todo=f"The nearest name is {near[0]}" if near else "Put it next to the module, or name its folder",
    )
