"""Draft goals: a new entry in `vstack.yaml` and its definition in a goals module, comments and layout kept."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

from vstack.errors import VstackError
from vstack.files import read_text, write_atomic
from vstack.project import PROJECT_FILE, Project, load_project
from vstack.reading import project_tools
from vstack.specify.compute import check_kind
from vstack.tla.lexer import lexemes
from vstack.tla.sany import load
from vstack.tla.tree import Spec

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Draft:
    """A goal to add. ``formula`` is TLA+ text, or None if ``name`` is defined already (or the goal is Z3's).

    ``witnesses`` are state formulas that must come true where it holds: a name, and its text if it is to be defined.
    """

    name: str
    kind: str
    english: str
    sources: tuple[str, ...]
    family: str | None = None
    formula: str | None = None
    script: str | None = None
    witnesses: tuple[tuple[str, str | None], ...] = ()

    @property
    def definitions(self) -> tuple[tuple[str, str], ...]:
        """What the goals module gets: names with their formulas."""
        own = ((self.name, self.formula), *self.witnesses)
        return tuple((name, formula.strip()) for name, formula in own if formula is not None)


def with_goal(text: str, draft: Draft, *, where: str) -> str:
    """The text of a `vstack.yaml` with the goal of ``draft`` added as the last under `goals`.

    Raises:
        VstackError: there is no `goals` mapping in block style, or it has the goal already.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    goals = next((value for key, value in pairs if key.value == "goals"), None)
    if not isinstance(goals, yaml.MappingNode) or goals.flow_style or not goals.value:
        raise VstackError(
            "A goal can only be added where `goals:` is followed by one goal a line",
            where=where,
            todo="Write `goals:` in block style, without braces",
        )
    for key, _ in goals.value:
        if key.value == draft.name:
            raise VstackError(
                f"The goal {draft.name} is there already",
                where=f"{where}:{key.start_mark.line + 1}",
                todo="Choose another name, or change the goal by hand and look at `vstack spec diff`",
            )
    lines = text.splitlines(keepends=True)
    indent = " " * goals.value[0][0].start_mark.column
    last = _last_line(lines, goals.value[-1][0].start_mark.line, len(indent))
    if not lines[last].endswith("\n"):
        lines[last] += "\n"
    return "".join([*lines[: last + 1], _entry(draft, indent), *lines[last + 1 :]])


def _last_line(lines: list[str], first: int, indent: int) -> int:
    """Index of the last line of the entry that starts at ``first``: all that is indented deeper, but for blanks."""
    last = first
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            break
        if line.strip():
            last = number
    return last


def _entry(draft: Draft, indent: str) -> str:
    goal: dict[str, object] = {"kind": draft.kind}
    if draft.family:
        goal["family"] = draft.family
    goal |= {"script": draft.script} if draft.kind == "z3" else {"formula": draft.name}
    goal |= {"english": draft.english, "sources": list(draft.sources)}
    if draft.witnesses:
        goal["witnesses"] = [name for name, _ in draft.witnesses]
    body = yaml.safe_dump({draft.name: goal}, sort_keys=False, allow_unicode=True, width=1000, indent=2)
    return "".join(indent + line for line in body.splitlines(keepends=True))


def with_definition(text: str, draft: Draft, *, where: str) -> str:
    """The text of a module with the definitions of ``draft`` added as its last ones.

    Raises:
        VstackError: a name is not a TLA+ name, or the text holds no whole module.
    """
    for name, _ in draft.definitions:
        if not _NAME.fullmatch(name):
            raise VstackError(f"`{name}` is not a name that TLA+ allows", todo="Use letters, digits and `_`")
    end = None
    for item in lexemes(text):
        end = item
    if end is None or end.kind != "rule" or not end.text.startswith("="):
        raise VstackError("The module has no end (a line of `====`)", where=where, todo="Mend the module first")
    comment = "".join(f"\\* {line}\n" for line in draft.english.splitlines())
    start = text.rfind("\n", 0, end.start) + 1
    before = text[:start] if text[:start].endswith("\n\n") else text[:start] + "\n"
    added = "\n".join(f"{name} =={_body(formula)}\n" for name, formula in draft.definitions)
    return f"{before}{comment}{added}{text[start:]}"


def _body(formula: str) -> str:
    return f" {formula}" if "\n" not in formula else "\n" + "\n".join(f"  {line}" for line in formula.splitlines())


def try_draft(project: Project, draft: Draft, module: Path | None, module_text: str, project_text: str) -> None:
    """Have SANY read the model with the drafted module text, in a folder apart, and check the goal's kind.

    Raises:
        VstackError: the formula doesn't parse, the model doesn't reach the
            module, the goal is not of its kind, or `vstack.yaml` would not be valid.
    """
    with tempfile.TemporaryDirectory(prefix="vstack-draft-") as name:
        folder = Path(name)
        (folder / PROJECT_FILE).write_text(project_text, encoding="utf-8")
        originals = {folder / PROJECT_FILE: project.root / PROJECT_FILE}
        for origin in dict.fromkeys((project.model_path.parent, *project.module_folders)) if draft.kind != "z3" else ():
            for path in sorted(origin.glob("*.tla")):
                if folder / path.name not in originals:
                    text = module_text if module is not None and path.samefile(module) else read_text(path)
                    (folder / path.name).write_text(text, encoding="utf-8", newline="")
                    originals[folder / path.name] = path
        try:
            load_project(folder)
            if draft.kind != "z3":
                tools = project_tools(project)
                spec = load(folder / project.model_path.name, search=(), java=tools.java, jar=tools.jar)
                definition = spec.definition(draft.name)
                check_kind(
                    draft.name,
                    draft.kind,
                    definition,
                    where=f"{spec.modules[definition.module].path}:{definition.span.line}",
                )
                for name, _ in draft.witnesses:
                    witness = spec.definition(name)
                    where = f"{spec.modules[witness.module].path}:{witness.span.line}"
                    check_kind(f"{draft.name}, witness {name}", "invariant", witness, where=where)
        except VstackError as error:
            where = error.where or ""
            for copy, original in originals.items():
                where = where.replace(str(copy), str(original))
            raise VstackError(error.what, where=where or None, todo=error.todo) from None


def write_draft(project: Project, module: Path | None, module_text: str, project_text: str) -> None:
    """Write the module, then `vstack.yaml`; if the second can't be written the first is put back.

    Raises:
        VstackError: a file can't be written.
    """
    before = read_text(module) if module is not None else ""
    if module is not None:
        write_atomic(module, module_text)
    try:
        write_atomic(project.root / PROJECT_FILE, project_text)
    except VstackError:
        if module is not None:
            write_atomic(module, before)
        raise


def goals_module(project: Project, spec: Spec, named: str | None) -> Path:
    """The module that a new goal goes into: the one named, or the one that holds the last goal.

    Raises:
        VstackError: none can be told.
    """
    if named is not None:
        return project.root / named
    for goal in reversed(project.file.goals.values()):
        if goal.formula and spec.has(goal.formula):
            path = spec.modules[spec.definition(goal.formula).module].path
            if path is not None:
                return path
    raise VstackError(
        "No module of goals is known",
        where=str(project.root / PROJECT_FILE),
        todo="Name one: `vstack spec draft NAME --module goals/Goals.tla ...`",
    )
