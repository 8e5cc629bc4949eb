"""`vstack spec draft`: a new goal in `vstack.yaml` and in a goals module, for a person to approve."""

from __future__ import annotations

import json
from pathlib import Path

import click

from vstack.errors import VstackError
from vstack.files import exclusive, read_text
from vstack.guard.index import record_draft
from vstack.project import PROJECT_FILE, Project, load_project
from vstack.reading import read_spec
from vstack.specify.draft import Draft, goals_module, try_draft, with_definition, with_goal, write_draft


def run(folder: Path, draft: Draft, *, module_name: str | None, as_json: bool) -> int:
    """Add the goal if SANY accepts it; the exit code (0).

    Raises:
        VstackError: the goal is there already, its formula doesn't parse, is not
            defined, or is not of its kind; nothing is written then.
    """
    project = load_project(folder)
    with exclusive(project.state / "spec.lock", what="this project's goals or lock"):
        written = _add(project, draft, module_name)
    if as_json:
        click.echo(
            json.dumps({"goal": draft.name, "approved": False, "written": written}, indent=1, ensure_ascii=False)
        )
        return 0
    click.echo(f"Drafted {draft.name} in {' and '.join(written)}.")
    click.echo("It is not approved, and the matrix says nothing of it yet.")
    click.echo(f"Next: `vstack spec show {draft.name}`, then add it to `matrix`; `vstack spec approve` approves.")
    return 0


def _add(project: Project, draft: Draft, module_name: str | None) -> list[str]:
    """Write the goal into its files, and return these."""
    project_path = project.root / PROJECT_FILE
    project_text = with_goal(read_text(project_path), draft, where=str(project_path))
    module, module_text = None, ""
    if draft.kind == "z3":
        if not draft.script or not (project.root / draft.script).is_file():
            raise VstackError("A Z3 goal needs a script that exists", where=draft.script, todo="Name it with --script")
    elif draft.definitions:
        spec = read_spec(project)
        if spec is None:
            raise VstackError("The project has no `model`, so there is no scope for a formula", where=str(project_path))
        for defined, _ in draft.definitions:
            if spec.has(defined):
                where = spec.definition(defined).span
                raise VstackError(
                    f"{defined} is defined already",
                    where=f"{where.module}:{where.line}",
                    todo="Leave out its formula to use that definition, or choose another name",
                )
        module = goals_module(project, spec, module_name)
        module_text = with_definition(read_text(module), draft, where=str(module))
    try_draft(project, draft, module, module_text, project_text)
    write_draft(project, module, module_text, project_text)
    if module is not None:
        record_draft(str(project.root), str(module))
    return [str(path) for path in (module, project_path) if path is not None]


@click.command("draft", short_help="Add an unapproved goal to the project.")
@click.argument("name")
@click.option("--english", required=True, help="What must hold, in words.")
@click.option(
    "--kind",
    type=click.Choice(["invariant", "action", "temporal", "z3"]),
    default="invariant",
    show_default=True,
    help="What the formula is.",
)
@click.option(
    "--family", type=click.Choice(["isolation", "integrity", "finality", "conservation"]), help="The goal's family."
)
@click.option("--formula", help="TLA+ text; left out, NAME must be defined already.")
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="NAME[=FORMULA]",
    help="A state formula that must come true where the goal holds (repeat for more).",
)
@click.option("--source", "sources", multiple=True, metavar="URL", help="Where the goal comes from (repeat for more).")
@click.option("--module", "module_name", metavar="FILE", help="The goals module (that of the last goal, if not given).")
@click.option("--script", metavar="FILE", help="The script of a Z3 goal.")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(
    name: str,
    english: str,
    kind: str,
    family: str | None,
    formula: str | None,
    witnesses: tuple[str, ...],
    sources: tuple[str, ...],
    module_name: str | None,
    script: str | None,
    folder: Path,
    as_json: bool,
) -> int:
    """Add an unapproved goal: its definition to a goals module, its entry to vstack.yaml.

    SANY must accept it, and it must be of its kind, or nothing is written.
    Comments and layout of both files stay as they are.

    \b
    Example: vstack spec draft Quiet --english "A free page has no transfer" \\
               --formula 'page = "free" => transfer = "none"' --source https://example.org/issue/1
    """
    parts = (text.partition("=") for text in witnesses)
    named = tuple((own.strip(), text if sign else None) for own, sign, text in parts)
    draft = Draft(name, kind, english, sources, family, formula, script, named)
    return run(folder, draft, module_name=module_name, as_json=as_json)
