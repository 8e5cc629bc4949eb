"""The module of a proof as SANY reads it, with tlapm's library (or the names of TLAPS alone) for standard modules."""

from __future__ import annotations

import difflib

from vstack.errors import RefusedError, VstackError
from vstack.files import sha256_bytes
from vstack.project import Project
from vstack.reading import project_tools
from vstack.sections import Goal
from vstack.tla.places import Span
from vstack.tla.sany import load
from vstack.tla.sources import Source, gather
from vstack.tla.tree import Module, Spec, Theorem
from vstack.verify.tlaps_library import LIBRARY, library_texts
from vstack.verify.tlaps_tool import find_tlapm

_read: dict[str, Spec] = {}


def read_proof(project: Project, goal_name: str) -> Spec:
    """The proof module of a goal with all it reaches; read once per process while no text changes.

    No cache on disk is believed: an agent can write there.

    Raises:
        RefusedError: a reached file has the name of a library module.
        VstackError: a module or tool is missing, or a module doesn't parse.
    """
    path = project.root / str(project.file.goals[goal_name].module)
    sources = proof_sources(project, goal_name)
    tlapm = find_tlapm(project)
    library = library_texts(tlapm.library if tlapm is not None else None)
    key = "\n".join(
        [
            str(path),
            *(f"{s.path} {sha256_bytes(s.text.encode())}" for s in sources.values()),
            tlapm.sha256 if tlapm else "",
        ]
    )
    if key not in _read:
        tools = project_tools(project)
        try:
            _read[key] = load(
                path, search=project.module_folders, java=tools.java, jar=tools.jar, library=library
            )  # fmt: skip
        except VstackError as error:
            if tlapm is None and any(f"module {name}," in error.what for name in LIBRARY):
                raise VstackError(
                    error.what,
                    where=error.where,
                    todo="It belongs to tlapm's library: install tlapm, or name it in VSTACK_TLAPM",
                ) from None
            raise
    return _read[key]


def proof_sources(project: Project, goal_name: str) -> dict[str, Source]:
    """The files that a proof reaches, by module; the library's are not among them.

    Raises:
        RefusedError: one of them has the name of a library module.
        VstackError: the proof's file is missing or can't be read.
    """
    goal = project.file.goals[goal_name]
    path = project.root / str(goal.module)
    if path.suffix != ".tla" or not path.is_file():
        raise VstackError(
            f"The proof module of goal {goal_name} does not exist", where=str(path), todo="Mend `module` in vstack.yaml"
        )
    found = gather(path, project.module_folders, frozenset())
    for name, source in found.items():
        if name in LIBRARY:
            raise RefusedError(
                f"[tlaps-shadow] The file has the name of the library module {name}: tlapm and SANY could each read another one",
                where=str(source.path),
                todo="Rename the module, and extend the library's own",
            )
    return found


def own_modules(spec: Spec) -> tuple[Module, ...]:
    """The modules outside the library, root first; one inside another counts by itself."""
    found = {id(module): module for module in (spec.root, *spec.modules.values()) if not module.is_standard}
    return tuple({module.name: module for module in found.values()}.values())


def own_theorems(module: Module) -> tuple[Theorem, ...]:
    """The theorems whose text stands in ``module``, those that it extends left out."""
    return tuple(theorem for theorem in module.theorems if theorem.module == module.name)


def theorem_of(spec: Spec, goal_name: str, goal: Goal) -> Theorem:
    """The theorem that a goal names.

    Raises:
        RefusedError: the root module has none of this name before its `====`.
    """
    own = own_theorems(spec.root)
    found = next((theorem for theorem in own if theorem.name == goal.formula), None)
    if found is not None:
        return found
    elsewhere = next(
        (m.name for m in spec.modules.values() if any(t.name == goal.formula for t in own_theorems(m))), None
    )
    near = difflib.get_close_matches(str(goal.formula), [t.name for t in own if t.name], n=1)
    why = ""
    if elsewhere is not None:
        why = f"; module {elsewhere} has one, and a goal's theorem must stand in the proof's own module"
    elif spec.root.text.count(f"{goal.formula} ==") or f"{goal.formula}==" in spec.root.text:
        why = "; the name stands in the file, but not as a theorem that is read: after the closing `====`, in a comment, or as an operator"
    raise RefusedError(
        f"[tlaps-theorem] Goal {goal_name}: module {spec.root.name} has no theorem {goal.formula}{why}",
        where=str(spec.root.path),
        todo=f"The nearest name is {near[0]}"
        if near
        else f"State `THEOREM {goal.formula} == ...` with its proof there",
    )


def statement_span(theorem: Theorem) -> Span:
    """Where the theorem's statement stands, its proof left out."""
    span, body = theorem.span, theorem.body.span
    return Span(span.module, span.line, span.column, body.end_line, body.end_column)
